/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling with perf_event_open: finds the targets, starts and stops the events, and moves the content of the
 * rings. Every pass over the rings ends with FINISHED_ROUND, so that a reader can sort records by time. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_collector_internal.h"
#include "linux_locked.h"
#include "linux_mounts.h"
#include "mem.h"
#include "os.h"
#include "stop_merge.h"

enum {
        LONGEST_WAIT_MS = 100,
        SHORTEST_WAIT_MS = 5, /* with rings that are as small as they can be */
        NS_PER_S = 1000000000,
        MOST_WAITING_BYTES = 256 << 20, /* records that wait for the unwinder, at most */
        PART_OF_MEMORY = 8,             /* and at most this part of the memory */
        LEAST_STACKS = 4,               /* copies that a ring must have room for */
};

static bool find_threads(struct collector *c, int32_t **ret_tids, size_t *ret_n, struct err *err)
{
        linux_mounts_watch_target(&c->request.target);
        locked_ask_target(&c->request.target);
        if (c->request.target.n_pids)
                return watched_attach(&c->watched, &c->request.target, ret_tids, ret_n, err);
        *ret_tids = mem_new(1, sizeof(**ret_tids));
        **ret_tids = c->request.target.system_wide ? linux_event_everybody(&c->request.target) : c->child.pid;
        *ret_n = 1;
        return true;
}

static void close_rings(struct collector *c)
{
        for (size_t i = 0; c->rings && i < c->opened.n_rings; i++)
                ring_close(&c->rings[i]);
        free(c->rings);
        c->rings = NULL;
}

/* The kernel wakes the recorder when half of a ring of the full size is used; smaller rings are read more
 * often. *ret_bytes: the size of each. */
static bool open_rings(struct collector *c, size_t *ret_bytes, struct err *err)
{
        size_t wanted = linux_attr_ring_bytes(&c->request), bytes = wanted;

        c->rings = mem_new(c->opened.n_rings, sizeof(*c->rings));
        if (!rings_open(c->rings, c->opened.ring_fds, c->opened.n_rings, &bytes, err))
                return false;
        c->longest_wait_ms = bytes < wanted ? (int)(LONGEST_WAIT_MS * bytes / wanted) : LONGEST_WAIT_MS;
        if (c->longest_wait_ms < SHORTEST_WAIT_MS)
                c->longest_wait_ms = SHORTEST_WAIT_MS;
        *ret_bytes = bytes;
        return true;
}

/* Where the memory that may be locked is little, rings have room for a few copies of a stack, and most
 * samples would be lost: samples without stacks are better, if nobody asked for stacks. */
static bool open_events_and_rings(struct collector *c, const int32_t *tids, size_t n_tids, struct err *err)
{
        bool at_exec = c->request.target.argv && !c->request.target.system_wide;
        const struct call_graph *graph = &c->request.call_graph;
        size_t bytes;

        if (!linux_open(&c->request, tids, n_tids, at_exec, &c->opened, err) || !open_rings(c, &bytes, err))
                return false;
        if (graph->kind != CALL_GRAPH_UNWIND || !graph->if_can || c->request.ring_bytes ||
            bytes >= LEAST_STACKS * graph->stack_bytes)
                return true;
        close_rings(c);
        opened_release(&c->opened);
        c->request.call_graph = (struct call_graph){.if_can = true};
        if (!linux_open(&c->request, tids, n_tids, at_exec, &c->opened, err) || !open_rings(c, &bytes, err))
                return false;
        snprintf(
                c->opened.stack_note, sizeof(c->opened.stack_note),
                "no call stacks: only %zu KB of memory may be locked for each sample buffer; raise the limit with "
                "'ulimit -l unlimited' or 'sysctl kernel.perf_event_mlock_kb=4096'",
                bytes >> 10);
        return true;
}

static bool open_aux(struct collector *c, struct err *err)
{
        if (!linux_attr_has_spe(&c->request))
                return true;
        c->aux = auxtrace_open(&c->opened, c->rings, err);
        return c->aux;
}

static bool open_paced(struct collector *c, struct err *err)
{
        int32_t *tids = NULL;
        size_t n_tids = 0;
        bool ok = find_threads(c, &tids, &n_tids, err);

        free(tids);
        if (!ok)
                return false;
        linux_open_paced(&c->request,
                         c->refusal.code ? c->refusal.text : "CPU time is sampled, as --engine pace does",
                         &c->opened);
        c->longest_wait_ms = LONGEST_WAIT_MS;
        wall_add_event(c);
        if (c->opened.events[0].is_unwound)
                c->unwinder = unwinder_new(&c->opened, &c->keeper);
        return true;
}

static bool open_events(struct collector *c, struct err *err)
{
        int32_t *tids = NULL;
        size_t n_tids = 0;
        bool ok;

        if (c->request.engine == COLLECT_PACE)
                return open_paced(c, err);
        ok = find_threads(c, &tids, &n_tids, err) && open_events_and_rings(c, tids, n_tids, err) &&
             opened_join(&c->opened, err) && open_aux(c, err);

        free(tids);
        if (ok)
                wall_add_event(c);
        for (size_t i = 0; ok && !c->unwinder && i < c->opened.n_events; i++) {
                if (c->opened.events[i].is_unwound)
                        c->unwinder = unwinder_new(&c->opened, &c->keeper);
        }
        return ok;
}

/* Uses the first requested event to measure sampled_share. */
static void begin_sampled(struct collector *c)
{
        const struct opened_event *e = &c->opened.events[c->opened.first_asked];
        const struct perf_attr *attr = &e->attr;
        uint64_t interval = attr->sample_period_or_freq;

        c->sampled = (struct sampled){
                .is_clock = linux_attr_is_clock(attr),
                .every_cpu = c->opened.every_cpu,
                .has_periods = attr->sample_type & PERF_SAMPLE_PERIOD,
                .left_out = (attr->flags | e->left_out) & (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER),
                .period_ns = attr->flags & PERF_ATTR_FREQ && interval ? NS_PER_S / interval : interval,
        };
        for (size_t i = 0; i < e->n_ids; i++)
                *map_put(&c->sampled_ids, e->ids[i], NULL) = 1;
}

/* Without this, glibc keeps the memory of large buffers that were freed. */
static void give_memory_back(void)
{
#ifdef __GLIBC__
        enum { OWN_MAP_BYTES = 1 << 20 };

        mallopt(M_MMAP_THRESHOLD, OWN_MAP_BYTES);
#endif
}

/* Starts the command so far that it waits. */
static bool start_command(struct collector *c, struct buf *note, struct err *err)
{
        const struct target *target = &c->request.target;
        const struct spawned_command command = {target_command_argv(target), target->cpus,
                                                target->argv ? target->n_cpus : 0, target->output_to_stderr,
                                                target->output};
        struct spawn_parent parent;

        if (!engines_prepare(c, note, err))
                return false;
        if (!command.argv)
                return true;
        if (!c->guardian || engines_attach(&c->request))
                return spawn_prepare(&c->child, &command, NULL, err);
        parent = stop_engine_parent(c->guardian);
        return spawn_prepare(&c->child, &command, &parent, err);
}

/* At 100,000 samples a second the copies of stacks left a program of 0.04 s so little time that it took a
 * minute. */
static void leave_stacks_out(struct collector *c, struct buf *note)
{
        uint64_t hz = 0;

        for (size_t i = 0; i < c->request.events->n_items; i++) {
                const struct perf_attr *attr = &c->request.events->items[i].attr;

                if (attr->flags & PERF_ATTR_FREQ && attr->sample_period_or_freq > hz)
                        hz = attr->sample_period_or_freq;
        }
        if (hz <= COLLECT_MOST_STACKS_HZ || c->request.call_graph.kind == CALL_GRAPH_NONE ||
            !c->request.call_graph.if_can || c->request.engine != COLLECT_BEST_ENGINE)
                return;
        c->request.call_graph = (struct call_graph){.if_can = true};
        c->request.engine = COLLECT_RING;
        buf_printf(
                note,
                "no call stacks above %d samples a second, because copying them slows the program down too "
                "much; use -F %d, or -g to record them",
                COLLECT_MOST_STACKS_HZ, COLLECT_MOST_STACKS_HZ);
}

struct collector *collector_open(const struct collect_request *request, struct err *err)
{
        AUTO_RELEASE(buf) engine_note = {0};
        AUTO(collector) c = mem_new(1, sizeof(*c));
        struct os_stat proc;

        if (!os_stat("/proc/self", &proc)) {
                err_set(err, ERR_MISSING,
                        "/proc is not mounted here, without which samples have no names: mount -t proc proc /proc");
                return NULL;
        }
        give_memory_back();
        c->request = *request;
        c->child = (struct child){.go_fd = -1, .error_fd = -1, .pid_fd = -1};
        c->opened.meter_fd = -1;
        c->result.counted_share = 1;
        c->result.sampled_share = -1;
        keeper_init(&c->keeper);
        leave_stacks_out(c, &engine_note);
        if (!wall_check(request, err) || !engines_choose_pace(c, err) || !start_command(c, &engine_note, err))
                return NULL;
        engines_choose_peek(c, &engine_note);
        if (!open_events(c, err))
                return NULL;
        begin_sampled(c);
        buf_printf(&c->stack_note, "%s%s%s", c->opened.stack_note,
                   c->opened.stack_note[0] && engine_note.len ? "; " : "", buf_text(&engine_note));
        if (!engines_open(c, err))
                return NULL;
        wall_open(c);
        return TAKE(c);
}

void collector_free(struct collector *c)
{
        if (!c)
                return;
        if (c->guardian)
                stop_engine_end(c->guardian, &c->child);
        drainer_free(c->drainer);
        spawn_release(&c->child);
        stop_engine_free(c->guardian);
        bpf_engine_free(c->bpf);
        peek_engine_free(c->peek);
        wall_release(c);
        stop_merge_free(c->merge);
        stop_python_free(c->python);
        buf_release(&c->stack_note);
        buf_release(&c->python_note);
        watched_release(&c->watched);
        auxtrace_free(c->aux);
        close_rings(c);
        unwinder_free(c->unwinder);
        children_free(c->children);
        others_free(c->others);
        denied_release(&c->denied);
        map_release(&c->sampled_ids);
        opened_release(&c->opened);
        keeper_release(&c->keeper);
        record_rounds_release(&c->rounds);
        free(c);
}

size_t collector_n_events(const struct collector *c)
{
        return c->opened.n_events;
}

struct collect_event collector_get_event(const struct collector *c, size_t index)
{
        const struct opened_event *e = &c->opened.events[index];

        assert(index < c->opened.n_events);
        return (struct collect_event){linux_attr_written(e), e->event.name, e->ids, e->n_ids};
}

/* --- the beginning --- */

static size_t trailer_bytes(const struct collector *c)
{
        uint64_t type = c->opened.events[0].attr.sample_type;

        return 8 * (size_t)__builtin_popcountll(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                                        PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                                        PERF_SAMPLE_IDENTIFIER));
}

/* -1: all. */
static int32_t first_tid(const struct collector *c)
{
        if (c->request.target.system_wide)
                return -1;
        return c->watched.n ? c->watched.items[0].pid : c->child.pid;
}

static bool put_synthetic(struct collector *c, struct err *err)
{
        struct synth synth = {
                .trailer_bytes = trailer_bytes(c),
                .data_maps = c->opened.events[0].attr.flags & PERF_ATTR_MMAP_DATA,
        };
        bool kernel = false, ok;

        for (size_t i = 0; i < c->opened.n_events; i++)
                kernel |= !(linux_attr_written(&c->opened.events[i]).flags & PERF_ATTR_EXCLUDE_KERNEL);
        if (kernel)
                proc_synth_kernel(&synth);
        if (c->request.target.system_wide)
                proc_synth_all(&synth);
        for (size_t i = 0; i < c->watched.n; i++)
                proc_synth_process(&synth, c->watched.items[i].pid);
        ok = record_rounds_put_now(c, &synth.out, false, err);
        proc_synth_release(&synth);
        return ok;
}

/* --- CPU time --- */

/* Called when the events were enabled or disabled. */
static void note_cpu_time(struct collector *c, bool on)
{
        static const struct child none;
        struct collect_result *r = &c->result;
        uint64_t user_ns, kernel_ns;

        if (!c->request.target.cgroup)
                watched_cpu_time(&c->watched, c->request.target.argv ? &c->child : &none,
                                 c->request.target.system_wide, &user_ns, &kernel_ns);
        else if (!cgroup_cpu_time(c->request.target.cgroup_fd, &user_ns, &kernel_ns))
                user_ns = kernel_ns = 0;
        if (on) {
                c->user_ns_before = user_ns;
                c->kernel_ns_before = kernel_ns;
                return;
        }
        if (user_ns > c->user_ns_before)
                r->user_ns += user_ns - c->user_ns_before;
        if (kernel_ns > c->kernel_ns_before)
                r->kernel_ns += kernel_ns - c->kernel_ns_before;
}

static void see_switch(void *ctx, bool on)
{
        struct collector *c = ctx;

        note_cpu_time(c, on);
        if (c->stops)
                stop_engine_switch(c->stops, on);
}

static void switch_events(struct collector *c)
{
        enabling_run(&c->enabling);
        c->result.stop_asked = c->enabling.stop_asked;
}

/* AUX data must be taken soon after the ring's records about it, so with AUX areas the thread that takes it
 * reads the rings, too. */
static void start_drainer(struct collector *c)
{
        uint64_t most = os_memory_bytes() / PART_OF_MEMORY;

        c->drainer = drainer_new(&(struct drainer_request){
                .rings = c->rings,
                .n_rings = c->opened.n_rings,
                .opened = &c->opened,
                .others = c->others,
                .stops = c->stops,
                .bpf = c->bpf,
                .peek = c->peek,
                .waits = c->waits,
                .max_bytes = most < MOST_WAITING_BYTES ? (size_t)most : MOST_WAITING_BYTES,
                .longest_wait_ms = c->longest_wait_ms,
        });
        if (!c->aux)
                drainer_start(c->drainer);
}

bool collector_begin(struct collector *c, const struct record_sink *sink, struct err *err)
{
        const struct target *target = &c->request.target;
        uint64_t begin_ns = os_monotonic_ns();

        assert(!c->begun && sink->put);
        c->sink = *sink;
        c->begun = true;
        c->own_ns_before = linux_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        /* Enable before reading /proc: a map made in between is then recorded twice, but none is missed. */
        if (!target->argv || target->system_wide || c->opened.every_cpu) {
                if (target->delay_ns)
                        opened_enable_tracking(&c->opened);
                else
                        opened_control(&c->opened, true);
        }
        if (c->opened.every_cpu) {
                const int32_t *pids = target->n_pids ? target->pids : &c->child.pid;
                size_t n_pids = target->n_pids ? target->n_pids : 1;

                c->children = target->n_pids ? children_new_of(&c->opened, pids, n_pids)
                                             : children_new(&c->opened, c->child.pid);
                c->others = others_new(&c->opened, pids, n_pids);
        }
        wall_begin(c);
        if (c->peek && !peek_engine_start(c->peek, err))
                return false;
        start_drainer(c);
        note_cpu_time(c, true);
        if (c->stops && !stop_engine_attach(c->stops, err))
                return false;
        if (c->child.pid && !spawn_go(&c->child, *target_command_argv(target), err))
                return false;
        c->enabling.on_switch = see_switch;
        c->enabling.ctx = c;
        enabling_begin(&c->enabling, &c->opened, &c->request, begin_ns);
        return (!c->aux || auxtrace_begin(c->aux, first_tid(c), &c->sink, err)) && put_synthetic(c, err);
}

/* --- waiting --- */

bool collector_command_runs(struct collector *c)
{
        if (!c->child.pid)
                return false;
        return !spawn_reap(&c->child, false);
}

static bool targets_run(struct collector *c)
{
        if (c->child.pid)
                return collector_command_runs(c);
        return c->request.target.system_wide || watched_run(&c->watched);
}

static void wait_for_news(struct collector *c, int timeout_ms)
{
        size_t max = c->opened.n_rings + 1 + c->watched.n + 2, n = 0;
        struct pollfd *fds = mem_new(max, sizeof(*fds));

        n = drainer_add_fds(c->drainer, fds);
        if (c->child.pid_fd >= 0 && !c->child.ended)
                fds[n++] = (struct pollfd){.fd = c->child.pid_fd, .events = POLLIN};
        for (size_t i = 0; i < c->watched.n; i++) {
                if (!c->watched.items[i].ended && c->watched.items[i].pid_fd >= 0)
                        fds[n++] = (struct pollfd){.fd = c->watched.items[i].pid_fd, .events = POLLIN};
        }
        if (enabling_fd(&c->enabling) >= 0)
                fds[n++] = (struct pollfd){.fd = enabling_fd(&c->enabling), .events = POLLIN};
        timeout_ms = enabling_wait_ms(&c->enabling, drainer_wait_ms(c->drainer, timeout_ms));
        while (poll(fds, n, timeout_ms) > 0 && !drainer_see_fds(fds, n))
                ;
        free(fds);
}

int collector_poll(struct collector *c, int timeout_ms, struct err *err)
{
        bool run;

        assert(c->begun && !c->ended);
        if (!record_rounds_wait(c))
                wait_for_news(c, timeout_ms);
        switch_events(c);
        run = targets_run(c);
        if (!record_rounds_move(c, err))
                return -1;
        return run;
}

void collector_stop_command(struct collector *c, bool force)
{
        spawn_kill(&c->child, force ? SIGKILL : SIGTERM);
}

/* --- the end --- */

struct read_values {
        uint64_t value, enabled, running, id, lost;
};

/* An event of a task is open on every CPU: the enabled time is counted once for each CPU, the running time
 * only where the task runs. With CPUs of different kinds the share can't be computed from them. */
static void note_share(struct collector *c, const struct opened_event *e, uint64_t enabled, uint64_t running)
{
        double share;

        if (!enabled || e->event.cpus)
                return;
        share = (double)running / (double)enabled;
        if (!c->request.target.system_wide && !c->opened.every_cpu && !c->opened.per_thread)
                share *= (double)c->opened.n_rings;
        if (share < c->result.counted_share)
                c->result.counted_share = share;
}

static uint64_t read_losses(struct collector *c, struct opened_event *e)
{
        bool has_lost = e->attr.read_format & PERF_FORMAT_LOST;
        uint64_t enabled = 0, running = 0, lost = 0;

        for (size_t i = 0; i < e->n_fds; i++) {
                struct read_values v = {0};

                if (read(e->fds[i].fd, &v, has_lost ? sizeof(v) : sizeof(v) - 8) <= 0)
                        continue;
                enabled += v.enabled;
                running += v.running;
                lost += v.lost;
                if (e == &c->opened.events[c->opened.first_asked]) {
                        c->sampled.value += v.value;
                        c->sampled.running_ns += v.running;
                }
        }
        note_share(c, e, enabled, running);
        return lost;
}

static void add_lost_samples(const struct collector *c, const struct opened_event *e, uint64_t lost,
                             struct buf *out)
{
        struct perf_header header = {.type = PERF_RECORD_LOST_SAMPLES};
        size_t bytes = trailer_bytes(c);

        header.size = (uint16_t)(sizeof(header) + 8 + bytes);
        buf_add(out, &header, sizeof(header));
        buf_add_u64(out, lost);
        buf_add_zeros(out, bytes - 8);
        buf_add_u64(out, e->n_ids ? e->ids[0] : 0);
}

/* LOST records do not count what was lost after the last record that was written; the kernel's count does. */
static bool put_losses(struct collector *c, struct err *err)
{
        AUTO_RELEASE(buf) records = {0};
        uint64_t total = 0;

        for (size_t i = 0; i < c->opened.n_events; i++) {
                uint64_t lost = read_losses(c, &c->opened.events[i]);

                bool has_stops = c->stops && i == c->opened.first_asked;
                struct stop_counts stops = {0};

                if (has_stops)
                        stops = stop_engine_counts(c->stops);
                c->result.lost_is_estimate |= c->children && lost;
                if (c->children)
                        lost = children_own_losses(c->children, others_n_seen(c->others), stops.n_stops,
                                                   lost);
                else if (has_stops)
                        lost = stop_engine_own_losses(c->stops, lost);
                lost += stops.n_lost;
                if (lost)
                        add_lost_samples(c, &c->opened.events[i], lost, &records);
                total += lost;
        }
        c->result.n_lost = total > c->n_lost_records ? total : c->n_lost_records;
        return record_rounds_put_now(c, &records, true, err);
}

/* The kernel divides the time of a process by the modes that its clock ticks found. A process that no tick
 * found is counted as user time, even if it only mapped its libraries. */
static bool is_split_unknown(const struct collector *c)
{
        enum { LONGEST_TICK_NS = 10000000, LARGE_PART = 5 };
        const struct collect_result *r = &c->result;

        return c->n_forks * LONGEST_TICK_NS > (r->user_ns + r->kernel_ns) / LARGE_PART;
}

/* Computes the sampled share of the targets' time and, if possible, a better value of the part in the
 * kernel. */
static void note_sampled(struct collector *c)
{
        struct collect_result *r = &c->result;
        struct sampled *s = &c->sampled;
        struct read_values meter = {0};
        double all;

        if (c->request.target.system_wide)
                return;
        s->user_ns = r->user_ns;
        s->kernel_ns = r->kernel_ns;
        if (c->opened.every_cpu) {
                if (c->opened.meter_fd >= 0 &&
                    read(c->opened.meter_fd, &meter, offsetof(struct read_values, id)) <= 0)
                        return;
                s->running_ns = c->opened.meter_fd >= 0 ? meter.running : r->user_ns + r->kernel_ns;
                s->left_out_periods = children_left_out(c->children);
        }
        r->sampled_share = sampled_share(s);
        r->split_is_unknown = is_split_unknown(c);
        all = (double)(s->periods + s->left_out_periods);
        if (!s->every_cpu || !s->is_clock || s->left_out != PERF_ATTR_EXCLUDE_KERNEL || all <= 0)
                return;
        r->kernel_ns = (uint64_t)((double)s->running_ns * (double)s->left_out_periods / all);
        r->user_ns = s->running_ns - r->kernel_ns;
        r->split_is_unknown = false;
}

bool collector_get_marks(const struct collector *c, struct buf *cut, struct stack_marks *ret)
{
        if (c->unwinder)
                unwinder_look_at_marks(c->unwinder, cut, ret);
        return c->unwinder;
}

uint64_t collector_own_ns(const struct collector *c)
{
        uint64_t own_ns = linux_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - c->own_ns_before;

        return own_ns + (c->stops ? stop_engine_counts(c->stops).cpu_ns : 0);
}

bool collector_end(struct collector *c, struct err *err)
{
        bool ok;

        if (c->ended)
                return true;
        c->ended = true;
        opened_control(&c->opened, false);
        if (c->stops) {
                stop_engine_end(c->stops, &c->child);
                stop_engine_tell(c->stops, &c->stack_note);
        }
        if (c->bpf)
                bpf_engine_tell(c->bpf, &c->stack_note);
        if (c->peek) {
                peek_engine_end(c->peek);
                peek_engine_tell(c->peek, &c->stack_note);
        }
        wall_end(c);
        drainer_stop(c->drainer);
        ok = record_rounds_move(c, err);
        ok = put_losses(c, ok ? err : NULL) && ok;
        if (c->opened.is_on)
                note_cpu_time(c, false);
        note_sampled(c);
        enabling_end(&c->enabling);
        c->result.off_ns = c->enabling.off_ns;
        c->result.recorder_ns = collector_own_ns(c);
        if (ok && c->child.status_unknown)
                return err_set(
                        err, ERR_IO,
                        "the process 'wperf-guardian', which traces the command, was killed, so the command's "
                        "exit status is not known; the session has the samples until then");
        return ok;
}

const struct collect_result *collector_get_result(struct collector *c)
{
        struct collect_result *r = &c->result;

        r->command_ended = c->child.pid && c->child.ended;
        if (r->command_ended)
                r->exit_status = spawn_exit_status(&c->child);
        r->kernel_is_denied = !linux_may_sample_kernel();
        r->kept = c->keeper.kept.items;
        r->n_kept = c->keeper.kept.n;
        r->copies = c->keeper.kept.copies;
        r->n_copies = c->keeper.kept.n_copies;
        r->roots = c->keeper.roots;
        r->n_roots = c->keeper.n_roots;
        r->users = c->keeper.users.items;
        r->n_users = c->keeper.users.n_items;
        r->images = c->keeper.pe.images;
        r->n_images = c->keeper.pe.n;
        r->stacks = c->unwinder ? unwinder_get_marks(c->unwinder) : NULL;
        r->unprivileged = c->stops ? stop_engine_unprivileged(c->stops) : "";
        r->not_traced = c->stops ? stop_engine_refused(c->stops) : "";
        if (c->stops)
                r->stops = stop_engine_counts(c->stops);
        wall_fill_result(c);
        if (c->merge) {
                r->python_places = stop_merge_places(c->merge);
                r->python = stop_merge_counts(c->merge);
        }
        r->n_not_kept = c->keeper.n_not_kept;
        r->not_kept = keeper_not_kept(&c->keeper);
        r->sampled_event = c->sampled.is_clock ? "" : c->opened.events[c->opened.first_asked].event.name;
        r->not_sampled = buf_text(&c->denied.names);
        return r;
}
