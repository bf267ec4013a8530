/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of CPU time without the kernel's events, which containers and hardened kernels refuse: when they
 * can be taken, and the attribute that describes them. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "err.h"
#include "linux_events.h"
#include "mem.h"

enum { PACED_ID = 1 };

static struct event cpu_time(void)
{
        return (struct event){.name = "cpu-clock",
                              .attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK}};
}

bool linux_refuses_events(struct err *ret_why)
{
        const struct refused_use use = {.verb = "sample", .doing = "sampling"};
        struct event event = cpu_time();
        int fd;

        event.attr.size = sizeof(event.attr);
        event.attr.flags = PERF_ATTR_DISABLED | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
        fd = linux_event_open(&event.attr, 0, -1, -1);
        if (fd >= 0) {
                close(fd);
                return false;
        }
        if (errno != EPERM && errno != EACCES && errno != ENOSYS)
                return false;
        linux_refusal(&use, &event, 0, errno, ret_why);
        return true;
}

const char *linux_paced_lacks(const struct collect_request *request)
{
        const struct event_list *events = request->events;

        if (request->target.system_wide || request->target.cgroup)
                return "it samples a command or the processes of -p, but not -a or --cgroup";
        if (request->children == COLLECT_NO_CHILDREN || request->children == COLLECT_PER_THREAD)
                return "it can't leave out threads or children, as --no-inherit and --per-thread ask";
        if (request->branches)
                return "it records no branches";
        if (events->n_items != 1 && !request->events_are_default)
                return "it samples one event, CPU time";
        if (!request->events_are_default && !linux_attr_is_clock(&events->items[0].attr))
                return "it samples CPU time only";
        return NULL;
}

/* Stacks are taken while the thread is stopped, so they cost little. */
static struct collect_request with_stacks(const struct collect_request *request)
{
        struct collect_request ret = *request;

        ret.wall = false; /* the kernel does not record switches */
        if (ret.call_graph.kind != CALL_GRAPH_DWARF)
                ret.call_graph = (struct call_graph){CALL_GRAPH_UNWIND, CALL_GRAPH_UNWIND_BYTES};
        return ret;
}

void linux_open_paced(const struct collect_request *request, const char *why, struct opened *ret)
{
        const struct kernel_features features = {.clock = true, .comm_exec_mmap2 = true, .stacks = true};
        const struct collect_request own = with_stacks(request);
        const struct perf_attr *asked = &request->events->items[0].attr;
        struct opened_event *e;

        *ret = (struct opened){.meter_fd = -1, .n_events = 1};
        snprintf(ret->note, sizeof(ret->note), "%s", why);
        e = ret->events = mem_new(1, sizeof(*ret->events));
        e->event = cpu_time();
        e->event.attr.sample_period_or_freq = asked->sample_period_or_freq;
        e->event.attr.flags = asked->flags & PERF_ATTR_FREQ;
        e->attr = linux_attr_make(&e->event, &own, true, &features);
        e->is_unwound = linux_attr_is_unwound(&own, &e->attr);
        ARRAY_PUSH(e->ids, e->n_ids, e->cap_ids, PACED_ID);
}
