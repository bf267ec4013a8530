/* SPDX-License-Identifier: BSD-3-Clause */
/* A session whose events are the scheduler's, of system calls and of locks: wall time by state, who ended
 * waits, calls and locks, of samples without names. Whatever it says, the times of states and of rows add up.
 */
#include <stdlib.h>

#include "lock_log.h"
#include "perfdata_reader.h"
#include "record_aux.h"
#include "syscall_log.h"
#include "wall_times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct taking {
        struct perfdata_reader *reader;
        struct sched_events *events;
        struct cpu_spans *spans;
        struct sched_log *log;
        struct sample_list *samples;
        struct syscall_log *calls; /* may be NULL, as: */
        struct lock_log *locks;
};

static void must(bool holds)
{
        if (!holds)
                abort();
}

static void take_sample(struct taking *t, const struct perfdata_record *record)
{
        struct sample sample;

        if (record->event >= t->events->n ||
            !sample_parse(&perfdata_get_event(t->reader, record->event)->attr, record->bytes, &sample) ||
            (t->events->items[record->event].is_packed && !sched_events_unpack(&sample)))
                return;
        sched_log_take(t->log, record->event, &sample);
        if (t->calls)
                syscall_log_take(t->calls, record->event, &sample, sample.time % 2);
        if (t->locks)
                lock_log_take(t->locks, record->event, &sample, sample.time % 2);
        sample_list_add(t->samples, &(struct listed_sample){.time_ns = sample.time,
                                                            .weight = sample.period,
                                                            .event = record->event,
                                                            .node = NAMED_NONE,
                                                            .pid = sample.pid,
                                                            .tid = sample.tid});
}

static void take_change(struct taking *t, const struct perfdata_record *record)
{
        struct cpu_change change = {.time_ns = record->time, .cpu = UINT32_MAX};
        struct record_switch to_or_from;
        struct record_task task;

        if (record->header.type != PERF_RECORD_EXIT && record->header.type != PERF_RECORD_FORK) {
                change.tid = 1;
                if (record_switch_parse(record->bytes, &to_or_from)) {
                        change.is_out = to_or_from.is_out;
                        sched_log_add_record(t->log, &change);
                }
                return;
        }
        if (!record_task_parse(record->bytes, &task))
                return;
        change.tid = task.tid;
        if (record->header.type == PERF_RECORD_EXIT)
                sched_log_add_exit(t->log, &change);
        else
                sched_log_add_fork(t->log, &change);
}

static bool counts_wait(void *ctx, int32_t pid, int32_t tid, unsigned state)
{
        return state < WALL_N_STATES;
}

static const char *thread_name(void *ctx, int32_t pid, int32_t tid)
{
        return tid % 2 ? "odd" : "even";
}

static void check_wakers(const struct waker_rows *rows)
{
        uint64_t ns = 0, n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                const struct waker_row *row = &rows->items[i];

                must(row->n_links >= 2 && row->n_links <= WAKER_MAX_LINKS && row->count);
                ns += row->total_ns;
                n += row->count;
        }
        must(ns == rows->total_ns && n == rows->n_waits);
}

static void check_syscalls(struct syscall_rows *rows)
{
        uint64_t ns = 0, n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                const struct syscall_row *row = &rows->items[i];

                must(row->count && row->n_errors <= row->count);
                must(rows->is_waits || row->longest_ns <= row->total_ns);
                must(row->call && row->waiter.name);
                ns += row->total_ns;
                n += row->count;
        }
        must(ns == rows->total_ns && n == rows->count);
        syscall_rows_free(rows);
}

static void check_locks(struct lock_rows *rows)
{
        uint64_t ns = 0, n = 0;

        for (size_t i = 0; i < rows->n; i++) {
                const struct lock_row *row = &rows->items[i];

                must(row->lock && row->function && row->owner_ns <= row->total_ns && row->count);
                ns += row->total_ns;
                n += row->count;
        }
        must(ns == rows->total_ns && n == rows->count);
        lock_rows_free(rows);
}

static void divide(struct taking *t)
{
        const struct named_stacks named = {0};
        struct wall_request request = {
                .named = &named,
                .samples = t->samples,
                .spans = t->spans,
                .events = t->events,
                .waiting_event = UINT32_MAX,
                .cpu_event = 0,
                .wants = WALL_WANTS_WAKERS | WALL_WANTS_SYSCALLS | WALL_WANTS_LOCKS,
                .arch = ARCH_X86_64,
                .waiters_by = WAITERS_BY_COMM,
                .counts_wait = counts_wait,
                .thread_name = thread_name,
        };
        struct wall_pieces *pieces;
        struct wall_times *times;
        uint64_t sum = 0;

        request.wakings = sched_log_sort(t->log, &request.n_wakings);
        pieces = wall_pieces_new(&request);
        if (!pieces)
                return;
        for (size_t i = 0; i < pieces->n; i++)
                pieces->items[i].is_taken = true;
        for (size_t i = 0; i < pieces->n_stackless; i++)
                pieces->stackless[i].is_taken = true;
        times = wall_times_new(pieces, WALL_SHOWN);
        for (unsigned i = 0; i < WALL_N_STATES; i++)
                sum += times->ns[i];
        must(sum == times->total_ns && times->n_idle_threads <= times->n_threads);
        check_wakers(pieces->wakers);
        check_syscalls(TAKE(pieces->syscalls));
        check_locks(TAKE(pieces->locks));
        wall_times_free(times);
        wall_pieces_free(pieces);
}

/* The tables of tracepoints. */
static void end_logs(struct taking *t)
{
        const struct syscall_naming naming = {ARCH_ARM64, {WAITERS_BY_PROCESS, thread_name, NULL}};
        const struct named_stacks named = {0};

        if (t->calls)
                check_syscalls(syscall_log_rows(t->calls, &naming));
        if (t->locks)
                check_locks(lock_log_rows(t->locks, &named, t->samples, &naming.waiters));
        syscall_log_free(t->calls);
        lock_log_free(t->locks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct taking t = {.reader = perfdata_open_bytes(data, size, "fuzzed", NULL)};
        struct perfdata_record record;

        if (!t.reader)
                return 0;
        t.events = sched_events_new(t.reader);
        t.spans = cpu_spans_new(NULL);
        t.log = sched_log_new(t.events, t.spans, NULL);
        t.samples = sample_list_new();
        t.calls = syscall_log_new(t.reader, NULL);
        t.locks = lock_log_new(t.reader, NULL);
        while (perfdata_next(t.reader, &record, NULL) > 0) {
                switch (record.header.type) {
                case PERF_RECORD_SAMPLE: take_sample(&t, &record); break;
                case PERF_RECORD_SWITCH:
                case PERF_RECORD_SWITCH_CPU_WIDE:
                case PERF_RECORD_EXIT:
                case PERF_RECORD_FORK: take_change(&t, &record); break;
                default: break;
                }
        }
        divide(&t);
        end_logs(&t);
        sample_list_free(t.samples);
        sched_log_free(t.log);
        cpu_spans_free(t.spans);
        sched_events_free(t.events);
        perfdata_reader_free(t.reader);
        return 0;
}
