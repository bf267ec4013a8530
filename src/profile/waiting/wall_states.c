/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_states.h"

#include <string.h>

#include "attributes.h"
#include "text.h"

const char *wall_state_word(unsigned state)
{
        return state == WALL_RUNNABLE ? "runnable"
               : state == WALL_OWN    ? "wperf"
                                      : wait_kind_word((enum wait_kind)state);
}

static bool take_word(const char *word, size_t len, unsigned *states)
{
        static const char waiting[] = "waiting";

        if (len == strlen(waiting) && !memcmp(word, waiting, len)) {
                *states |= WALL_WAITING;
                return true;
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
                        return err_set(
                                err, ERR_USAGE,
                                "--state '%.*s': the states are on-cpu, runnable, idle, waiting, and of "
                                "waiting gil, lock, disk, fault, network, pipe, child, sleep, terminal, "
                                "other, unknown",
                                (int)(len < 40 ? len : 40), at);
                at += len;
        }
        if (!states)
                return err_set(err, ERR_USAGE, "--state needs a state, such as waiting or network");
        *ret = states;
        return true;
}
