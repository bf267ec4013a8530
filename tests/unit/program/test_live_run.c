/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_run.h"

#include "tap.h"

#define MS 1000000ull

TEST(its_own_share_of_an_interval)
{
        const struct live_facts before[2] = {{.looked_ns = 3000 * MS, .own_ns = 60 * MS},
                                             {.looked_ns = 2000 * MS, .own_ns = 40 * MS}};
        const struct live_facts now = {.looked_ns = 4000 * MS, .own_ns = 90 * MS};

        EXPECT_INT(live_run_own_percent(before, &now, 1000 * MS), 3);
        EXPECT_INT(live_run_own_percent(before, &before[0], 0), 0);
}

/* The last table took 30 ms of CPU time, 10 ms after the one before it. */
TEST(its_own_share_at_the_end_is_that_of_a_whole_interval)
{
        const struct live_facts before[2] = {{.looked_ns = 3000 * MS, .own_ns = 60 * MS},
                                             {.looked_ns = 2010 * MS, .own_ns = 40 * MS}};
        const struct live_facts now = {.looked_ns = 3010 * MS, .own_ns = 90 * MS};

        EXPECT_INT(live_run_own_percent(before, &now, 1000 * MS), 5);
}

TAP_MAIN
