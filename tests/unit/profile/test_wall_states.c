/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of --state, as help and completion list them. */
#include "wall_states.h"

#include <string.h>

#include "attributes.h"
#include "buf.h"
#include "tap.h"

/* Parses all words of the list, and returns the states that none of them has. */
static unsigned states_left(void)
{
        unsigned left = WALL_BIT(WALL_N_STATES) - 1;

        for (const char *at = WALL_STATE_WORDS; *at; at += strspn(at, " ")) {
                AUTO_RELEASE(buf) word = {0};
                unsigned states = 0;

                buf_add(&word, at, strcspn(at, " "));
                EXPECT_TRUE(wall_states_parse(buf_text(&word), &states, NULL));
                left &= ~states;
                at += word.len;
        }
        return left;
}

TEST(each_state_has_a_word_but_wperf_itself)
{
        EXPECT_INT(states_left(), WALL_BIT(WALL_OWN));
}

TEST(lists_are_sets)
{
        struct err err = {0};
        unsigned states = 0;

        EXPECT_TRUE(wall_states_parse("gil,lock,gil", &states, NULL));
        EXPECT_INT(states, WALL_BIT(WAIT_KIND_GIL) | WALL_BIT(WAIT_KIND_LOCK));
        EXPECT_TRUE(wall_states_parse("waiting", &states, NULL));
        EXPECT_INT(states & (WALL_IDLE | WALL_BIT(WAIT_KIND_ON_CPU)), 0);
        EXPECT_TRUE(wall_states_parse("gc", &states, NULL));
        EXPECT_INT(states, WALL_BIT(WALL_GC));
        EXPECT_TRUE(wall_states_parse("on-cpu", &states, NULL));
        EXPECT_INT(states, WALL_BIT(WALL_GC) | WALL_BIT(WAIT_KIND_ON_CPU));
        EXPECT_TRUE(!wall_states_parse("gil,loc", &states, &err));
        EXPECT_TRUE(strstr(err.text, "'loc'") && strstr(err.text, "terminal"));
        EXPECT_TRUE(!wall_states_parse(",", &states, NULL));
        EXPECT_TRUE(!wall_states_parse("", &states, NULL));
}

TAP_MAIN
