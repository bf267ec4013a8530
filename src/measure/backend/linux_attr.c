/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets the part of an attribute that the user does not choose. */
#include <unistd.h>

#include "arch.h"
#include "linux_events.h"

#define SAMPLE_TYPE                                                                                          \
        (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |    \
         PERF_SAMPLE_PERIOD)

static bool is_dummy(const struct perf_attr *attr)
{
        return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

static uint64_t tracking_flags(const struct kernel_features *features, bool kernel)
{
        uint64_t flags = PERF_ATTR_MMAP | PERF_ATTR_COMM | PERF_ATTR_TASK;

        if (features->comm_exec_mmap2)
                flags |= PERF_ATTR_MMAP2 | PERF_ATTR_COMM_EXEC;
        if (features->namespaces)
                flags |= PERF_ATTR_NAMESPACES;
        if (features->ksymbol && kernel)
                flags |= PERF_ATTR_KSYMBOL;
        return flags;
}

enum call_graph_kind linux_attr_stacks(const struct collect_request *request,
                                       const struct kernel_features *features)
{
        enum call_graph_kind kind = features->stacks ? request->call_graph.kind : CALL_GRAPH_NONE;

        return kind == CALL_GRAPH_LBR && !features->calls ? CALL_GRAPH_UNWIND : kind;
}

/* Requests the registers and the part of the stack that are needed to walk the user's frames; the kernel
 * walks its own. */
static void add_copies(struct perf_attr *attr, const struct collect_request *request)
{
        const struct call_graph *graph = &request->call_graph;

        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->flags |= PERF_ATTR_EXCLUDE_CALLCHAIN_USER;
        attr->sample_regs_user = linux_arch()->regs_user_mask;
        attr->sample_stack_user = graph->stack_bytes ? graph->stack_bytes : CALL_GRAPH_UNWIND_BYTES;
}

static void add_stacks(struct perf_attr *attr, const struct collect_request *request,
                       const struct kernel_features *features)
{
        enum call_graph_kind kind = linux_attr_stacks(request, features);

        if (kind == CALL_GRAPH_NONE || is_dummy(attr))
                return;
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
        if (attr->flags & PERF_ATTR_EXCLUDE_KERNEL)
                attr->flags |= PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
        if (kind == CALL_GRAPH_UNWIND || kind == CALL_GRAPH_DWARF)
                add_copies(attr, request);
        if (kind == CALL_GRAPH_LBR) {
                attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
                attr->branch_sample_type = PERF_BRANCH_USER | PERF_BRANCH_CALL_STACK | PERF_BRANCH_NO_FLAGS |
                                           PERF_BRANCH_NO_CYCLES;
        }
}

/* Without mode bits, the kernel uses the modes that the event counts in. */
static void add_branches(struct perf_attr *attr, const struct collect_request *request)
{
        if (!request->branches || is_dummy(attr))
                return;
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_BRANCH_ANY;
}

bool linux_attr_is_unwound(const struct collect_request *request, const struct perf_attr *attr)
{
        return request->call_graph.kind != CALL_GRAPH_DWARF && attr->sample_type & PERF_SAMPLE_STACK_USER;
}

struct perf_attr linux_attr_written(const struct opened_event *event)
{
        struct perf_attr written = event->attr;

        written.flags |= event->left_out;
        if (!(event->event.attr.flags & PERF_ATTR_EXCLUDE_IDLE))
                written.flags &= ~PERF_ATTR_EXCLUDE_IDLE;
        if (written.flags & PERF_ATTR_MMAP2)
                written.flags |= PERF_ATTR_BUILD_ID;
        if (!event->is_unwound)
                return written;
        written.sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
        written.flags &= ~PERF_ATTR_EXCLUDE_CALLCHAIN_USER;
        written.sample_regs_user = 0;
        written.sample_stack_user = 0;
        return written;
}

/* Room for a quarter of a second of samples, so that the recorder may wait that long on a busy machine. */
size_t linux_attr_ring_bytes(const struct collect_request *request)
{
        enum { LEAST_BYTES = 512 << 10, MOST_BYTES = 32 << 20, ALL_BYTES = 512 << 20, OTHER_BYTES = 512 };
        enum { PERIOD_HZ = 1000, PARTS_PER_S = 4 };
        size_t n_cpus =
                request->target.n_cpus ? request->target.n_cpus : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
        size_t bytes = LEAST_BYTES;
        uint64_t hz = 0, wanted;

        if (request->ring_bytes)
                return request->ring_bytes;
        if (!request->call_graph.stack_bytes)
                return LEAST_BYTES;
        for (size_t i = 0; i < request->events->n_items; i++) {
                const struct perf_attr *attr = &request->events->items[i].attr;
                uint64_t own_hz = attr->flags & PERF_ATTR_FREQ ? attr->sample_period_or_freq : PERIOD_HZ;

                if (request->events->items[i].is_spe) /* its samples are in the trace */
                        continue;
                hz += own_hz < UINT32_MAX ? own_hz : UINT32_MAX;
        }
        wanted = hz * (request->call_graph.stack_bytes + OTHER_BYTES) / PARTS_PER_S;
        while (bytes < MOST_BYTES && bytes < wanted && 2 * bytes * n_cpus <= ALL_BYTES)
                bytes *= 2;
        return bytes;
}

static bool inherits(const struct collect_request *request, const struct kernel_features *features)
{
        return !request->target.system_wide && !features->every_cpu &&
               request->children != COLLECT_NO_CHILDREN && request->children != COLLECT_PER_THREAD;
}

bool linux_attr_is_clock(const struct perf_attr *attr)
{
        return attr->type == PERF_TYPE_SOFTWARE &&
               (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Clock events tick in all modes. All modes except idle are sampled, so that the command's time is known, and
 * samples in unwanted modes are dropped later. Other events are not changed: Arm's PMU refuses
 * exclude_idle. */
static void see_all_modes(struct perf_attr *attr)
{
        if (!linux_attr_is_clock(attr))
                return;
        attr->flags |= PERF_ATTR_EXCLUDE_IDLE;
        attr->flags &= ~(PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER);
}

bool linux_attr_has_data(const struct collect_request *request)
{
        for (size_t i = 0; i < request->events->n_items; i++) {
                if (request->events->items[i].is_spe || request->events->items[i].is_memory)
                        return true;
        }
        return false;
}

bool linux_attr_has_spe(const struct collect_request *request)
{
        for (size_t i = 0; i < request->events->n_items; i++) {
                if (request->events->items[i].is_spe)
                        return true;
        }
        return false;
}

/* The kernel ignores the period of events that it counts itself if a sample has to contain its period: then
 * each occurrence is a sample. So the attribute alone has the period. Clocks are timers. */
static bool ignores_period(const struct perf_attr *attr)
{
        return !(attr->flags & PERF_ATTR_FREQ) && !linux_attr_is_clock(attr) && !is_dummy(attr) &&
               (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT ||
                attr->type == PERF_TYPE_BREAKPOINT);
}

/* When the kernel wakes who waits for the ring: when half of it is used, or at each sample, after which the
 * sampled thread is read. */
static void set_wakeup(struct perf_attr *attr, const struct collect_request *request)
{
        if (request->engine == COLLECT_PEEK) {
                attr->wakeup = 1;
                return;
        }
        attr->flags |= PERF_ATTR_WATERMARK;
        attr->wakeup = (uint32_t)(linux_attr_ring_bytes(request) / 2);
}

struct perf_attr linux_attr_make(const struct event *event, const struct collect_request *request,
                                 bool tracks, const struct kernel_features *features)
{
        struct perf_attr attr = event->attr;

        attr.size = sizeof(attr);
        attr.sample_type = SAMPLE_TYPE;
        if (ignores_period(&attr))
                attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
        if (attr.type == PERF_TYPE_TRACEPOINT)
                attr.sample_type |= PERF_SAMPLE_RAW; /* the tracepoint's fields */
        if (event->is_memory)
                attr.sample_type |=
                        PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC |
                        (features->weight_struct ? PERF_SAMPLE_WEIGHT_STRUCT : PERF_SAMPLE_WEIGHT);
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        if (features->lost_count)
                attr.read_format |= PERF_FORMAT_LOST;
        /* The clock of jitdumps, which record when code was placed at an address. The counter that SPE
         * samples contain can only be converted to the kernel's own clock. */
        if (features->clock && !linux_attr_has_spe(request)) {
                attr.flags |= PERF_ATTR_USE_CLOCKID;
                attr.clockid = PERF_CLOCK_MONOTONIC;
        }
        attr.flags |= PERF_ATTR_DISABLED | PERF_ATTR_SAMPLE_ID_ALL;
        set_wakeup(&attr, request);
        if (inherits(request, features))
                attr.flags |= PERF_ATTR_INHERIT;
        if (request->target.argv && !request->target.system_wide && !features->every_cpu &&
            (tracks || !request->target.delay_ns))
                attr.flags |= PERF_ATTR_ENABLE_ON_EXEC;
        if (!event->is_spe) {
                add_stacks(&attr, request, features);
                add_branches(&attr, request);
        }
        if (tracks)
                attr.flags |= tracking_flags(features, !(attr.flags & PERF_ATTR_EXCLUDE_KERNEL));
        /* SPE samples do not contain a thread. */
        if (tracks && (linux_attr_has_spe(request) || request->wall))
                attr.flags |= PERF_ATTR_CONTEXT_SWITCH;
        if (tracks && linux_attr_has_data(request))
                attr.flags |= PERF_ATTR_MMAP_DATA;
        /* perf needs the map of a file's beginning, which is not executable, to find its unwind tables. */
        if (tracks && linux_attr_stacks(request, features) == CALL_GRAPH_DWARF)
                attr.flags |= PERF_ATTR_MMAP_DATA;
        if (features->every_cpu)
                see_all_modes(&attr);
        return attr;
}

struct event linux_attr_dummy(void)
{
        struct event event = {
                .name = "dummy:u",
                .attr =
                        {
                                .type = PERF_TYPE_SOFTWARE,
                                .config = PERF_COUNT_SW_DUMMY,
                                .sample_period_or_freq = 1,
                                .flags = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV,
                        },
        };

        return event;
}

bool linux_attr_needs_dummy(const struct collect_request *request)
{
        return request->target.delay_ns || request->target.control || linux_attr_has_spe(request) ||
               (request->events->n_items && request->events->items[0].cpus);
}
