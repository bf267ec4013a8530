/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_cpu.h"

#include <stdlib.h>
#include <time.h>

#include "linux_events.h"
#include "mem.h"
#include "os.h"

enum { GIVE_WAY_NS = 50000, PAUSE_NS = 1000000, MOST_NS = 100000000 };

struct wait_cpu wait_cpu_look(int32_t pid, int32_t tid)
{
        struct wait_cpu look = {.own_ns = linux_cpu_ns(CLOCK_PROCESS_CPUTIME_ID)};

        look.is_known = wait_thread_read_times(pid, tid, &look.times) && look.times.n_turns;
        return look;
}

void wait_cpu_give_way(void)
{
        nanosleep(&(struct timespec){.tv_nsec = GIVE_WAY_NS}, NULL);
}

/* A thread that lost its CPU between the looks got one anew, too; it has run for longer than it waited. One
 * that wperf has displaced waited for about as long as wperf ran. */
enum wait_cpu_answer wait_cpu_compare(const struct wait_cpu *first, const struct wait_cpu *second)
{
        uint64_t ran_ns = second->times.cpu_ns - first->times.cpu_ns;
        uint64_t waited_ns = second->times.queued_ns - first->times.queued_ns;

        if (!first->is_known || !second->is_known)
                return WAIT_CPU_HAD;
        if (second->times.n_turns == first->times.n_turns)
                return ran_ns ? WAIT_CPU_HAD : WAIT_CPU_UNCHANGED;
        return waited_ns > 2 * (ran_ns + second->own_ns - first->own_ns) ? WAIT_CPU_AWAITED : WAIT_CPU_HAD;
}

/* A thread that is not known yet. */
struct judged {
        struct wait_reading *reading;
        struct wait_cpu first;
};

/* Returns the number of those that are still not known. */
static size_t look_again(int32_t pid, struct judged *judged, size_t n)
{
        size_t n_left = 0;

        for (size_t i = 0; i < n; i++) {
                const struct wait_cpu now = wait_cpu_look(pid, judged[i].reading->tid);
                enum wait_cpu_answer answer = wait_cpu_compare(&judged[i].first, &now);

                if (answer == WAIT_CPU_AWAITED)
                        judged[i].reading->how = WAIT_HOW_READY;
                else if (answer == WAIT_CPU_UNCHANGED)
                        judged[n_left++] = judged[i];
        }
        return n_left;
}

/* What runs is counted at each tick of its CPU's clock, so one of which nothing is counted does not run. */
void wait_cpu_judge(int32_t pid, struct wait_reading *readings, size_t n)
{
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        struct judged *judged = mem_new(n + 1, sizeof(*judged));
        size_t n_left = 0;
        uint64_t end_ns;

        for (size_t i = 0; i < n; i++) {
                if (readings[i].how == WAIT_HOW_ON_CPU)
                        judged[n_left++].reading = &readings[i];
        }
        if (n_left)
                wait_cpu_give_way();
        for (size_t i = 0; i < n_left; i++)
                judged[i].first = wait_cpu_look(pid, judged[i].reading->tid);
        end_ns = os_monotonic_ns() + MOST_NS;
        while (n_left && os_monotonic_ns() < end_ns) {
                nanosleep(&pause, NULL);
                n_left = look_again(pid, judged, n_left);
        }
        for (size_t i = 0; i < n_left; i++)
                judged[i].reading->how = WAIT_HOW_READY;
        free(judged);
}
