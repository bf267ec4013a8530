/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a thread. One stops it: like the ring's event, but only in user mode. The other, whose
 * period is a little longer and begins anew at each stop, overflows only if the thread did not stop, which
 * the kernel does not report: it sends a blocked SIGTRAP without a stop. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os.h"
#include "stop_internal.h"

/* A moment: a count of ns or of cycles. */
#define MOMENT 100000ull

struct perf_attr stop_event_attr(const struct perf_attr *ring)
{
        /* Samples in the kernel remain the ring's. At a stop only the registers of user mode are available,
         * so kernel time would be attributed to the calling code. */
        const uint64_t kept =
                PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_HV | PERF_ATTR_EXCLUDE_HOST | PERF_ATTR_EXCLUDE_GUEST;

        struct perf_attr attr = {
                .type = ring->type,
                .size = sizeof(*ring),
                .config = ring->config,
                .config1 = ring->config1,
                .config2 = ring->config2,
                .config3 = ring->config3,
                .sample_period_or_freq = ring->sample_period_or_freq,
                .flags = (ring->flags & kept) | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_REMOVE_ON_EXEC |
                         PERF_ATTR_SIGTRAP,
                .sig_data = STOP_SIG_DATA,
        };

        if (stop_event_period(ring)) { /* the kernel would compute the same period */
                attr.flags &= ~PERF_ATTR_FREQ;
                attr.sample_period_or_freq = stop_event_period(ring);
        }
        return attr;
}

int stop_event_try(const struct perf_attr *attr, int32_t pid)
{
        struct perf_attr off = *attr;
        int fd;

        off.flags |= PERF_ATTR_DISABLED;
        fd = linux_event_open(&off, pid, -1, -1);
        if (fd < 0)
                return errno;
        close(fd);
        return 0;
}

/* With a frequency the kernel chooses the period, so the time between stops is measured. */
struct perf_attr stop_event_overrun_attr(const struct perf_attr *stopping)
{
        struct perf_attr attr = *stopping;
        uint64_t number = attr.sample_period_or_freq;

        attr.flags &= ~(PERF_ATTR_SIGTRAP | PERF_ATTR_FREQ);
        attr.sig_data = 0;
        attr.sample_period_or_freq = number + number / 10 + 1;
        /* A clock counts in the kernel, too, but does not overflow there if that is excluded. */
        if (linux_attr_is_clock(stopping) || stopping->flags & PERF_ATTR_FREQ)
                attr.flags &= ~PERF_ATTR_EXCLUDE_KERNEL;
        if (!(stopping->flags & PERF_ATTR_FREQ))
                return attr;
        attr.type = PERF_TYPE_SOFTWARE;
        attr.config = PERF_COUNT_SW_TASK_CLOCK;
        attr.config1 = attr.config2 = attr.config3 = 0;
        attr.sample_period_or_freq = number ? NS_PER_S / number : NS_PER_S;
        attr.sample_period_or_freq += attr.sample_period_or_freq / (linux_attr_is_clock(stopping) ? 10 : 1);
        return attr;
}

uint64_t stop_event_period(const struct perf_attr *attr)
{
        if (!(attr->flags & PERF_ATTR_FREQ))
                return attr->sample_period_or_freq;
        return linux_attr_is_clock(attr) && attr->sample_period_or_freq
                       ? NS_PER_S / attr->sample_period_or_freq
                       : 0;
}

/* --- the first period --- */

/* The kernel makes shorter periods of clocks this long. */
#define LEAST_FIRST_NS 10000ull

static uint64_t at_least(const struct stop_guardian *g, uint64_t first)
{
        uint64_t least = linux_attr_is_clock(&g->attr) ? LEAST_FIRST_NS : 1;

        least = least < g->period ? least : g->period;
        return first > least ? first : least;
}

static uint64_t draw(struct stop_guardian *g)
{
        uint64_t random = map_mix(++g->n_drawn + map_mix(os_monotonic_ns()));

        return at_least(g, random % g->period + 1);
}

/* If the kernel chooses the periods, it begins with short ones. */
static void begin_periods(struct stop_guardian *g, struct stop_task *task, bool may_block_soon)
{
        task->first_from = 0;
        task->first = g->period && may_block_soon ? g->period : g->period ? draw(g) : 0;
        task->is_drawn = !may_block_soon;
}

static void set_period(struct stop_task *task, uint64_t period)
{
        ioctl(task->event_fd, IOC_PERIOD, &period);
}

/* Hardware counts only what is sampled, so it does not overflow in the kernel. */
static bool is_repeated(const struct stop_guardian *g, const struct stop_task *task, uint64_t passed)
{
        return linux_attr_is_clock(&g->attr) && passed >= 2 * task->first;
}

bool stop_event_is_due(struct stop_guardian *g, struct stop_task *task)
{
        uint64_t count, passed, left;
        bool is_due;

        if (!task->first)
                return true;
        count = stop_event_count(task);
        passed = count - task->first_from;
        is_due = task->first == g->period || !is_repeated(g, task, passed);
        left = g->period - (passed - task->first) % g->period;
        task->first = !is_due ? at_least(g, left) : task->is_drawn ? 0 : draw(g);
        task->is_drawn |= is_due;
        task->first_from = count;
        set_period(task, task->first ? task->first : g->period);
        return is_due;
}

/* --- opening --- */

/* Under the lock. */
static int open_event(const struct stop_guardian *g, const struct perf_attr *wanted, int32_t tid)
{
        struct perf_attr attr = *wanted;

        if (!g->is_on)
                attr.flags |= PERF_ATTR_DISABLED;
        return linux_event_open(&attr, tid, -1, -1);
}

bool stop_event_open(struct stop_guardian *g, struct stop_task *task, bool may_block_soon)
{
        struct perf_attr attr = g->attr;
        int error;

        errno = ECANCELED;
        if (atomic_load(&g->quits))
                return false;
        begin_periods(g, task, may_block_soon);
        if (task->first)
                attr.sample_period_or_freq = task->first;
        os_lock_enter(g->lock);
        task->event_fd = open_event(g, &attr, task->tid);
        error = errno;
        os_lock_leave(g->lock);
        task->stopped_ns = os_monotonic_ns();
        task->counted = 0;
        errno = error;
        return task->event_fd >= 0;
}

static void open_overrun(struct stop_guardian *g, struct stop_task *task)
{
        os_lock_enter(g->lock);
        task->overrun_fd = open_event(g, &g->overrun, task->tid);
        if (task->overrun_fd < 0 && (errno == EACCES || errno == EPERM)) {
                g->overrun.flags |= PERF_ATTR_EXCLUDE_KERNEL; /* this user may not count in the kernel */
                task->overrun_fd = open_event(g, &g->overrun, task->tid);
        }
        if (task->overrun_fd >= 0 && !stop_tracer_gets(task->overrun_fd, stop_tracer_overrun_signal())) {
                close(task->overrun_fd);
                task->overrun_fd = -1;
        }
        os_lock_leave(g->lock);
        if (task->overrun_fd >= 0)
                *map_put(&g->overruns, (uint64_t)task->overrun_fd, NULL) = (uint64_t)task->tid;
}

void stop_event_expect(struct stop_guardian *g, struct stop_task *task)
{
        uint64_t period = g->overrun.sample_period_or_freq;

        if (task->overrun_fd < 0)
                open_overrun(g, task);
        else
                ioctl(task->overrun_fd, IOC_PERIOD, &period);
}

void stop_event_close(struct stop_guardian *g, struct stop_task *task)
{
        if (task->overrun_fd >= 0)
                map_remove(&g->overruns, (uint64_t)task->overrun_fd);
        os_lock_enter(g->lock);
        if (task->event_fd >= 0)
                close(task->event_fd);
        if (task->overrun_fd >= 0)
                close(task->overrun_fd);
        task->event_fd = task->overrun_fd = -1;
        task->is_steady = false;
        os_lock_leave(g->lock);
}

void stop_event_close_all(struct stop_guardian *g, struct stop_process *process)
{
        for (struct stop_task *task = process->tasks; task; task = task->next)
                stop_event_close(g, task);
}

uint64_t stop_event_count(const struct stop_task *task)
{
        uint64_t value;

        return read(task->event_fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

bool stop_event_has_run(const struct stop_task *task, uint64_t before, unsigned moments)
{
        return stop_event_count(task) >= before + moments * MOMENT;
}

uint64_t stop_event_read_period(struct stop_task *task)
{
        uint64_t value = stop_event_count(task), before = task->counted;

        if (value <= before)
                return 1;
        task->counted = value;
        return value - before;
}

void stop_event_switch(struct stop_guardian *g, bool on)
{
        unsigned long request = on ? IOC_ENABLE : IOC_DISABLE;

        os_lock_enter(g->lock);
        g->is_on = on;
        for (const struct stop_process *p = g->processes; p; p = p->next) {
                for (const struct stop_task *task = p->tasks; task; task = task->next) {
                        if (task->event_fd >= 0)
                                ioctl(task->event_fd, request, 0);
                        if (task->overrun_fd >= 0 && !task->is_steady)
                                ioctl(task->overrun_fd, request, 0);
                }
        }
        os_lock_leave(g->lock);
}
