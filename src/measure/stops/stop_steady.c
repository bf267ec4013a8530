/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that run all the time. Each timer of a thread's events costs it time whenever it stops, so the
 * overrun event of such a thread is disabled, and the tracer's timer shows that the thread does not stop
 * any more. */
#include <sys/ioctl.h>

#include "os.h"
#include "stop_internal.h"

/* So many stops in a row must have been in time. */
enum { STEADY_STOPS = 8 };

/* The longest time from one stop to the next of a thread that has a CPU for itself; 0 if the time is not
 * known, because the events do not count time. The overrun event's period is a little longer than the
 * stops'. */
static uint64_t longest_ns(const struct stop_guardian *g)
{
        if (!linux_attr_is_clock(&g->overrun))
                return 0;
        return g->overrun.sample_period_or_freq + g->overrun.sample_period_or_freq / 3;
}

static void switch_overrun(struct stop_guardian *g, struct stop_task *task, bool on)
{
        os_lock_enter(g->lock);
        task->is_steady = !on;
        if (task->overrun_fd >= 0 && g->is_on)
                ioctl(task->overrun_fd, on ? IOC_ENABLE : IOC_DISABLE, 0);
        os_lock_leave(g->lock);
}

static void add(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_steady *steady = &g->steady;

        if (steady->n == STOP_MAX_STEADY)
                return;
        steady->tids[steady->n++] = task->tid;
        switch_overrun(g, task, false);
}

void stop_steady_see_stop(struct stop_guardian *g, struct stop_task *task, uint64_t before_ns)
{
        uint64_t longest = longest_ns(g);

        if (task->stopped_ns - before_ns > longest)
                task->n_in_time = 0;
        else if (task->n_in_time < STEADY_STOPS)
                task->n_in_time++;
        if (task->is_steady)
                return;
        stop_event_expect(g, task);
        if (task->n_in_time == STEADY_STOPS && task->overrun_fd >= 0)
                add(g, task);
}

/* The mask is read now, because its overrun event would tell only later. */
static void see_silence(struct stop_guardian *g, struct stop_task *task, uint64_t now_ns)
{
        task->n_in_time = 0;
        switch_overrun(g, task, true);
        if (task->overrun_fd < 0)
                return;
        stop_event_expect(g, task);
        stop_mask_ask(g, task->tid, now_ns);
}

void stop_steady_look(struct stop_guardian *g)
{
        struct stop_steady *steady = &g->steady;
        uint64_t now_ns = steady->n ? os_monotonic_ns() : 0, longest = longest_ns(g);
        size_t n_left = 0;

        for (size_t i = 0; i < steady->n; i++) {
                struct stop_task *task = stop_task_find(g, steady->tids[i]);

                if (!task || !task->is_steady)
                        continue; /* it has ended; the tid may be another thread's by now */
                if (now_ns > task->stopped_ns + longest)
                        see_silence(g, task, now_ns);
                else
                        steady->tids[n_left++] = task->tid;
        }
        steady->n = n_left;
}

uint64_t stop_steady_wait_ns(const struct stop_guardian *g)
{
        return g->steady.n ? longest_ns(g) : 0;
}
