/* SPDX-License-Identifier: BSD-3-Clause */
#include "syscall_log.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perf_abi.h"
#include "sched_events.h"
#include "text.h"

/* Tracepoints of all calls, and those of one call each, such as sys_enter_read. */
enum call_system { CALLS_OF_ALL, CALLS_OF_EACH, N_CALL_SYSTEMS };

/* An event of the session; all fields are NULL if it is another one. */
struct call_event {
        enum call_system system;
        const struct tracing_field *number;
        const struct tracing_field *result; /* only at the end of a call */
};

/* The call in which a thread is. */
struct open_call {
        uint64_t from_ns;
        int32_t number;
        bool is_open, counts;
};

struct syscall_log {
        struct call_event *events;
        size_t n_events;
        struct syscall_rows *rows;
        struct map by_tid; /* to the index in `open`, + 1 */
        struct open_call *open;
        size_t n_open, cap_open;
        struct budget_share share;
};

static bool is_named(const char *name, const char *wanted, enum call_system system)
{
        return system == CALLS_OF_EACH ? text_starts(name, wanted) : !strcmp(name, wanted);
}

static struct call_event event_of(const struct perfdata_reader *reader, const struct perf_attr *attr)
{
        static const struct {
                const char *system, *begin, *end, *number;
        } systems[N_CALL_SYSTEMS] = {
                [CALLS_OF_ALL] = {"raw_syscalls", "sys_enter", "sys_exit", "id"},
                [CALLS_OF_EACH] = {"syscalls", "sys_enter_", "sys_exit_", "__syscall_nr"},
        };
        const struct tracing_event *tracepoint = perfdata_tracepoint(reader, attr);
        struct call_event e = {0};

        if (!tracepoint || !sched_events_is_each(attr) || !(attr->sample_type & PERF_SAMPLE_RAW))
                return e;
        while (e.system < N_CALL_SYSTEMS && strcmp(tracepoint->system, systems[e.system].system) != 0)
                e.system++;
        if (e.system == N_CALL_SYSTEMS)
                return e;
        if (is_named(tracepoint->name, systems[e.system].end, e.system))
                e.result = tracing_event_number(tracepoint, "ret");
        if (e.result || is_named(tracepoint->name, systems[e.system].begin, e.system))
                e.number = tracing_event_number(tracepoint, systems[e.system].number);
        return e;
}

/* Where both systems were recorded, each call is in both of them. */
static bool choose_system(struct syscall_log *log)
{
        bool has_begin[N_CALL_SYSTEMS] = {0}, has_end[N_CALL_SYSTEMS] = {0};
        enum call_system chosen = 0;

        for (size_t i = 0; i < log->n_events; i++) {
                const struct call_event *e = &log->events[i];

                if (e->number)
                        (e->result ? has_end : has_begin)[e->system] = true;
        }
        while (chosen < N_CALL_SYSTEMS && !(has_begin[chosen] && has_end[chosen]))
                chosen++;
        for (size_t i = 0; i < log->n_events; i++) {
                if (log->events[i].system != chosen)
                        log->events[i].number = NULL;
        }
        return chosen < N_CALL_SYSTEMS;
}

struct syscall_log *syscall_log_new(const struct perfdata_reader *reader, struct budget *budget)
{
        AUTO(syscall_log) log = mem_new(1, sizeof(*log));

        log->rows = syscall_rows_new();
        log->share.budget = budget;
        log->n_events = perfdata_n_events(reader);
        log->events = mem_new(log->n_events + 1, sizeof(*log->events));
        for (size_t i = 0; i < log->n_events; i++)
                log->events[i] = event_of(reader, &perfdata_get_event(reader, i)->attr);
        return choose_system(log) ? TAKE(log) : NULL;
}

void syscall_log_free(struct syscall_log *log)
{
        if (!log)
                return;
        budget_share_keep(&log->share, 0);
        syscall_rows_free(log->rows);
        map_release(&log->by_tid);
        free(log->open);
        free(log->events);
        free(log);
}

/* NULL if there is no memory for another thread. */
static struct open_call *call_of(struct syscall_log *log, int32_t tid)
{
        uint64_t *at = map_find(&log->by_tid, (uint32_t)tid);

        if (!at && !budget_share_take(&log->share, BUDGET_SAMPLES, 2 * sizeof(*log->open)))
                return NULL;
        if (!at) {
                ARRAY_PUSH(log->open, log->n_open, log->cap_open, (struct open_call){0});
                at = map_put(&log->by_tid, (uint32_t)tid, NULL);
                *at = log->n_open;
        }
        return &log->open[*at - 1];
}

static void begin_call(struct syscall_log *log, struct open_call *call, const struct open_call *begun)
{
        log->rows->n_cut += call->is_open && call->counts;
        *call = *begun;
}

static void end_call(struct syscall_log *log, struct open_call *call, const struct sample *sample,
                     int32_t number, bool is_error)
{
        bool is_known = call->is_open && call->number == number && sample->time >= call->from_ns;
        uint64_t ns = sample->time - call->from_ns;

        call->is_open = false;
        if (!is_known)
                log->rows->n_cut++;
        else if (!syscall_rows_has(log->rows, sample->tid, number) &&
                 !budget_share_take(&log->share, BUDGET_SAMPLES, 2 * sizeof(struct syscall_row)))
                log->rows->n_left_out++;
        else
                syscall_rows_add(log->rows, &(struct syscall_row){.pid = sample->pid,
                                                                  .tid = sample->tid,
                                                                  .number = number,
                                                                  .count = 1,
                                                                  .n_errors = is_error,
                                                                  .total_ns = ns,
                                                                  .longest_ns = ns});
}

void syscall_log_take(struct syscall_log *log, uint32_t event, const struct sample *sample, bool counts)
{
        enum { MAX_ERRNO = 4095 };
        const struct call_event *e = event < log->n_events ? &log->events[event] : NULL;
        bool is_bad = false;
        struct open_call *call;
        int64_t number, result;

        if (!e || !e->number || sample->tid <= 0)
                return;
        number = (int64_t)tracing_field_read(e->number, sample->raw, &is_bad);
        result = e->result ? (int64_t)tracing_field_read(e->result, sample->raw, &is_bad) : 0;
        if (is_bad || number != (int32_t)number)
                return;
        call = call_of(log, sample->tid);
        if (!call)
                log->rows->n_left_out += counts && !e->result;
        else if (!e->result)
                begin_call(log, call, &(struct open_call){sample->time, (int32_t)number, true, counts});
        else if (counts)
                end_call(log, call, sample, (int32_t)number, result < 0 && result >= -MAX_ERRNO);
        else
                call->is_open = false;
}

struct syscall_rows *syscall_log_rows(struct syscall_log *log, const struct syscall_naming *naming)
{
        for (size_t i = 0; i < log->n_open; i++)
                log->rows->n_cut += log->open[i].is_open && log->open[i].counts;
        syscall_rows_finish(log->rows, naming);
        return TAKE(log->rows);
}
