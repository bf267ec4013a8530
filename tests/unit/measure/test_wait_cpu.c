/* SPDX-License-Identifier: BSD-3-Clause */
#include "attributes.h"
#include "tap.h"
#include "wait_cpu.h"

enum { US = 1000, MS = 1000000 };

static struct wait_cpu look(uint64_t cpu_ns, uint64_t queued_ns, uint64_t n_turns, uint64_t own_ns)
{
        return (struct wait_cpu){.times = {cpu_ns, queued_ns, n_turns}, .own_ns = own_ns, .is_known = true};
}

TEST(a_thread_that_got_a_cpu_late_has_waited_for_it)
{
        const struct wait_cpu first = look(50 * MS, 10 * MS, 7, 5 * MS);
        const struct {
                struct wait_cpu second;
                enum wait_cpu_answer answer;
        } rows[] = {
                {look(50 * MS, 10 * MS, 7, 6 * MS), WAIT_CPU_UNCHANGED},
                {look(53 * MS, 10 * MS, 7, 6 * MS), WAIT_CPU_HAD},               /* it ran on */
                {look(50 * MS + 10 * US, 18 * MS, 8, 6 * MS), WAIT_CPU_AWAITED}, /* it waited behind others */
                {look(53 * MS, 11 * MS, 8, 5 * MS), WAIT_CPU_HAD},           /* it lost its CPU meanwhile */
                {look(50 * MS + 10 * US, 11 * MS, 8, 6 * MS), WAIT_CPU_HAD}, /* wperf had its CPU */
                {{.times = {0}}, WAIT_CPU_HAD},                              /* it has ended */
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                EXPECT_INT(wait_cpu_compare(&first, &rows[i].second), rows[i].answer);
}

TAP_MAIN
