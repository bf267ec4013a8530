/* SPDX-License-Identifier: BSD-3-Clause */
/* When a thread began to wait, from the records of its switches. */
#include "stop_internal.h"
#include "tap.h"

/* Times in us. */
static void add(struct stop_switched *s, enum stop_switch_kind kind, uint64_t at_us)
{
        stop_switch_add(s, kind, at_us * 1000);
}

static uint64_t began_us(const struct stop_switched *s)
{
        return stop_switch_began_ns(s, 100000) / 1000;
}

TEST(a_wait_began_when_the_thread_left_its_cpu)
{
        struct stop_switched s = {0};

        EXPECT_INT(began_us(&s), 0); /* nothing is known */
        add(&s, STOP_RUNS, 1000);
        add(&s, STOP_WAITS, 5000);
        EXPECT_INT(began_us(&s), 5000); /* it has run: it did not wait before */
        add(&s, STOP_RUNS, 90000);
        EXPECT_INT(began_us(&s), 0); /* it runs */
        add(&s, STOP_WAITS, 90020);  /* the stop */
        EXPECT_INT(began_us(&s), 5000);
        add(&s, STOP_RUNS, 90100);
        add(&s, STOP_WAITS, 91000);
        EXPECT_INT(began_us(&s), 91000); /* it has left the kernel since the stop */
}

TEST(a_preempted_thread_still_waits)
{
        struct stop_switched s = {0};

        add(&s, STOP_WAITS, 5000);
        add(&s, STOP_RUNS, 90000);
        add(&s, STOP_PREEMPTED, 90010);
        add(&s, STOP_RUNS, 94000);
        add(&s, STOP_WAITS, 94060);
        EXPECT_INT(began_us(&s), 5000); /* it has run for 70 us */
        EXPECT_INT(stop_switch_n_waits(&s, 80000000), 1);
        EXPECT_INT(stop_switch_n_waits(&s, 4000000), 2);
}

/* A thread that changes its CPU has records in two rings. */
TEST(records_in_the_wrong_order)
{
        struct stop_switched s = {0};

        add(&s, STOP_RUNS, 90000);
        add(&s, STOP_WAITS, 90020);
        add(&s, STOP_WAITS, 5000);
        EXPECT_INT(began_us(&s), 5000);
        add(&s, STOP_RUNS, 4000);
        EXPECT_INT(began_us(&s), 5000);
}

TEST(old_switches_are_dropped)
{
        struct stop_switched s = {0};

        for (uint64_t i = 0; i < 50; i++) {
                add(&s, STOP_RUNS, 1000 * (i + 1));
                add(&s, STOP_WAITS, 1000 * (i + 1) + 20);
        }
        EXPECT_INT(s.n, STOP_KEPT_SWITCHES);
        EXPECT_INT(began_us(&s), 49020);
        EXPECT_INT(stop_switch_n_waits(&s, 0), STOP_KEPT_SWITCHES / 2);
}

TAP_MAIN
