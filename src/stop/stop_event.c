/* SPDX-License-Identifier: BSD-3-Clause */
/* The event that stops a thread: like the ring's event, but only in user mode. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum { NS_PER_S = 1000000000 };

/* The fields that can be filled in at a stop. */
#define SERVED_SAMPLE_TYPE                                                                                   \
        (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |    \
         PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

bool stop_engine_serves(const struct perf_attr *attr)
{
        return !(attr->sample_type & ~(uint64_t)SERVED_SAMPLE_TYPE) &&
               attr->sample_type & PERF_SAMPLE_STACK_USER && attr->flags & PERF_ATTR_USE_CLOCKID &&
               attr->clockid == PERF_CLOCK_MONOTONIC && !(attr->flags & PERF_ATTR_EXCLUDE_USER);
}

/* Samples in the kernel remain the ring's. At a stop only the registers of user mode are available, so kernel
 * time would be attributed to the calling code. */
struct perf_attr stop_event_attr(const struct perf_attr *ring)
{
        const uint64_t kept =
                PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_HV | PERF_ATTR_EXCLUDE_HOST | PERF_ATTR_EXCLUDE_GUEST;

        return (struct perf_attr){
                .type = ring->type,
                .size = sizeof(*ring),
                .config = ring->config,
                .config1 = ring->config1,
                .config2 = ring->config2,
                .config3 = ring->config3,
                .sample_period_or_freq = ring->sample_period_or_freq,
                .flags = (ring->flags & kept) | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_INHERIT |
                         PERF_ATTR_INHERIT_THREAD | PERF_ATTR_REMOVE_ON_EXEC | PERF_ATTR_SIGTRAP,
        };
}

uint64_t stop_event_period(const struct perf_attr *attr)
{
        if (!(attr->flags & PERF_ATTR_FREQ))
                return attr->sample_period_or_freq;
        return linux_attr_is_clock(attr) && attr->sample_period_or_freq
                       ? NS_PER_S / attr->sample_period_or_freq
                       : 0;
}

void stop_event_open(struct stop_engine *e, struct stop_process *process, int32_t tid)
{
        struct perf_attr attr = e->attr;
        int fd;

        os_lock_enter(e->lock);
        if (!e->is_on)
                attr.flags |= PERF_ATTR_DISABLED;
        fd = linux_event_open(&attr, tid, -1, -1);
        if (fd >= 0)
                ARRAY_PUSH(process->events, process->n_events, process->cap_events, fd);
        else
                e->counts.n_not_opened++;
        os_lock_leave(e->lock);
}

void stop_event_close(struct stop_engine *e, struct stop_process *process)
{
        os_lock_enter(e->lock);
        for (size_t i = 0; i < process->n_events; i++)
                close(process->events[i]);
        free(process->events);
        process->events = NULL;
        process->n_events = process->cap_events = 0;
        os_lock_leave(e->lock);
}

uint64_t stop_event_read_period(struct stop_process *process)
{
        uint64_t value, all = 0, before = process->counted;

        for (size_t i = 0; i < process->n_events; i++)
                all += read(process->events[i], &value, sizeof(value)) == sizeof(value) ? value : 0;
        if (all <= before)
                return 1;
        process->counted = all;
        return all - before;
}

void stop_engine_switch(struct stop_engine *e, bool on)
{
        os_lock_enter(e->lock);
        e->is_on = on;
        for (const struct stop_process *p = e->processes; p; p = p->next) {
                for (size_t i = 0; i < p->n_events; i++)
                        ioctl(p->events[i], on ? IOC_ENABLE : IOC_DISABLE, 0);
        }
        os_lock_leave(e->lock);
}
