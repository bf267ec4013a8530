/* SPDX-License-Identifier: BSD-3-Clause */
/* When the threads of a traced process began to wait: events write a record whenever one of its threads
 * leaves a CPU or gets one. A switch costs the process some 0.4 us more by that, so it begins when the
 * process has forked, whose children will send it SIGCHLD, or has received a signal that interrupted a
 * call. Threads and processes that it creates from then on inherit the events. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "err.h"
#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum {
        RING_BYTES = 32768, /* of each CPU: 1,365 records */
        WAKEUP_BYTES = RING_BYTES / 2,
        MOST_EVENTS = 4096, /* of a process; opening them takes some 50 ms */
};

static struct perf_attr switch_attr(void)
{
        struct perf_attr attr = linux_attr_dummy().attr;

        attr.size = sizeof(attr);
        attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
        attr.flags |= PERF_ATTR_INHERIT | PERF_ATTR_CONTEXT_SWITCH | PERF_ATTR_REMOVE_ON_EXEC |
                      PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_WATERMARK |
                      PERF_ATTR_USE_CLOCKID;
        attr.clockid = PERF_CLOCK_MONOTONIC;
        attr.wakeup = WAKEUP_BYTES;
        return attr;
}

/* --- events --- */

static void init(struct stop_switches *s)
{
        struct err err = {0};

        s->cpus = machine_cpus(NULL, 0, false, &s->n_cpus, &err);
        if (!s->cpus)
                s->n_cpus = 0;
        s->ring_fds = mem_new(s->n_cpus + 1, sizeof(*s->ring_fds));
        s->rings = mem_new(s->n_cpus + 1, sizeof(*s->rings));
        for (size_t i = 0; i < s->n_cpus; i++)
                s->ring_fds[i] = -1;
}

/* The first event of a CPU has the ring, and remains open; the others write to it. */
static bool join(struct stop_switches *s, size_t cpu, int fd)
{
        size_t bytes = RING_BYTES;
        struct err err = {0};

        if (s->ring_fds[cpu] >= 0)
                return !ioctl(fd, IOC_SET_OUTPUT, s->ring_fds[cpu]);
        if (!rings_open(&s->rings[cpu], &fd, 1, &bytes, &err))
                return false;
        s->ring_fds[cpu] = fd;
        return true;
}

static int open_event(struct stop_switches *s, size_t cpu, int32_t tid)
{
        const struct perf_attr attr = switch_attr();
        int fd = linux_event_open(&attr, tid, (int32_t)s->cpus[cpu], -1);

        if (fd < 0)
                return -1;
        if (stop_tracer_gets(fd, stop_tracer_wake_signal()) && join(s, cpu, fd))
                return fd;
        close(fd);
        return -1;
}

/* Of a thread that waits already, only the latest time is known at which it may have begun. */
static void see_waiting(const struct stop_process *process)
{
        for (struct stop_task *task = process->tasks; task; task = task->next) {
                uint64_t now_ns = os_monotonic_ns();

                if (stop_status_read(task->tid).state == 'S')
                        stop_switch_add(&task->switched, STOP_WAITS, now_ns);
        }
}

void stop_switch_begin(struct stop_guardian *g, struct stop_process *process)
{
        struct stop_switches *s = &g->switches;
        size_t n_tasks = 0, n = 0;
        int *fds;

        if (process->switch_fds)
                return;
        if (!s->ring_fds)
                init(s);
        for (const struct stop_task *task = process->tasks; task; task = task->next)
                n_tasks += (n_tasks + 1) * s->n_cpus <= MOST_EVENTS;
        fds = mem_new(n_tasks * s->n_cpus + 1, sizeof(*fds));
        for (const struct stop_task *task = process->tasks; n < n_tasks * s->n_cpus; task = task->next) {
                for (size_t i = 0; i < s->n_cpus; i++)
                        fds[n++] = open_event(s, i, task->tid);
        }
        process->n_switch_fds = n;
        os_lock_enter(g->lock);
        process->switch_fds = fds;
        os_lock_leave(g->lock);
        see_waiting(process);
}

bool stop_switch_is_wanted(struct stop_guardian *g, int32_t pid)
{
        const struct stop_process *process;
        bool is_wanted;

        os_lock_enter(g->lock);
        process = stop_process_find(g, pid);
        is_wanted = process && !process->switch_fds;
        os_lock_leave(g->lock);
        return is_wanted;
}

void stop_switch_end(struct stop_guardian *g, struct stop_process *process)
{
        struct stop_switches *s = &g->switches;

        for (size_t i = 0; i < process->n_switch_fds; i++) {
                int fd = process->switch_fds[i];

                if (fd >= 0 && fd != s->ring_fds[i % s->n_cpus])
                        close(fd);
        }
        free(process->switch_fds);
        process->switch_fds = NULL;
        process->n_switch_fds = 0;
}

/* --- records --- */

/* A process may have events that it inherited, and its own. */
static bool is_known(const struct stop_switched *s, enum stop_switch_kind kind, uint64_t time_ns)
{
        enum { BOTH_NS = 3000 };

        for (size_t i = s->n; i-- && s->last[i].time_ns + BOTH_NS > time_ns;) {
                if (s->last[i].kind == kind && s->last[i].time_ns < time_ns + BOTH_NS)
                        return true;
        }
        return false;
}

/* The rings of two CPUs are read one after the other, so records of a thread may come in the wrong order. */
void stop_switch_add(struct stop_switched *s, enum stop_switch_kind kind, uint64_t time_ns)
{
        size_t at;

        assert(s->n <= STOP_KEPT_SWITCHES);
        if (is_known(s, kind, time_ns))
                return;
        if (s->n == STOP_KEPT_SWITCHES)
                memmove(s->last, s->last + 1, --s->n * sizeof(s->last[0]));
        for (at = s->n++; at && s->last[at - 1].time_ns > time_ns; at--)
                s->last[at] = s->last[at - 1];
        s->last[at] = (struct stop_switch){time_ns, kind};
}

static void drain(struct stop_guardian *g, struct ring *ring)
{
        static struct ring_reader reader; /* 64 KB */
        uint64_t head = ring_head(ring);
        struct perf_header header;
        const uint8_t *record;

        ring_reader_begin(&reader, ring, head);
        while ((record = ring_reader_next(&reader, &header)) != NULL) {
                uint64_t words[RING_WORDS];
                struct stop_task *task;

                ring_words(record, &header, words);
                task = header.type == PERF_RECORD_SWITCH ? stop_task_find(g, (int32_t)(words[1] >> 32))
                                                         : NULL;
                if (task)
                        stop_switch_add(&task->switched,
                                        header.misc & PERF_MISC_SWITCH_PREEMPT ? STOP_PREEMPTED
                                        : header.misc & PERF_MISC_SWITCH_OUT   ? STOP_WAITS
                                                                               : STOP_RUNS,
                                        words[2]);
        }
        ring_free(ring, head);
}

void stop_switch_drain(struct stop_guardian *g)
{
        struct stop_switches *s = &g->switches;

        for (size_t i = 0; i < s->n_cpus; i++) {
                if (s->ring_fds[i] >= 0)
                        drain(g, &s->rings[i]);
        }
}

/* --- answers --- */

uint64_t stop_switch_began_ns(const struct stop_switched *s, uint64_t most_run_ns)
{
        uint64_t ran_ns = 0, until_ns;
        size_t i = s->n;

        if (!i || s->last[i - 1].kind != STOP_WAITS)
                return 0;
        until_ns = s->last[i - 1].time_ns;
        while (i-- > 1) {
                const struct stop_switch *before = &s->last[i - 1];

                if (before->kind == STOP_RUNS)
                        ran_ns += s->last[i].time_ns - before->time_ns;
                if (ran_ns > most_run_ns)
                        return until_ns;
                if (before->kind == STOP_WAITS)
                        return before->time_ns;
        }
        return 0;
}

size_t stop_switch_n_waits(const struct stop_switched *s, uint64_t since_ns)
{
        size_t n = 0;

        for (size_t i = s->n; i-- && s->last[i].time_ns > since_ns;)
                n += s->last[i].kind == STOP_WAITS;
        return n;
}
