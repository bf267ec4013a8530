/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions to the kernel that do not count for a target: the number of counters, and the attributes of a
 * request. */
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "linux_count.h"
#include "os.h"
#include "text_number.h"

enum {
        MAX_COUNTERS = 32, /* more than any architecture has */
        ARM_SW_INCR = 0x00,
        ARM_CPU_CYCLES = 0x11,
        SPIN_NS = 200000
};

/* The leader counts cycles and uses the cycle counter if there is one. The other events must not have a
 * counter of their own: software increment on Arm, which every PMUv3 has (instructions have their own counter
 * since PMUv3p9), branches elsewhere. */
static struct perf_attr probe_attr(const struct core_kind *kind, bool leads)
{
        struct perf_attr attr = {
                .size = sizeof(attr),
                .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                .flags = PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV,
        };

        if (leads)
                attr.flags |= PERF_ATTR_DISABLED;
        if (kind->vendor == CORE_ARM) {
                attr.type = kind->type;
                attr.config = leads ? ARM_CPU_CYCLES : ARM_SW_INCR;
        } else {
                attr.type = PERF_TYPE_HARDWARE;
                attr.config = leads ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
                if (kind->cpus) /* one of several kinds */
                        attr.config |= (uint64_t)kind->type << 32;
        }
        return attr;
}

static bool has_run(int leader)
{
        struct {
                uint64_t value, enabled, running;
        } reading = {0};
        uint64_t begin_ns = os_monotonic_ns();

        ioctl(leader, IOC_ENABLE, 0);
        while (os_monotonic_ns() - begin_ns < SPIN_NS)
                ;
        ioctl(leader, IOC_DISABLE, 0);
        return read(leader, &reading, sizeof(reading)) == sizeof(reading) && reading.running && reading.value;
}

/* The group grows until the kernel refuses an event. A counter may still be in use, for example by a
 * watchdog, so the group shrinks until it runs. */
static unsigned largest_group(const struct core_kind *kind)
{
        struct perf_attr leads = probe_attr(kind, true), follows = probe_attr(kind, false);
        int fds[MAX_COUNTERS + 1];
        unsigned n = 0;

        fds[0] = linux_event_open(&leads, 0, -1, -1);
        if (fds[0] < 0)
                return 0;
        while (n < MAX_COUNTERS && (fds[n + 1] = linux_event_open(&follows, 0, -1, fds[0])) >= 0)
                n++;
        while (n && !has_run(fds[0]))
                close(fds[n--]);
        for (unsigned i = 0; i <= n; i++)
                close(fds[i]);
        /* No hardware has this many counters, so the result is not real. */
        return n < MAX_COUNTERS ? n : 0;
}

unsigned counting_probe_counters(const struct core_kind *kind)
{
        cpu_set_t before, own;
        unsigned n;

        if (!kind->cpus)
                return largest_group(kind);
        CPU_ZERO(&own);
        for (size_t i = 0; i < kind->n_cpus; i++) {
                if (kind->cpus[i] < CPU_SETSIZE)
                        CPU_SET(kind->cpus[i], &own);
        }
        if (sched_getaffinity(0, sizeof(before), &before) || sched_setaffinity(0, sizeof(own), &own))
                return 0;
        n = largest_group(kind);
        sched_setaffinity(0, sizeof(before), &before);
        return n;
}

/* --- the plan --- */

static void describe_scope(const struct count_request *request, const struct event *event, struct buf *out)
{
        bool all = event->uncore || count_request_is_system_wide(request);
        bool everywhere = event->uncore || (!request->target.n_cpus && !all);

        buf_add_str(out, all                    ? "threads all\n"
                         : request->target.argv ? "threads of the command\n"
                                                : "threads of ");
        for (size_t i = 0; !all && !request->target.argv && i < request->target.n_pids; i++)
                buf_printf(out, "%s%" PRId32, i ? "," : "process ", request->target.pids[i]);
        if (!all && !request->target.argv)
                buf_add_str(out, "\n");
        if (everywhere && !event->uncore)
                return;
        buf_add_str(out, "cpus each of ");
        if (event->uncore)
                text_add_cpu_list(out, event->cpus, event->n_cpus);
        else if (request->target.n_cpus)
                text_add_cpu_list(out, request->target.cpus, request->target.n_cpus);
        else
                buf_add_str(out, "those online");
        if (event->cpus && !event->uncore) {
                buf_add_str(out, " that its PMU serves: ");
                text_add_cpu_list(out, event->cpus, event->n_cpus);
        } else if (event->uncore && !event->cpus) {
                buf_add_str(out, "0");
        }
        buf_add_str(out, "\n");
}

/* The index of the event that leads the group of `index`; `index` itself if it is not in a group. */
static size_t leader_of(const struct count_request *request, size_t index)
{
        uint32_t group = counted_group(request, index);

        for (size_t i = 0; i < index && group; i++) {
                if (counted_group(request, i) == group)
                        return i;
        }
        return index;
}

void counting_describe(const struct count_request *request, struct buf *out)
{
        for (size_t i = 0; i < request->list->n_items; i++) {
                const struct event *event = &request->list->items[i].event;
                size_t leader = leader_of(request, i);
                struct perf_attr attr = counted_attr(request, event, leader == i);

                buf_printf(out, "event %s\n", event->name);
                if (request->list->items[i].refused) {
                        buf_printf(out, "not counted: %s\n\n", request->list->items[i].refused);
                        continue;
                }
                if (leader != i)
                        buf_printf(out, "group with %s\n", request->list->items[leader].event.name);
                describe_scope(request, event, out);
                event_describe_attr(&attr, out);
                buf_add_str(out, "\n");
        }
}
