/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the events: a descriptor for each event, thread and CPU. Drops parts of the attribute that the kernel
 * does not know, finds the highest precise level, and falls back to cpu-clock. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "err.h"
#include "linux_events.h"
#include "log.h"
#include "mem.h"
#include "os.h"

/* Call stacks are dropped last, and only if nobody asked for them. */
static bool drop_stacks(struct kernel_features *features, const struct collect_request *request)
{
        bool had = features->stacks && request->call_graph.if_can;

        features->stacks &= !request->call_graph.if_can;
        return had;
}

/* Drops one optional part of the attribute, until the kernel accepts it. Namespaces need privilege; older
 * kernels do not know the others. */
static bool drop_feature(struct kernel_features *features, const struct collect_request *request, int error)
{
        bool *const order[] = {&features->lost_count, &features->weight_struct, &features->ksymbol,
                               &features->namespaces, &features->clock,         &features->comm_exec_mmap2,
                               &features->calls};

        if (error == EACCES || error == EPERM) {
                bool had = features->namespaces;

                features->namespaces = false;
                return had;
        }
        if (error == EOPNOTSUPP) {
                bool had = features->calls;

                features->calls = false;
                return had || drop_stacks(features, request);
        }
        for (size_t i = 0; error == EINVAL && i < N_ELEMENTS(order); i++) {
                if (*order[i] && (order[i] != &features->clock || !features->keeps_clock)) {
                        *order[i] = false;
                        return true;
                }
        }
        return error == EINVAL && drop_stacks(features, request);
}

/* Opens an event without samples that all descendants of the command inherit, so that it has their time. -1
 * if it can't be opened. */
static int open_meter(const struct collect_request *request, int32_t tid)
{
        struct perf_attr attr = linux_attr_dummy().attr;

        attr.size = sizeof(attr);
        attr.sample_period_or_freq = 0;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        attr.flags |= PERF_ATTR_DISABLED | PERF_ATTR_INHERIT;
        if (!request->target.delay_ns)
                attr.flags |= PERF_ATTR_ENABLE_ON_EXEC;
        return linux_event_open(&attr, tid, -1, -1);
}

struct sampling_opener {
        const struct collect_request *request;
        struct refused_use use;
        const int32_t *tids; /* {-1} for all */
        size_t n_tids;
        const uint32_t *cpus;
        size_t n_cpus;
        bool at_exec;
        struct kernel_features features;
        struct opened *opened;
};

static bool can_be_precise(const struct perf_attr *attr)
{
        return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT;
}

static struct perf_attr make_attr(const struct sampling_opener *o, const struct event *event, bool tracks,
                                  unsigned precise)
{
        struct perf_attr attr = linux_attr_make(event, o->request, tracks, &o->features);

        if (event->precise_max && can_be_precise(&attr)) {
                attr.flags &= ~PERF_ATTR_PRECISE;
                attr.flags |= (uint64_t)precise << PERF_ATTR_PRECISE_SHIFT;
        }
        if (!o->at_exec)
                attr.flags &= ~PERF_ATTR_ENABLE_ON_EXEC;
        return attr;
}

/* The descriptor of the group's leader for the member's descriptor number `i`; -1 for an event that is in
 * no group. */
static int leader_fd(const struct sampling_opener *o, const struct event *event, size_t i)
{
        const struct opened_event *leader = event->is_member && o->opened->n_events > 1
                                                    ? &o->opened->events[o->opened->n_events - 2]
                                                    : NULL;

        return leader && i < leader->n_fds ? leader->fds[i].fd : -1;
}

/* Opens the event on the first thread and CPU to find the attribute that the kernel accepts. Returns 0 or an
 * errno. */
static int probe(struct sampling_opener *o, const struct event *event, bool tracks,
                 struct perf_attr *ret_attr)
{
        int32_t cpu = (int32_t)(event->cpus && !o->opened->per_thread ? event->cpus[0] : o->cpus[0]);
        const struct kernel_features all = o->features;
        bool precise = event->precise_max && can_be_precise(&event->attr);
        int error = 0;

        for (int level = precise ? 3 : 0; level >= 0; level--) {
                o->features = all;
                do {
                        int fd;

                        *ret_attr = make_attr(o, event, tracks, (unsigned)level);
                        fd = linux_event_open(ret_attr, o->tids[0], cpu, leader_fd(o, event, 0));
                        if (fd >= 0) {
                                close(fd);
                                return 0;
                        }
                        error = errno;
                        log_debug("'%s' precise %d: %s", event->name, level, strerror(error));
                } while (drop_feature(&o->features, o->request, error));
                if (error != EINVAL && error != EOPNOTSUPP && error != ENOENT)
                        break;
        }
        o->features = all;
        return error;
}

/* The index of the ring of a CPU or of a thread; adds it at its first descriptor. */
static uint32_t ring_of(struct opened *opened, int fd, uint32_t cpu)
{
        for (size_t i = 0; i < opened->n_rings; i++) {
                if (opened->ring_cpus[i] == cpu)
                        return (uint32_t)i;
        }
        opened->ring_fds[opened->n_rings] = fd;
        opened->ring_cpus[opened->n_rings] = cpu;
        return (uint32_t)opened->n_rings++;
}

static void add_descriptor(struct sampling_opener *o, struct opened_event *e, int fd, uint32_t cpu,
                           int32_t tid)
{
        struct opened_fd entry = {fd, ring_of(o->opened, fd, o->opened->per_thread ? (uint32_t)tid : cpu)};
        uint64_t id = 0;

        ioctl(fd, IOC_ID, &id);
        ARRAY_PUSH(e->ids, e->n_ids, e->cap_ids, id);
        ARRAY_PUSH(e->fds, e->n_fds, e->cap_fds, entry);
}

/* A CPU that went offline or a thread that ended is not an error if another one was opened. */
static bool may_be_skipped(const struct sampling_opener *o, int error)
{
        return (error == ENODEV && o->n_cpus > 1) || (error == ESRCH && o->n_tids > 1);
}

static bool open_everywhere(struct sampling_opener *o, struct opened_event *e, struct err *err)
{
        for (size_t c = 0; c < o->n_cpus; c++) {
                if (!o->opened->per_thread && !linux_event_serves(&e->event, o->cpus[c]))
                        continue;
                for (size_t t = 0; t < o->n_tids; t++) {
                        int fd = linux_event_open(&e->attr, o->tids[t], (int32_t)o->cpus[c],
                                                  leader_fd(o, &e->event, e->n_fds));

                        if (fd < 0 && may_be_skipped(o, errno))
                                continue;
                        if (fd < 0) {
                                linux_refusal(&o->use, &e->event, o->tids[t], errno, err);
                                return false;
                        }
                        add_descriptor(o, e, fd, o->cpus[c], o->tids[t]);
                }
        }
        if (!e->n_fds)
                return err_set(err, ERR_MISSING,
                               "can't open '%s': the threads have ended, or the CPUs are offline",
                               e->event.name);
        return true;
}

static struct opened_event *new_event(struct opened *opened, const struct event *event)
{
        struct opened_event *e = &opened->events[opened->n_events++];

        e->event = *event;
        /* The list of CPUs still belongs to the request. */
        return e;
}

/* cpu-clock, to replace an event that the machine does not have. */
static struct event clock_instead(const struct event *event)
{
        struct event clock = {.name = "cpu-clock"};
        const uint64_t kept =
                PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV | PERF_ATTR_EXCLUDE_USER;

        clock.attr.type = PERF_TYPE_SOFTWARE;
        clock.attr.config = PERF_COUNT_SW_CPU_CLOCK;
        clock.attr.sample_period_or_freq = event->attr.sample_period_or_freq;
        clock.attr.flags = event->attr.flags & kept;
        return clock;
}

static bool open_one(struct sampling_opener *o, const struct event *event, bool tracks, struct err *err)
{
        struct opened_event *e = new_event(o->opened, event);
        int error = probe(o, event, tracks, &e->attr);

        if (linux_refusal_is_missing_pmu(error) && event_by_number(event, &e->event))
                error = probe(o, &e->event, tracks, &e->attr);
        if (error && o->request->events_are_default && !o->request->branches &&
            linux_refusal_is_missing_pmu(error)) {
                snprintf(o->opened->note, sizeof(o->opened->note),
                         "the hardware counter '%s' can't be used (%s), so CPU time is sampled", event->name,
                         strerror(error));
                e->event = clock_instead(event);
                error = probe(o, &e->event, tracks, &e->attr);
        }
        if (error) {
                linux_refusal(&o->use, &e->event, o->tids[0], error, err);
                return false;
        }
        o->features.keeps_clock = true;
        e->is_unwound = linux_attr_is_unwound(o->request, &e->attr);
        e->left_out =
                e->event.attr.flags & (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER) & ~e->attr.flags;
        if (o->request->call_graph.kind == CALL_GRAPH_LBR && !o->features.calls)
                snprintf(
                        o->opened->stack_note, sizeof(o->opened->stack_note),
                        "the CPU's record of calls (lbr) can't be used with '%s', as in most virtual machines, so stacks are "
                        "unwound while recording, as with -g",
                        e->event.name);
        if (event->is_spe && o->request->call_graph.kind != CALL_GRAPH_NONE && !o->request->call_graph.if_can)
                snprintf(o->opened->stack_note, sizeof(o->opened->stack_note),
                         "samples of Arm SPE have no call stacks");
        return open_everywhere(o, e, err);
}

static bool open_all(struct sampling_opener *o, struct err *err)
{
        const struct event_list *events = o->request->events;
        bool dummy = linux_attr_needs_dummy(o->request);

        if (dummy) {
                struct event tracker = linux_attr_dummy();

                if (!open_one(o, &tracker, true, err))
                        return false;
                o->opened->first_asked = 1;
        }
        for (size_t i = 0; i < events->n_items; i++) {
                if (!open_one(o, &events->items[i], !dummy && !i, err))
                        return false;
                /* cpu-clock replaced the default event, so the same event on other PMUs is not needed. */
                if (o->opened->note[0])
                        break;
        }
        return true;
}

static const uint32_t any_cpu = UINT32_MAX; /* -1 to the kernel */

static void begin_opened(struct sampling_opener *o)
{
        size_t n_rings = o->n_cpus > o->n_tids ? o->n_cpus : o->n_tids;

        *o->opened = (struct opened){.meter_fd = -1,
                                     .every_cpu = o->features.every_cpu,
                                     .per_thread = o->request->children == COLLECT_PER_THREAD};
        o->opened->events = mem_new(o->request->events->n_items + 1, sizeof(*o->opened->events));
        o->opened->ring_fds = mem_new(n_rings, sizeof(*o->opened->ring_fds));
        o->opened->ring_cpus = mem_new(n_rings, sizeof(*o->opened->ring_cpus));
}

static bool count_name(void *ctx, const char *name)
{
        (void)name;
        ++*(size_t *)ctx;
        return true;
}

/* Opens the events on every CPU, for all processes. */
static bool open_on_every_cpu(struct sampling_opener *o, struct err *err)
{
        static const int32_t everybody = -1;
        struct sampling_opener all = *o;

        all.tids = &everybody;
        all.n_tids = 1;
        all.at_exec = false;
        all.features.every_cpu = true;
        begin_opened(&all);
        if (open_all(&all, err)) {
                if (o->request->target.argv)
                        o->opened->meter_fd = open_meter(o->request, o->tids[0]);
                return true;
        }
        opened_release(o->opened);
        return false;
}

/* Descriptors that may still be opened, without those that the recorder needs for other things. */
static size_t free_descriptors(void)
{
        enum { FOR_OTHERS = 32 };
        struct rlimit limit;
        size_t n_used = FOR_OTHERS;

        if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
                return SIZE_MAX;
        os_list_dir("/proc/self/fd", count_name, &n_used, NULL);
        return limit.rlim_cur > n_used ? (size_t)limit.rlim_cur - n_used : 0;
}

/* Of a process with more threads than descriptors allow, the first threads are sampled: better than none. */
static void leave_out_threads(struct sampling_opener *o)
{
        size_t n_each = (o->request->events->n_items + 1) * o->n_cpus, n_free = free_descriptors();

        if (o->n_tids * n_each <= n_free || n_free < n_each)
                return;
        snprintf(
                o->opened->children_note, sizeof(o->opened->children_note),
                "%zu of %zu threads are not sampled, because each needs %zu descriptors; raise the limit with "
                "'ulimit -n %zu'",
                o->n_tids - n_free / n_each, o->n_tids, n_each, 2 * o->n_tids * n_each);
        o->n_tids = n_free / n_each;
}

static bool open_of_tasks(struct sampling_opener *o, struct err *err)
{
        begin_opened(o);
        leave_out_threads(o);
        if (open_all(o, err))
                return true;
        opened_release(o->opened);
        return false;
}

/* Whether events on every CPU may be better than events of tasks: of a command they are, because its children
 * are short. Events of tasks need a descriptor for each thread and CPU, and cost time whenever a thread gets
 * a CPU; so processes with more threads than there are CPUs are better sampled without. */
static bool gains_by_all(const struct sampling_opener *o)
{
        const struct target *target = &o->request->target;

        if (target->system_wide)
                return false;
        return target->argv || (o->n_tids > o->n_cpus && linux_may_sample_all());
}

static bool open_somehow(struct sampling_opener *o, struct err *err)
{
        enum collect_children children = o->request->children;
        bool may_be_all = gains_by_all(o) && !linux_attr_has_spe(o->request) &&
                          (children == COLLECT_BEST || children == COLLECT_ALL_CHILDREN);
        struct err why = {0};

        if (may_be_all && open_on_every_cpu(o, &why))
                return true;
        if (!open_of_tasks(o, err))
                return false;
        if (may_be_all && (children == COLLECT_ALL_CHILDREN || linux_may_sample_all()))
                snprintf(
                        o->opened->children_note, sizeof(o->opened->children_note),
                        "the events can't be opened on every CPU, so each process is sampled separately, and short-lived ones "
                        "have few samples: %.200s",
                        why.text);
        return true;
}

bool linux_open(const struct collect_request *request, const int32_t *tids, size_t n_tids, bool at_exec,
                struct opened *ret, struct err *err)
{
        struct sampling_opener o = {
                .request = request,
                .use = {.verb = "sample",
                        .doing = "sampling",
                        .all = request->target.system_wide,
                        .branches = request->branches},
                .tids = tids,
                .n_tids = n_tids,
                .at_exec = at_exec,
                .features = ALL_KERNEL_FEATURES,
                .opened = ret,
        };
        uint32_t *cpus = machine_cpus(request->target.cpus, request->target.n_cpus, true, &o.n_cpus, err);
        bool ok;

        *ret = (struct opened){.meter_fd = -1};
        if (!cpus)
                return false;
        machine_raise_file_limit();
        o.cpus = cpus;
        if (request->children == COLLECT_PER_THREAD) {
                o.cpus = &any_cpu;
                o.n_cpus = 1;
        }
        ok = open_somehow(&o, err);
        free(cpus);
        return ok;
}

static bool join_event(const struct opened *opened, const struct opened_event *e, struct err *err)
{
        for (size_t i = 0; i < e->n_fds; i++) {
                int leader = opened->ring_fds[e->fds[i].ring];

                if (leader != e->fds[i].fd && ioctl(e->fds[i].fd, IOC_SET_OUTPUT, leader))
                        return err_os(err, ERR_IO, errno,
                                      "can't join the event '%s' to the buffer of CPU %" PRIu32,
                                      e->event.name, opened->ring_cpus[e->fds[i].ring]);
        }
        return true;
}

bool opened_join(const struct opened *opened, struct err *err)
{
        for (size_t i = 0; i < opened->n_events; i++) {
                if (!join_event(opened, &opened->events[i], err))
                        return false;
        }
        return true;
}

void opened_list_ids(const struct opened *opened, struct map *ret_ids)
{
        for (size_t i = 0; i < opened->n_events; i++) {
                for (size_t k = 0; k < opened->events[i].n_ids; k++)
                        *map_put(ret_ids, opened->events[i].ids[k], NULL) = i;
        }
}

const struct opened_event *opened_find(const struct opened *opened, const struct map *ids, uint64_t id)
{
        const uint64_t *index = map_find(ids, id);

        return index ? &opened->events[*index] : NULL;
}

void opened_release(struct opened *opened)
{
        for (size_t i = 0; i < opened->n_events; i++) {
                struct opened_event *e = &opened->events[i];

                for (size_t k = 0; k < e->n_fds; k++)
                        close(e->fds[k].fd);
                free(e->fds);
                free(e->ids);
        }
        free(opened->events);
        free(opened->ring_fds);
        free(opened->ring_cpus);
        if (opened->meter_fd >= 0)
                close(opened->meter_fd);
        *opened = (struct opened){.meter_fd = -1};
}

static void control_meter(const struct opened *opened, unsigned long request)
{
        if (opened->meter_fd >= 0)
                ioctl(opened->meter_fd, request, 0);
}

static void control_event(const struct opened_event *e, unsigned long request)
{
        for (size_t i = 0; i < e->n_fds; i++)
                ioctl(e->fds[i].fd, request, 0);
}

void opened_control(const struct opened *opened, bool enable)
{
        for (size_t i = 0; i < opened->n_events; i++)
                control_event(&opened->events[i], enable ? IOC_ENABLE : IOC_DISABLE);
}

void opened_enable_tracking(const struct opened *opened)
{
        control_event(&opened->events[0], IOC_ENABLE);
}

static bool is_named(const char *name, const char *asked)
{
        size_t len = strlen(asked);

        return !strncmp(name, asked, len) && (!name[len] || name[len] == ':');
}

bool opened_switch(struct opened *opened, const char *name, bool on)
{
        bool found = false;

        opened->is_on = false;
        for (size_t i = opened->first_asked; i < opened->n_events; i++) {
                struct opened_event *e = &opened->events[i];

                if (!name || is_named(e->event.name, name)) {
                        control_event(e, on ? IOC_ENABLE : IOC_DISABLE);
                        if (i == opened->first_asked)
                                control_meter(opened, on ? IOC_ENABLE : IOC_DISABLE);
                        e->is_on = on;
                        found = true;
                }
                opened->is_on |= e->is_on;
        }
        return found;
}
