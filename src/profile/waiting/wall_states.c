/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_states.h"

#include <string.h>

#include "attributes.h"
#include "text.h"

const char *wall_state_word(unsigned state)
{
        return state == WALL_RUNNABLE ? "runnable"
               : state == WALL_OWN    ? "wperf"
               : state == WALL_GC     ? "gc"
                                      : wait_kind_word((enum wait_kind)state);
}

const char *wall_state_letter(unsigned state)
{
        static const char *const letters[WALL_N_STATES] = {
                [WAIT_KIND_ON_CPU] = "#",  [WAIT_KIND_IDLE] = ".",     [WAIT_KIND_GIL] = "g",
                [WAIT_KIND_LOCK] = "l",    [WAIT_KIND_DISK] = "d",     [WAIT_KIND_FAULT] = "f",
                [WAIT_KIND_NETWORK] = "n", [WAIT_KIND_PIPE] = "p",     [WAIT_KIND_CHILD] = "c",
                [WAIT_KIND_SLEEP] = "s",   [WAIT_KIND_TERMINAL] = "t", [WAIT_KIND_OTHER] = "o",
                [WAIT_KIND_UNKNOWN] = "?", [WALL_RUNNABLE] = "r",      [WALL_OWN] = "w",
                [WALL_GC] = "G",
        };

        return state < WALL_N_STATES ? letters[state] : "?";
}

static bool take_word(const char *word, size_t len, unsigned *states)
{
        static const struct {
                const char *word;
                unsigned states;
        } sets[] = {{"waiting", WALL_WAITING}, {"on-cpu", WALL_ON_CPU}};

        for (size_t i = 0; i < N_ELEMENTS(sets); i++) {
                if (len == strlen(sets[i].word) && !memcmp(word, sets[i].word, len)) {
                        *states |= sets[i].states;
                        return true;
                }
        }
        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                const char *known = wall_state_word(i);

                if (strlen(known) == len && !memcmp(known, word, len)) {
                        *states |= WALL_BIT(i);
                        return true;
                }
        }
        return false;
}

bool wall_states_parse(const char *list, unsigned *ret, struct err *err)
{
        unsigned states = 0;

        for (const char *at = list; *at; at += *at == ',') {
                size_t len = strcspn(at, ",");

                if (!take_word(at, len, &states))
                        return err_set(err, ERR_USAGE, "--state '%.*s': the states are " WALL_STATE_WORDS,
                                       (int)(len < 40 ? len : 40), at);
                at += len;
        }
        if (!states)
                return err_set(err, ERR_USAGE, "--state needs a state, such as waiting or network");
        *ret = states;
        return true;
}
