/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what every event of a session has besides what the user asked for. */
#include "linux_internal.h"

#define SAMPLE_TYPE                                                                                          \
        (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |    \
         PERF_SAMPLE_PERIOD)

static uint64_t tracking_flags(const struct kernel_features *features, bool kernel)
{
        uint64_t flags = PERF_ATTR_MMAP | PERF_ATTR_COMM | PERF_ATTR_TASK;

        if (features->comm_exec_mmap2)
                flags |= PERF_ATTR_MMAP2 | PERF_ATTR_COMM_EXEC;
        if (features->namespaces)
                flags |= PERF_ATTR_NAMESPACES;
        if (features->build_id)
                flags |= PERF_ATTR_BUILD_ID;
        if (features->ksymbol && kernel)
                flags |= PERF_ATTR_KSYMBOL;
        return flags;
}

struct perf_attr linux_attr_make(const struct event *event, const struct collect_request *request,
                                 bool tracks, const struct kernel_features *features)
{
        struct perf_attr attr = event->attr;
        size_t ring_bytes = request->ring_bytes ? request->ring_bytes : 512 * 1024;

        attr.size = sizeof(attr);
        attr.sample_type = SAMPLE_TYPE;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
        if (features->lost_count)
                attr.read_format |= PERF_FORMAT_LOST;
        attr.flags |= PERF_ATTR_DISABLED | PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_WATERMARK;
        attr.wakeup = (uint32_t)(ring_bytes / 2);
        if (!request->system_wide)
                attr.flags |= PERF_ATTR_INHERIT;
        if (request->argv && !request->system_wide && (tracks || !request->delay_ns))
                attr.flags |= PERF_ATTR_ENABLE_ON_EXEC;
        if (tracks)
                attr.flags |= tracking_flags(features, !(attr.flags & PERF_ATTR_EXCLUDE_KERNEL));
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
        return request->delay_ns || (request->events->n_items && request->events->items[0].cpus);
}
