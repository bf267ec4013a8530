/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's time is divided at its switches. A gap between two spans on CPUs is a wait, or the thread was
 * ready to run. A gap in which the thread was read has the kind of the reading. Of the gaps that are shorter
 * than the time between two looks only some are read, each with a chance that grows with its length: these
 * stand for all of them, each with the same weight. */
#include "wall_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "search.h"
#include "task_kind.h"
#include "text.h"
#include "wait_functions.h"

enum {
        MAX_FUNCTIONS = 64,     /* of a stack, that decide what it is */
        OWN_NS = 20000000,      /* a stop by wperf takes less */
        BEFORE_OWN_NS = 300000, /* a sample is taken so long before the thread leaves its CPU, at most */
        HOLDER_NS = 20000000,   /* a sample of the GIL's holder is at most so far from the reading, */
        MOST_BETWEEN = 256,     /* with so many samples between them */
};

/* What is known of a thread while it is divided. */
struct wall_thread {
        int32_t tid, pid;
        size_t first_span, n_spans; /* in order of time */
};

struct wall_reading {
        const struct wait_reading *reading;
        uint32_t node;
        uint64_t weight_ns;
        uint64_t from_ns, to_ns; /* of the wait */
        uint8_t kind, idle_call;
        bool is_short; /* the wait was shorter than the time between two looks */
};

struct wall_sample {
        int32_t tid;
        uint64_t time_ns, weight;
        uint32_t node;
        bool lacks_gil; /* it is known that the thread did not have the GIL */
        bool has_gil;   /* it is known that it had it */
};

struct wall_making {
        struct wall_pieces *pieces;
        size_t cap_pieces, cap_stackless, cap_functions;
        const struct wall_request *request;
        struct cpu_span *spans; /* by thread, then time */
        size_t n_spans;
        struct wall_reading *readings; /* by thread, then time */
        size_t n_readings;
        struct wall_sample *samples; /* on a CPU, by thread, then time */
        size_t n_samples;
        uint64_t from_ns, to_ns;
        struct map functions; /* hash of name and file to index + 1 */
        struct map nodes;     /* node to the index of its function + 1 */
};

/* --- Input --- */

static int by_thread_and_time(int32_t a_tid, uint64_t a_ns, int32_t b_tid, uint64_t b_ns)
{
        if (a_tid != b_tid)
                return a_tid < b_tid ? -1 : 1;
        return a_ns < b_ns ? -1 : a_ns > b_ns;
}

static int compare_spans(const void *a, const void *b)
{
        const struct cpu_span *x = a, *y = b;

        return by_thread_and_time(x->tid, x->from_ns, y->tid, y->from_ns);
}

static int compare_readings(const void *a, const void *b)
{
        const struct wall_reading *x = a, *y = b;

        return by_thread_and_time(x->reading->tid, x->reading->time_ns, y->reading->tid, y->reading->time_ns);
}

static int compare_samples(const void *a, const void *b)
{
        const struct wall_sample *x = a, *y = b;

        return by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);
}

static void see_time(struct wall_making *m, uint64_t ns)
{
        if (!ns || ns == UINT64_MAX)
                return;
        m->from_ns = !m->from_ns || ns < m->from_ns ? ns : m->from_ns;
        m->to_ns = ns > m->to_ns ? ns : m->to_ns;
}

static void take_spans(struct wall_making *m)
{
        m->n_spans = cpu_spans_n(m->request->spans);
        m->spans = mem_new(m->n_spans + 1, sizeof(*m->spans));
        for (size_t i = 0; i < m->n_spans; i++) {
                m->spans[i] = *cpu_spans_get(m->request->spans, i);
                see_time(m, m->spans[i].from_ns);
                see_time(m, m->spans[i].to_ns);
        }
        qsort(m->spans, m->n_spans, sizeof(*m->spans), compare_spans);
}

static uint8_t decide(const struct wall_making *m, const struct wait_reading *reading, uint32_t node,
                      struct buf *text)
{
        struct wait_function functions[MAX_FUNCTIONS];
        size_t n = wait_functions_of(m->request->named, node, functions, MAX_FUNCTIONS);
        struct wait_reading waited = *reading;

        waited.how = WAIT_HOW_STILL; /* what is known of one that has gone on is its call */
        return (uint8_t)wait_kind_decide(&waited, functions, n, NULL, NULL, text).kind;
}

/* A text of an idle thread says in what it waits: "idle, in epoll_wait for ..." Returns the index + 1. */
static uint8_t add_idle_call(struct wall_pieces *p, const char *text)
{
        const char *in = strstr(text, " in ");
        const char *at = in ? in + strlen(" in ") : text_starts(text, "idle, accepts") ? "accept" : NULL;
        size_t len = at ? strcspn(at, " ") : 0;

        if (!len)
                return 0;
        for (size_t i = 0; i < p->n_idle_calls; i++) {
                if (strlen(p->idle_calls[i]) == len && !memcmp(p->idle_calls[i], at, len))
                        return (uint8_t)(i + 1);
        }
        if (p->n_idle_calls == WALL_MAX_IDLE_CALLS)
                return 0;
        p->idle_calls[p->n_idle_calls++] = arena_copy(&p->texts, at, len);
        return (uint8_t)p->n_idle_calls;
}

static void add_reading(struct wall_making *m, const struct listed_sample *sample)
{
        const struct wait_reading *reading =
                wait_section_find(m->request->waits, sample->tid, sample->time_ns);
        AUTO_RELEASE(buf) text = {0};
        struct wall_reading *made;

        if (!reading || (reading->how != WAIT_HOW_STILL && reading->how != WAIT_HOW_MOVING))
                return;
        made = &m->readings[m->n_readings++];
        *made = (struct wall_reading){.reading = reading, .node = sample->node};
        made->kind = decide(m, reading, sample->node, &text);
        if (made->kind == WAIT_KIND_IDLE)
                made->idle_call = add_idle_call(m->pieces, buf_text(&text));
}

static void add_sample(struct wall_making *m, const struct listed_sample *sample)
{
        const struct wait_holder *holder =
                wait_section_find_holder(m->request->waits, sample->tid, sample->time_ns);

        m->samples[m->n_samples++] = (struct wall_sample){sample->tid,
                                                          sample->time_ns,
                                                          sample->weight,
                                                          sample->node,
                                                          holder && !holder->has_gil,
                                                          holder && holder->has_gil};
}

static void take_samples(struct wall_making *m)
{
        const struct sample_list *samples = m->request->samples;
        size_t n = sample_list_n(samples);

        m->readings = mem_new(n + 1, sizeof(*m->readings));
        m->samples = mem_new(n + 1, sizeof(*m->samples));
        for (size_t i = 0; i < n; i++) {
                const struct listed_sample *sample = sample_list_get(samples, i);

                see_time(m, sample->time_ns);
                if (sample->event == m->request->waiting_event)
                        add_reading(m, sample);
                else if (sample->event == m->request->cpu_event)
                        add_sample(m, sample);
        }
        qsort(m->readings, m->n_readings, sizeof(*m->readings), compare_readings);
        qsort(m->samples, m->n_samples, sizeof(*m->samples), compare_samples);
}

/* A loop that waits for a time or for its own threads has no object that says so: its tasks do. Readings that
 * lack them are as the one before. */
static void set_kinds_of_loops(struct wall_making *m)
{
        const struct task_section *s = m->request->tasks;
        enum wait_kind kind = WAIT_KIND_IDLE;
        struct map by_time = {0};

        for (size_t i = 0; s && i < s->n_tasks; i += task_kind_n_at_once(s, i))
                *map_put(&by_time, s->tasks[i].time_ns, NULL) = i;
        for (size_t i = 0; by_time.n_used && i < m->n_readings; i++) {
                struct wall_reading *r = &m->readings[i];
                const uint64_t *first = map_find(&by_time, r->reading->time_ns);

                if (first && s->tasks[*first].tid == r->reading->tid)
                        kind = task_kind_of_loop(s, *first);
                else if (!i || r[-1].reading->tid != r->reading->tid ||
                         !(r->reading->python & WAIT_PYTHON_TASKS))
                        kind = WAIT_KIND_IDLE;
                if (r->kind != WAIT_KIND_IDLE || kind == WAIT_KIND_IDLE)
                        continue;
                r->kind = (uint8_t)kind;
                r->idle_call = 0;
        }
        map_release(&by_time);
}

/* The first reading of the thread at or after a time; n_readings if there is none. */
static size_t find_reading(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        size_t low = 0, high = m->n_readings;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(m->readings[middle].reading->tid,
                                        m->readings[middle].reading->time_ns, tid, ns) < 0);
        return low;
}

static size_t find_sample(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        size_t low = 0, high = m->n_samples;

        SEARCH_FIRST(low, high, middle,
                     by_thread_and_time(m->samples[middle].tid, m->samples[middle].time_ns, tid, ns) < 0);
        return low;
}

/* --- Functions --- */

static uint64_t add_function(struct wall_making *m, const struct wait_function *f)
{
        struct wall_pieces *p = m->pieces;
        uint64_t *at;
        bool is_new;

        at = map_put(
                &m->functions,
                map_mix(map_hash_bytes(f->name, strlen(f->name)) + map_hash_bytes(f->file, strlen(f->file))),
                &is_new);
        if (is_new) {
                const struct wall_name name = {
                        .name = arena_copy(&p->texts, f->name, strlen(f->name)),
                        .file = arena_copy(&p->texts, f->file, strlen(f->file)),
                        .is_python = f->is_python,
                };

                ARRAY_PUSH(p->functions, p->n_functions, m->cap_functions, name);
                *at = p->n_functions;
        }
        return *at;
}

/* The function that a stack counts for. */
struct wall_at {
        uint32_t function; /* the index + 1; 0: the stack has none */
        uint32_t line;
};

static struct wall_at function_of(struct wall_making *m, uint32_t node)
{
        struct wait_function functions[MAX_FUNCTIONS];
        const struct wait_function *f;
        uint64_t *known;
        bool is_new;
        size_t n;

        known = map_put(&m->nodes, node, &is_new);
        if (is_new) {
                n = wait_functions_of(m->request->named, node, functions, MAX_FUNCTIONS);
                f = wait_functions_shown(functions, n);
                if (f)
                        *known = add_function(m, f) | (uint64_t)f->line << 32;
        }
        return (struct wall_at){(uint32_t)*known, (uint32_t)(*known >> 32)};
}

/* --- Who had the GIL --- */

static bool is_near(const struct wall_sample *sample, int32_t tid, uint64_t ns)
{
        uint64_t distance_ns = sample->time_ns > ns ? sample->time_ns - ns : ns - sample->time_ns;

        return sample->tid == tid && distance_ns <= HOLDER_NS;
}

/* The thread may have run without the GIL before and after. */
static const struct wall_sample *near_sample(const struct wall_making *m, int32_t tid, uint64_t ns)
{
        const struct wall_sample *first = m->samples, *end = first + m->n_samples,
                                 *middle = first + find_sample(m, tid, ns);
        const struct wall_sample *after = middle, *before = middle;

        while (after < end && after < middle + MOST_BETWEEN && is_near(after, tid, ns) && after->lacks_gil)
                after++;
        if (after == end || !is_near(after, tid, ns) || after->lacks_gil)
                after = NULL;
        while (before > first && before + MOST_BETWEEN > middle && is_near(before - 1, tid, ns) &&
               before[-1].lacks_gil)
                before--;
        before = before > first && is_near(before - 1, tid, ns) && !before[-1].lacks_gil ? before - 1 : NULL;
        if (!after || !before)
                return after ? after : before;
        return after->time_ns - ns < ns - before->time_ns ? after : before;
}

static uint32_t holder_of(struct wall_making *m, const struct wall_reading *r)
{
        const struct wall_sample *sample;

        /* in a PID namespace the holder's number is another one than in the samples */
        if (r->kind != WAIT_KIND_GIL || r->reading->inner_tid != r->reading->tid)
                return 0;
        sample = near_sample(m, r->reading->gil_holder, r->reading->time_ns);
        return sample ? function_of(m, sample->node).function : 0;
}

/* --- A thread --- */

struct dividing {
        const struct wall_thread *thread;
        uint64_t cpu_ns, runnable_ns, own_ns;
        uint64_t shared_ns;      /* gaps that were not read, and short ones that were */
        double looks_ns;         /* what the readings in short ones stand for, before it is scaled */
        size_t first_reading;    /* of this thread */
        uint64_t from_ns, to_ns; /* the thread's first time, and its last */
};

static bool is_own(const struct wall_making *m, int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
        size_t i = find_sample(m, tid, from_ns - BEFORE_OWN_NS);

        return to_ns - from_ns < OWN_NS && i < m->n_samples && m->samples[i].tid == tid &&
               m->samples[i].time_ns <= to_ns;
}

/* The reading in a gap; n_readings if there is none. Of several the first one that does not lack tasks. */
static size_t reading_in(const struct wall_making *m, int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
        size_t i = find_reading(m, tid, from_ns), found = m->n_readings;

        for (; i < m->n_readings && m->readings[i].reading->tid == tid &&
               m->readings[i].reading->time_ns <= to_ns;
             i++) {
                if (found == m->n_readings || m->readings[found].reading->python & WAIT_PYTHON_TASKS)
                        found = i;
        }
        return found;
}

static void add_gap(struct wall_making *m, struct dividing *d, uint64_t from_ns, uint64_t to_ns,
                    bool is_preempted)
{
        uint64_t ns = to_ns > from_ns ? to_ns - from_ns : 0;
        size_t i;

        if (is_preempted) {
                d->runnable_ns += ns;
                return;
        }
        i = reading_in(m, d->thread->tid, from_ns, to_ns);
        if (i < m->n_readings) {
                uint64_t look_ns = m->readings[i].reading->look_ns;

                m->readings[i].from_ns = from_ns;
                m->readings[i].to_ns = to_ns;
                m->readings[i].is_short = ns < look_ns;
                m->readings[i].weight_ns = ns < look_ns ? look_ns : ns;
                d->looks_ns += ns < look_ns ? (double)look_ns : 0;
                d->shared_ns += ns < look_ns ? ns : 0;
        } else if (!m->request->is_paced && is_own(m, d->thread->tid, from_ns, to_ns)) {
                d->own_ns += ns;
        } else {
                d->shared_ns += ns;
        }
}

static void divide_spans(struct wall_making *m, struct dividing *d)
{
        const struct wall_thread *thread = d->thread;
        const struct cpu_span *spans = &m->spans[thread->first_span];

        for (size_t i = 0; i < thread->n_spans; i++) {
                uint64_t from_ns = spans[i].from_ns ? spans[i].from_ns : m->from_ns;
                uint64_t to_ns = spans[i].to_ns == UINT64_MAX ? m->to_ns : spans[i].to_ns;
                bool is_last = i + 1 == thread->n_spans;

                d->cpu_ns += to_ns > from_ns ? to_ns - from_ns : 0;
                if (is_last && spans[i].is_last)
                        return;
                add_gap(m, d, to_ns, is_last ? m->to_ns : spans[i + 1].from_ns, spans[i].is_preempted);
        }
}

/* A thread that never ran waited all the time. */
static void divide_still(struct wall_making *m, struct dividing *d)
{
        add_gap(m, d, m->from_ns, m->to_ns, false);
}

/* Defined for times of a damaged session, too. `part` is from 0 to 1. */
static uint64_t part_of(double part, uint64_t whole_ns)
{
        double ns = part * (double)whole_ns;

        return ns < 0x1p64 ? (uint64_t)ns : whole_ns;
}

/* --- Pieces --- */

static void add_piece(struct wall_making *m, const struct wall_piece *piece)
{
        if (piece->ns)
                ARRAY_PUSH(m->pieces->items, m->pieces->n, m->cap_pieces, *piece);
}

/* The time around a sample or a reading that stands for `ns`. */
static void set_around(struct wall_piece *piece, const struct dividing *d)
{
        uint64_t half = piece->ns / 2;

        piece->from_ns = piece->time_ns > d->from_ns + half ? piece->time_ns - half : d->from_ns;
        piece->to_ns = piece->time_ns + half < d->to_ns ? piece->time_ns + half : d->to_ns;
}

static void add_stackless(struct wall_making *m, const struct dividing *d, unsigned state, uint64_t ns)
{
        const struct wall_piece piece = {.time_ns = d->from_ns,
                                         .ns = ns,
                                         .from_ns = d->from_ns,
                                         .to_ns = d->to_ns,
                                         .pid = d->thread->pid,
                                         .tid = d->thread->tid,
                                         .state = (uint8_t)state};

        if (ns)
                ARRAY_PUSH(m->pieces->stackless, m->pieces->n_stackless, m->cap_stackless, piece);
}

/* Shares out what the short gaps have in all, so that the sums are exact. */
static void share_out(struct wall_making *m, struct dividing *d)
{
        if (d->looks_ns <= 0)
                add_stackless(m, d, WAIT_KIND_UNKNOWN, d->shared_ns);
        for (size_t i = d->first_reading; i < m->n_readings && m->readings[i].reading->tid == d->thread->tid;
             i++) {
                struct wall_reading *r = &m->readings[i];
                struct wall_at at = function_of(m, r->node);
                struct wall_piece piece = {.time_ns = r->reading->time_ns,
                                           .ns = r->weight_ns,
                                           .from_ns = r->from_ns,
                                           .to_ns = r->to_ns,
                                           .pid = r->reading->pid,
                                           .tid = r->reading->tid,
                                           .function = at.function,
                                           .line = at.line,
                                           .holder = holder_of(m, r),
                                           .state = r->kind,
                                           .idle_call = r->idle_call,
                                           .is_reading = true,
                                           .is_sampled = r->is_short,
                                           .has_gil = r->reading->python & WAIT_PYTHON_GIL,
                                           .is_cut = r->reading->how == WAIT_HOW_MOVING,
                                           .lacks_tasks = r->reading->python & WAIT_PYTHON_TASKS};

                if (r->is_short) {
                        piece.ns = part_of((double)r->weight_ns / d->looks_ns, d->shared_ns);
                        set_around(&piece, d);
                }
                add_piece(m, &piece);
        }
}

static void add_running(struct wall_making *m, const struct dividing *d, const struct wall_sample *sample,
                        unsigned state, uint64_t ns)
{
        struct wall_at at = function_of(m, sample->node);
        struct wall_piece piece = {.time_ns = sample->time_ns,
                                   .ns = ns,
                                   .pid = d->thread->pid,
                                   .tid = d->thread->tid,
                                   .function = at.function,
                                   .line = at.line,
                                   .has_gil = sample->has_gil,
                                   .state = (uint8_t)state};

        set_around(&piece, d);
        add_piece(m, &piece);
}

/* The last sample takes what the others leave, so that the sums are exact. */
static void share_cpu(struct wall_making *m, const struct dividing *d)
{
        size_t first = find_sample(m, d->thread->tid, 0), end = first;
        uint64_t cpu_ns = d->cpu_ns, runnable_ns = d->runnable_ns;
        double sum = 0;

        add_stackless(m, d, WALL_OWN, d->own_ns);
        for (; end < m->n_samples && m->samples[end].tid == d->thread->tid; end++)
                sum += (double)m->samples[end].weight;
        if (sum <= 0) {
                add_stackless(m, d, WAIT_KIND_ON_CPU, cpu_ns);
                add_stackless(m, d, WALL_RUNNABLE, runnable_ns);
                return;
        }
        for (size_t i = first; i < end; i++) {
                double part = (double)m->samples[i].weight / sum;
                uint64_t cpu = part_of(part, d->cpu_ns), runnable = part_of(part, d->runnable_ns);

                cpu = i + 1 == end || cpu > cpu_ns ? cpu_ns : cpu;
                runnable = i + 1 == end || runnable > runnable_ns ? runnable_ns : runnable;
                add_running(m, d, &m->samples[i], WAIT_KIND_ON_CPU, cpu);
                add_running(m, d, &m->samples[i], WALL_RUNNABLE, runnable);
                cpu_ns -= cpu;
                runnable_ns -= runnable;
        }
}

static void divide(struct wall_making *m, const struct wall_thread *thread)
{
        struct dividing d = {.thread = thread, .first_reading = find_reading(m, thread->tid, 0)};

        const struct cpu_span *first = thread->n_spans ? &m->spans[thread->first_span] : NULL;
        const struct cpu_span *last = first ? &first[thread->n_spans - 1] : NULL;

        d.from_ns = first && first->from_ns ? first->from_ns : m->from_ns;
        d.to_ns = last && last->is_last && last->to_ns != UINT64_MAX ? last->to_ns : m->to_ns;
        if (thread->n_spans)
                divide_spans(m, &d);
        else
                divide_still(m, &d);
        share_cpu(m, &d);
        share_out(m, &d);
}

static void divide_all(struct wall_making *m)
{
        struct map seen = {0};

        for (size_t i = 0, n; i < m->n_spans; i += n) {
                for (n = 1; i + n < m->n_spans && m->spans[i + n].tid == m->spans[i].tid;)
                        n++;
                *map_put(&seen, (uint64_t)(uint32_t)m->spans[i].tid, NULL) = 1;
                divide(m, &(struct wall_thread){m->spans[i].tid, m->spans[i].pid, i, n});
        }
        for (size_t i = 0; i < m->n_readings; i++) {
                const struct wait_reading *r = m->readings[i].reading;

                if (!map_find(&seen, (uint64_t)(uint32_t)r->tid)) {
                        *map_put(&seen, (uint64_t)(uint32_t)r->tid, NULL) = 1;
                        divide(m, &(struct wall_thread){.tid = r->tid, .pid = r->pid});
                }
        }
        map_release(&seen);
}

/* --- Results --- */

static int compare_pieces(const void *a, const void *b)
{
        const struct wall_piece *x = a, *y = b;
        int order = by_thread_and_time(x->tid, x->time_ns, y->tid, y->time_ns);

        if (order)
                return order;
        return x->is_reading != y->is_reading ? x->is_reading - y->is_reading : x->state - y->state;
}

static int compare_times(const void *a, const void *b)
{
        const struct wall_piece *x = a, *y = b;

        if (x->time_ns != y->time_ns)
                return x->time_ns < y->time_ns ? -1 : 1;
        return x->tid != y->tid ? (x->tid < y->tid ? -1 : 1) : x->state - y->state;
}

static void sort(struct wall_piece *pieces, size_t n, int (*compare)(const void *, const void *))
{
        if (n)
                qsort(pieces, n, sizeof(*pieces), compare);
}

static void making_release(struct wall_making *m)
{
        free(m->spans);
        free(m->readings);
        free(m->samples);
        map_release(&m->functions);
        map_release(&m->nodes);
}

struct wall_pieces *wall_pieces_new(const struct wall_request *request)
{
        struct wall_making m = {.request = request};

        if (!cpu_spans_n(request->spans) && !request->waits->n)
                return NULL;
        m.pieces = mem_new(1, sizeof(*m.pieces));
        take_spans(&m);
        take_samples(&m);
        set_kinds_of_loops(&m);
        /* where nothing ran there is no record of the end */
        if (m.to_ns - m.from_ns < request->elapsed_ns)
                m.to_ns = m.from_ns + request->elapsed_ns;
        m.pieces->elapsed_ns = m.to_ns - m.from_ns;
        m.pieces->knows_gil = request->waits->n_holders > 0;
        divide_all(&m);
        sort(m.pieces->items, m.pieces->n, compare_pieces);
        sort(m.pieces->stackless, m.pieces->n_stackless, compare_times);
        making_release(&m);
        return m.pieces;
}

void wall_pieces_free(struct wall_pieces *pieces)
{
        if (!pieces)
                return;
        free(pieces->items);
        free(pieces->stackless);
        free(pieces->functions);
        arena_release(&pieces->texts);
        free(pieces);
}

size_t wall_pieces_find(const struct wall_pieces *pieces, int32_t tid, uint64_t time_ns, bool is_reading)
{
        const struct wall_piece wanted = {.tid = tid, .time_ns = time_ns, .is_reading = is_reading};
        size_t low = 0, high = pieces->n;

        SEARCH_FIRST(low, high, middle, compare_pieces(&pieces->items[middle], &wanted) < 0);
        if (low == pieces->n || pieces->items[low].tid != tid || pieces->items[low].time_ns != time_ns ||
            pieces->items[low].is_reading != is_reading)
                return pieces->n;
        return low;
}

struct strip_state *wall_pieces_states(const struct wall_pieces *pieces, size_t *ret_n)
{
        struct strip_state *states = mem_new(pieces->n + 1, sizeof(*states));
        size_t n = 0;

        for (size_t i = 0; i < pieces->n; i++) {
                const struct wall_piece *p = &pieces->items[i];

                if (p->state != WAIT_KIND_ON_CPU)
                        states[n++] = (struct strip_state){p->from_ns, p->to_ns, p->pid, p->tid, p->state};
        }
        *ret_n = n;
        return states;
}
