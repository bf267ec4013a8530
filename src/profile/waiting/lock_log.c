/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock_log.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perf_abi.h"
#include "sched_events.h"
#include "search.h"
#include "text.h"
#include "wait_functions.h"

enum { MAX_FUNCTIONS = 32 };

/* An event of the session; `lock` is NULL if it is another one. */
struct lock_event {
        const struct tracing_field *lock;
        const struct tracing_field *flags; /* only at the beginning of a wait */
};

/* LCB_F_ of the kernel's include/trace/events/lock.h */
enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

struct contention {
        uint64_t from_ns, to_ns;
        uint64_t address;
        int32_t pid, tid;
        uint32_t flags;
        bool counts, is_open;
};

struct lock_log {
        struct lock_event *events;
        size_t n_events;
        struct contention *waits;
        size_t n, cap;
        struct map open; /* thread and address to the index of the wait + 1 */
        uint64_t n_cut;
        uint64_t n_left_out;      /* beginnings that count, for lack of memory */
        uint64_t n_ends_left_out; /* of all beginnings that were left out */
        struct budget_share share;
};

static struct lock_event event_of(const struct perfdata_reader *reader, const struct perf_attr *attr)
{
        const struct tracing_event *tracepoint = perfdata_tracepoint(reader, attr);
        struct lock_event e = {0};

        if (!tracepoint || strcmp(tracepoint->system, "lock") != 0 || !sched_events_is_each(attr) ||
            !(attr->sample_type & PERF_SAMPLE_RAW))
                return e;
        if (!strcmp(tracepoint->name, "contention_begin"))
                e.flags = tracing_event_number(tracepoint, "flags");
        if (e.flags || !strcmp(tracepoint->name, "contention_end"))
                e.lock = tracing_event_number(tracepoint, "lock_addr");
        return e;
}

struct lock_log *lock_log_new(const struct perfdata_reader *reader, struct budget *budget)
{
        AUTO(lock_log) log = mem_new(1, sizeof(*log));
        bool has_begin = false, has_end = false;

        log->share.budget = budget;
        log->n_events = perfdata_n_events(reader);
        log->events = mem_new(log->n_events + 1, sizeof(*log->events));
        for (size_t i = 0; i < log->n_events; i++) {
                log->events[i] = event_of(reader, &perfdata_get_event(reader, i)->attr);
                has_begin |= log->events[i].lock && log->events[i].flags;
                has_end |= log->events[i].lock && !log->events[i].flags;
        }
        return has_begin && has_end ? TAKE(log) : NULL;
}

void lock_log_free(struct lock_log *log)
{
        if (!log)
                return;
        budget_share_keep(&log->share, 0);
        map_release(&log->open);
        free(log->waits);
        free(log->events);
        free(log);
}

static uint64_t key_of(int32_t waiter, uint64_t address)
{
        return map_mix(map_mix(address) + (uint32_t)waiter);
}

/* Each CPU may be idle (0). A thread that has just given its number back has -1, also at the end of a wait
 * that it began with the number: it spins, and stays on its CPU. */
static int32_t waiter_of(const struct sample *sample)
{
        return sample->tid > 0 ? sample->tid : -1 - (int32_t)(sample->cpu & INT32_MAX);
}

/* A thread that waits for a mutex spins, sleeps, and spins again when it is the next one: each time is a
 * beginning, and there is one end. */
static bool goes_on(const struct contention *open, const struct contention *wait)
{
        return open->is_open && wait->flags & MUTEX && (open->flags ^ wait->flags) == SPIN;
}

/* The sleep of a mutex was left out with the spinning before it. */
static void leave_out(struct lock_log *log, const struct contention *wait)
{
        if (wait->flags == MUTEX)
                return;
        log->n_left_out += wait->counts;
        log->n_ends_left_out++;
}

static void begin_wait(struct lock_log *log, const struct contention *wait, const struct sample *sample)
{
        const struct sample of_cpu = {.cpu = sample->cpu};
        uint64_t key = key_of(waiter_of(sample), wait->address);
        bool is_new;
        uint64_t *at = map_put(&log->open, key, &is_new);

        if (!is_new && goes_on(&log->waits[*at - 1], wait)) {
                log->waits[*at - 1].flags = wait->flags;
                return;
        }
        if (!budget_share_take(&log->share, BUDGET_SAMPLES, 3 * sizeof(*log->waits))) {
                map_remove(&log->open, key);
                leave_out(log, wait);
                return;
        }
        ARRAY_PUSH(log->waits, log->n, log->cap, *wait);
        *at = log->n;
        if (wait->flags & SPIN)
                *map_put(&log->open, key_of(waiter_of(&of_cpu), wait->address), NULL) = log->n;
}

static void end_wait(struct lock_log *log, int32_t waiter, uint64_t address, uint64_t ns, bool counts)
{
        const uint64_t *at = map_find(&log->open, key_of(waiter, address));
        struct contention *wait = at && log->waits[*at - 1].is_open ? &log->waits[*at - 1] : NULL;

        if (!wait && log->n_ends_left_out)
                log->n_ends_left_out--;
        else if (!wait)
                log->n_cut += counts;
        if (!wait)
                return;
        wait->to_ns = ns > wait->from_ns ? ns : wait->from_ns;
        wait->is_open = false;
        map_remove(&log->open, key_of(waiter, address));
}

void lock_log_take(struct lock_log *log, uint32_t event, const struct sample *sample, bool counts)
{
        const struct lock_event *e = event < log->n_events ? &log->events[event] : NULL;
        bool is_bad = false;
        uint64_t address, flags;

        if (!e || !e->lock)
                return;
        address = tracing_field_read(e->lock, sample->raw, &is_bad);
        flags = e->flags ? tracing_field_read(e->flags, sample->raw, &is_bad) : 0;
        if (is_bad)
                return;
        if (e->flags)
                begin_wait(log,
                           &(struct contention){.from_ns = sample->time,
                                                .address = address,
                                                .pid = sample->pid,
                                                .tid = sample->tid,
                                                .flags = (uint32_t)flags,
                                                .counts = counts,
                                                .is_open = true},
                           sample);
        else
                end_wait(log, waiter_of(sample), address, sample->time, counts);
}

/* --- Rows --- */

/* The names are perf's. */
static const char *kind_of(uint32_t flags)
{
        static const struct {
                uint32_t flags;
                const char *name;
        } kinds[] = {
                {0, "semaphore"},
                {SPIN, "spinlock"},
                {SPIN | READ, "rwlock:R"},
                {SPIN | WRITE, "rwlock:W"},
                {READ, "rwsem:R"},
                {WRITE, "rwsem:W"},
                {RT, "rt-mutex"},
                {RT | READ, "rwlock-rt:R"},
                {RT | WRITE, "rwlock-rt:W"},
                {PERCPU | READ, "pcpu-sem:R"},
                {PERCPU | WRITE, "pcpu-sem:W"},
                {MUTEX, "mutex"},
                {MUTEX | SPIN, "mutex"},
        };

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                if (kinds[i].flags == flags)
                        return kinds[i].name;
        }
        return "unknown";
}

/* Functions of locks, and what records the tracepoint. */
static bool is_of_lock(const char *name)
{
        static const char *const begins[] = {
                "__traceiter_",  "trace_contention", "perf_trace_",  "perf_tp_event",  "perf_swevent_",
                "__mutex_",      "mutex_",           "ww_mutex_",    "rwsem_",         "down_",
                "__down_",       "up_read",          "up_write",     "_raw_",          "__raw_",
                "native_queued", "queued_",          "__pv_queued",  "pv_queued",      "rt_mutex_",
                "__rt_mutex_",   "rt_spin_",         "percpu_down_", "percpu_rwsem_",  "__percpu_",
                "__bpf_trace",   "bpf_trace",        "osq_lock",     "do_raw_",        "rtlock_",
                "rt_read_",      "rt_write_",        "__ww_mutex",   "__x86_indirect",
        };

        for (size_t i = 0; i < N_ELEMENTS(begins); i++) {
                if (text_starts(name, begins[i]))
                        return true;
        }
        return !strcmp(name, "down") || !strcmp(name, "__down");
}

/* Where a wait begins. */
struct beginning {
        uint64_t time_ns;
        int32_t tid;
        uint32_t node;
};

static int compare_beginnings(const void *a, const void *b)
{
        const struct beginning *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Sorted by thread, then time. free() it. */
static struct beginning *list_beginnings(const struct lock_log *log, const struct sample_list *samples,
                                         size_t *ret_n)
{
        struct beginning *list = mem_new(sample_list_n(samples) + 1, sizeof(*list));
        size_t n = 0;

        for (size_t i = 0; i < sample_list_n(samples); i++) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                if (sample->event < log->n_events && log->events[sample->event].flags)
                        list[n++] = (struct beginning){sample->time_ns, sample->tid, sample->node};
        }
        qsort(list, n, sizeof(*list), compare_beginnings);
        *ret_n = n;
        return list;
}

/* NAMED_NONE: it has no stack. */
static uint32_t node_of(const struct beginning *list, size_t n, const struct contention *wait)
{
        const struct beginning wanted = {.time_ns = wait->from_ns, .tid = wait->tid};
        size_t low = 0, high = n;

        SEARCH_FIRST(low, high, middle, compare_beginnings(&list[middle], &wanted) < 0);
        return low < n && !compare_beginnings(&list[low], &wanted) ? list[low].node : NAMED_NONE;
}

static const char *find_function(const struct named_stacks *named, uint32_t node)
{
        struct wait_function functions[MAX_FUNCTIONS];
        size_t n = wait_functions_of(named, node, functions, MAX_FUNCTIONS);

        for (size_t i = 0; i < n; i++) {
                if (!is_of_lock(functions[i].name))
                        return functions[i].name;
        }
        return n ? functions[n - 1].name : "";
}

/* The function that wants the lock. Many waits have the same stack. */
static const char *function_of(const struct named_stacks *named, uint32_t node, const char **by_node)
{
        if (node == NAMED_NONE)
                return "";
        if (!by_node[node])
                by_node[node] = find_function(named, node);
        return by_node[node];
}

struct lock_rows *lock_log_rows(const struct lock_log *log, const struct named_stacks *named,
                                const struct sample_list *samples, const struct waiters *waiters)
{
        struct lock_rows *rows = lock_rows_new(waiters->by);
        const char **by_node = mem_new(named->n_nodes + 1, sizeof(*by_node));
        size_t n;
        struct beginning *beginnings = list_beginnings(log, samples, &n);

        rows->is_kernel = true;
        rows->n_cut = log->n_cut;
        rows->n_left_out = log->n_left_out;
        for (size_t i = 0; i < log->n; i++) {
                const struct contention *wait = &log->waits[i];

                rows->n_cut += wait->is_open && wait->counts;
                if (wait->is_open || !wait->counts)
                        continue;
                lock_rows_add(rows, &(struct lock_row){.lock = kind_of(wait->flags),
                                                       .address = wait->address,
                                                       .function = function_of(
                                                               named, node_of(beginnings, n, wait), by_node),
                                                       .waiter = waiters_find(waiters, wait->pid, wait->tid),
                                                       .count = 1,
                                                       .total_ns = wait->to_ns - wait->from_ns,
                                                       .longest_ns = wait->to_ns - wait->from_ns});
        }
        free(beginnings);
        free(by_node);
        lock_rows_finish(rows);
        return rows;
}
