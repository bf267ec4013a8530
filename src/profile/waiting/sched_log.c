/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracepoint of a switch says which thread leaves a CPU and which one comes to it. Where it counts on all
 * CPUs, the one that leaves is the one that came before. Where it counts in chosen threads only, as in perf
 * record COMMAND, it is there when such a thread leaves its CPU, and not when it comes to one: it has come
 * back at its next sample of any event, at the latest. A session does not say which of the two it has. */
#include "sched_log.h"

#include <stdlib.h>

#include "map.h"
#include "mem.h"
#include "record.h"
#include "record_aux.h"

enum thread_at { THREAD_AWAY = 1, THREAD_RUNS, THREAD_ENDED, THREAD_BORN };

struct sched_log {
        const struct sched_events *events;
        struct cpu_spans *spans;
        struct sched_waking *wakings;
        size_t n_wakings, cap_wakings;
        struct map woken;   /* when threads were woken that have not come to a CPU since */
        struct map threads; /* enum thread_at */
        struct map cpus;    /* the thread that came to a CPU, + 1; 0: it has left, and no other is known */
        struct map born;    /* when threads began */
        struct budget_share share;
};

struct sched_log *sched_log_new(const struct sched_events *events, struct cpu_spans *spans,
                                struct budget *budget)
{
        struct sched_log *log = mem_new(1, sizeof(*log));

        log->events = events;
        log->spans = spans;
        log->share.budget = budget;
        return log;
}

void sched_log_free(struct sched_log *log)
{
        if (!log)
                return;
        budget_share_keep(&log->share, 0);
        map_release(&log->woken);
        map_release(&log->threads);
        map_release(&log->cpus);
        map_release(&log->born);
        free(log->wakings);
        free(log);
}

static uint64_t key_of(int32_t tid)
{
        return (uint32_t)tid;
}

/* Records of switches are of all that happens to the session's threads, so they are used where both are
 * recorded. */
static bool uses_tracepoint(const struct sched_log *log)
{
        return log->events->has[SCHED_SWITCH] && !log->events->has_switch_records;
}

/* --- Records --- */

/* A thread whose end was recorded may have to leave its CPU, and come back, before it leaves it for good. */
void sched_log_add_record(struct sched_log *log, const struct cpu_change *change)
{
        const uint64_t *at = map_find(&log->threads, key_of(change->tid));
        struct cpu_change known = *change;

        if (uses_tracepoint(log))
                return;
        known.is_last = at && *at == THREAD_ENDED;
        known.is_first = at && *at == THREAD_BORN && !change->is_out;
        if (known.is_first)
                map_remove(&log->threads, key_of(change->tid));
        map_remove(&log->woken, key_of(change->tid));
        cpu_spans_add(log->spans, &known);
}

void sched_log_add_fork(struct sched_log *log, const struct cpu_change *first)
{
        *map_put(&log->born, key_of(first->tid), NULL) = first->time_ns;
        *map_put(&log->threads, key_of(first->tid), NULL) = THREAD_BORN;
}

/* --- Tracepoints --- */

static void come(struct sched_log *log, const struct cpu_change *change)
{
        struct cpu_change known = *change;
        uint64_t *at;

        if (!change->tid)
                return;
        map_remove(&log->woken, key_of(change->tid));
        at = map_put(&log->threads, key_of(change->tid), NULL);
        known.is_first = *at == THREAD_BORN;
        *at = THREAD_RUNS;
        cpu_spans_add(log->spans, &known);
}

/* When a thread that runs came to its CPU, if that was not recorded: when it began, or when it was woken and
 * the CPU was idle, or now. */
static uint64_t find_coming(const struct sched_log *log, const struct sample *sample, bool is_new)
{
        const uint64_t *born = is_new ? map_find(&log->born, key_of(sample->tid)) : NULL;
        const uint64_t *woken = map_find(&log->woken, key_of(sample->tid));
        const uint64_t *came = map_find(&log->cpus, sample->cpu);

        if (born)
                return *born;
        return woken && came && *came == key_of(0) + 1 ? *woken : sample->time;
}

static void see_running(struct sched_log *log, const struct sample *sample)
{
        const uint64_t *at = map_find(&log->threads, key_of(sample->tid));
        bool is_new = !at || *at == THREAD_BORN;
        bool is_since_before =
                is_new && !map_find(&log->cpus, sample->cpu) && !map_find(&log->born, key_of(sample->tid));

        if (is_since_before || (!is_new && *at != THREAD_AWAY))
                return;
        come(log, &(struct cpu_change){.time_ns = find_coming(log, sample, is_new),
                                       .cpu = sample->cpu,
                                       .pid = sample->pid,
                                       .tid = sample->tid,
                                       .is_of_thread = true});
}

/* A thread that ends runs. */
void sched_log_add_exit(struct sched_log *log, const struct cpu_change *last)
{
        struct cpu_change change = *last;

        change.is_of_thread = uses_tracepoint(log);
        if (change.is_of_thread)
                see_running(log, &(struct sample){.time = last->time_ns,
                                                  .cpu = last->cpu,
                                                  .pid = last->pid,
                                                  .tid = last->tid});
        *map_put(&log->threads, key_of(last->tid), NULL) = THREAD_ENDED;
        cpu_spans_exit(log->spans, &change);
}

/* Another thread leaves the CPU than the one that came to it: that one is not recorded. */
static void take_back(struct sched_log *log, uint64_t *came, int32_t tid, uint32_t cpu)
{
        const struct cpu_change change = {.cpu = cpu, .tid = (int32_t)(*came - 1), .is_of_thread = true};

        if (!*came || change.tid == tid || !change.tid)
                return;
        *map_put(&log->threads, key_of(change.tid), NULL) = THREAD_AWAY;
        cpu_spans_take_back(log->spans, &change);
}

static void take_switch(struct sched_log *log, const struct sched_event *event, const struct sample *sample)
{
        struct cpu_change change = {
                .time_ns = sample->time, .cpu = sample->cpu, .pid = sample->pid, .is_of_thread = true};
        struct sched_switch s;
        uint64_t *came;

        if (!sched_events_read_switch(event, sample, &s))
                return;
        came = map_put(&log->cpus, sample->cpu, NULL);
        if (sample->cpu != UINT32_MAX)
                take_back(log, came, s.tid, sample->cpu);
        *came = key_of(s.next_tid) + 1;
        change.tid = s.tid;
        change.is_out = true;
        change.is_preempted = s.state == 'R';
        change.is_last = s.state == 'X';
        change.state = s.state;
        if (s.tid) {
                map_remove(&log->woken, key_of(s.tid));
                *map_put(&log->threads, key_of(s.tid), NULL) = THREAD_AWAY;
                cpu_spans_add(log->spans, &change);
        }
        come(log,
             &(struct cpu_change){
                     .time_ns = sample->time, .cpu = sample->cpu, .tid = s.next_tid, .is_of_thread = true});
}

/* With records of switches, the tracepoint still says that a thread leaves its CPU for good: after the record
 * of its end it may have to leave it once more. */
static void take_end(struct sched_log *log, const struct sched_event *event, const struct sample *sample)
{
        struct sched_switch s;

        if (sched_events_read_switch(event, sample, &s) && s.state == 'X')
                cpu_spans_exit(log->spans, &(struct cpu_change){.time_ns = sample->time,
                                                                .cpu = sample->cpu,
                                                                .pid = sample->pid,
                                                                .tid = sample->tid});
}

static void take_waking(struct sched_log *log, const struct sched_event *event, const struct sample *sample)
{
        struct sched_wakeup wakeup;
        uint64_t *woken;
        bool is_new;

        if (!sched_events_read_wakeup(event, sample, &wakeup) || wakeup.tid <= 0)
                return;
        woken = map_put(&log->woken, key_of(wakeup.tid), &is_new);
        if (!is_new)
                return;
        *woken = sample->time;
        if (!budget_share_take(&log->share, BUDGET_SAMPLES, 2 * sizeof(*log->wakings)))
                return;
        ARRAY_PUSH(log->wakings, log->n_wakings, log->cap_wakings,
                   ((struct sched_waking){.time_ns = sample->time,
                                          .tid = wakeup.tid,
                                          .by_pid = wakeup.is_interrupt ? 0 : sample->pid,
                                          .by_tid = wakeup.is_interrupt ? 0 : sample->tid}));
}

void sched_log_take(struct sched_log *log, uint32_t event, const struct sample *sample)
{
        enum sched_role role = sched_events_role(log->events, event);
        bool has_switches = uses_tracepoint(log);

        if (has_switches && sample->tid > 0)
                see_running(log, sample);
        if (has_switches && role == SCHED_SWITCH)
                take_switch(log, &log->events->items[event], sample);
        else if (role == SCHED_SWITCH)
                take_end(log, &log->events->items[event], sample);
        else if (role == SCHED_WAKING)
                take_waking(log, &log->events->items[event], sample);
}

/* --- All records --- */

/* A command that is recorded from the moment on in which its program is executed runs then, and no record
 * says that it came to its CPU. Its children inherit its events; of a whole machine all switches are known.
 */
static void see_exec(struct sched_log *log, const struct perf_attr *attr, struct cursor record)
{
        struct record_comm comm;
        struct record_id id;

        if (!log->events->has_switch_records || !(attr->flags & PERF_ATTR_INHERIT) ||
            cpu_spans_n(log->spans) || !record_comm_parse(record, &comm) || !comm.exec ||
            !record_id_parse(attr, record, &id) || !id.time)
                return;
        sched_log_add_record(
                log,
                &(struct cpu_change){.time_ns = id.time, .cpu = id.cpu, .pid = comm.pid, .tid = comm.tid});
}

static bool is_switch(uint32_t type)
{
        return type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE;
}

void sched_log_see(struct sched_log *log, const struct perf_attr *attr, uint32_t type, struct cursor record)
{
        struct record_switch to_or_from;
        struct cpu_change change = {0};
        struct record_task task;
        struct record_id id;

        if (type == PERF_RECORD_COMM && attr->flags & PERF_ATTR_SAMPLE_ID_ALL)
                see_exec(log, attr, record);
        if (!is_switch(type) && type != PERF_RECORD_EXIT && type != PERF_RECORD_FORK)
                return;
        if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL) || !record_id_parse(attr, record, &id))
                return;
        change.time_ns = id.time;
        change.cpu = id.cpu;
        change.pid = id.pid;
        change.tid = id.tid;
        if (is_switch(type) && record_switch_parse(record, &to_or_from)) {
                change.is_out = to_or_from.is_out;
                change.is_preempted = to_or_from.is_preempted;
                sched_log_add_record(log, &change);
        } else if (!is_switch(type) && record_task_parse(record, &task)) {
                change.tid = task.tid;
                if (type == PERF_RECORD_EXIT)
                        sched_log_add_exit(log, &change);
                else if (change.time_ns)
                        sched_log_add_fork(log, &change);
        }
}

/* --- Results --- */

static int compare_wakings(const void *a, const void *b)
{
        const struct sched_waking *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

const struct sched_waking *sched_log_sort(struct sched_log *log, size_t *ret_n)
{
        if (log->n_wakings)
                qsort(log->wakings, log->n_wakings, sizeof(*log->wakings), compare_wakings);
        *ret_n = log->n_wakings;
        return log->wakings;
}
