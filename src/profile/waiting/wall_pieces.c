/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's time is divided at its switches. A gap between two spans on CPUs is a wait, or the thread was
 * ready to run. A gap in which the thread was read has the kind of the reading. Of the gaps that are shorter
 * than the time between two looks only some are read, each with a chance that grows with its length: these
 * stand for all of them, each with the same weight. */
#include "wall_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "lock_waits.h"
#include "mem.h"
#include "search.h"
#include "stack_waits.h"
#include "syscall_waits.h"
#include "wall_making.h"

enum {
        OWN_NS = 100000000,     /* a stop by wperf takes less, also if the thread queues for a CPU then */
        MOST_STOP_NS = 500000,  /* what of that is the stop, at most */
        BEFORE_OWN_NS = 300000, /* a sample is taken so long before the thread leaves its CPU, at most */
        SPANS_OF_TIME = 1000,   /* waits without a stack that begin in the same one are one piece */
};

/* What is known of a thread while it is divided. */
struct wall_thread {
        int32_t tid, pid;
        size_t first_span, n_spans;  /* in order of time */
        uint64_t since_ns, until_ns; /* others had its number before and after; UINT64_MAX: none after it */
};

/* --- A thread --- */

struct dividing {
        const struct wall_thread *thread;
        uint64_t cpu_ns, runnable_ns, own_ns;
        uint64_t *stops_ns; /* gaps that are stops by wperf */
        size_t n_stops, cap_stops;
        uint64_t shared_ns;      /* gaps that were not read, and short ones that were */
        uint64_t n_shared;       /* their number */
        double looks_ns;         /* what the readings in short ones stand for, before it is scaled */
        size_t first_reading;    /* of this thread */
        uint64_t from_ns, to_ns; /* the thread's first time, and its last */
        size_t last_stackless[WALL_N_STATES]; /* index + 1 of the last piece of add_stackless_time() */
};

/* Whether a sample or a reading of this time is the thread's. */
static bool is_of(const struct wall_thread *thread, int32_t tid, uint64_t time_ns)
{
        return tid == thread->tid && (time_ns < thread->until_ns || thread->until_ns == UINT64_MAX);
}

/* The end of what is known of the thread, unless its own end is. */
static uint64_t end_of(const struct wall_making *m, const struct wall_thread *thread)
{
        return thread->until_ns < m->to_ns ? thread->until_ns : m->to_ns;
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

/* The same of a part of the thread's time. Parts that are near each other are one piece. */
static void add_stackless_time(struct wall_making *m, struct dividing *d, unsigned state, uint64_t from_ns,
                               uint64_t to_ns)
{
        uint64_t span_ns = (m->to_ns - m->from_ns) / SPANS_OF_TIME + 1;
        size_t last = d->last_stackless[state];
        struct wall_piece *piece = last ? &m->pieces->stackless[last - 1] : NULL;

        if (to_ns <= from_ns)
                return;
        if (piece && (piece->from_ns - m->from_ns) / span_ns == (from_ns - m->from_ns) / span_ns) {
                piece->ns += to_ns - from_ns;
                piece->to_ns = to_ns;
                return;
        }
        add_stackless(m, d, state, to_ns - from_ns);
        piece = &m->pieces->stackless[m->pieces->n_stackless - 1];
        piece->time_ns = piece->from_ns = from_ns;
        piece->to_ns = to_ns;
        piece->is_timed = true;
        d->last_stackless[state] = m->pieces->n_stackless;
}

static bool is_own(const struct wall_making *m, int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
        size_t i = wall_making_find_sample(m, tid, from_ns - BEFORE_OWN_NS);

        return to_ns - from_ns < OWN_NS && i < m->n_samples && m->samples[i].tid == tid &&
               m->samples[i].time_ns <= to_ns;
}

/* The reading of the wait between two spans; of several the first one that does not lack tasks. NULL: it was
 * not read. */
static struct wall_reading *reading_of(const struct wall_making *m, const struct cpu_span *before,
                                       int32_t tid, uint64_t from_ns, uint64_t to_ns)
{
        size_t i = wall_making_find_reading(m, tid, from_ns);
        struct wall_reading *found = NULL;

        for (size_t k = i; k < m->n_readings && m->readings[k].tid == tid && m->readings[k].time_ns <= to_ns;
             k++) {
                if (!found || found->lacks_tasks)
                        found = &m->readings[k];
        }
        if (found)
                return found;
        /* the kernel takes the sample of a switch before it writes the switch's record */
        if (before && i && m->readings[i - 1].is_switch && m->readings[i - 1].tid == tid &&
            m->readings[i - 1].time_ns > before->from_ns)
                return &m->readings[i - 1];
        return NULL;
}

static void add_read_wait(struct dividing *d, struct wall_reading *reading, uint64_t from_ns, uint64_t to_ns)
{
        uint64_t ns = to_ns - from_ns, look_ns = reading->look_ns;

        reading->from_ns = from_ns;
        reading->to_ns = to_ns;
        reading->is_short = ns < look_ns;
        reading->weight_ns = ns < look_ns ? look_ns : ns;
        d->looks_ns += ns < look_ns ? (double)look_ns : 0;
        d->shared_ns += ns < look_ns ? ns : 0;
        d->n_shared += ns < look_ns;
}

/* For those that ended waits. */
static void keep_wait(struct wall_making *m, const struct wall_wait *wait)
{
        const struct wall_request *request = m->request;
        struct wall_wait kept = *wait;

        if (!(request->wants & WALL_WANTS_WAKERS) ||
            !request->counts_wait(request->ctx, wait->pid, wait->tid, wait->kind))
                return;
        if (request->rows_from_ns > kept.from_ns)
                kept.from_ns = request->rows_from_ns;
        if (kept.from_ns < kept.to_ns && (!request->rows_to_ns || kept.to_ns <= request->rows_to_ns))
                ARRAY_PUSH(m->waits, m->n_waits, m->cap_waits, kept);
}

/* The thread waits, and then it is ready to run. */
static void add_wait(struct wall_making *m, struct dividing *d, struct wall_reading *reading,
                     const struct cpu_span *before, uint64_t from_ns, uint64_t to_ns)
{
        uint64_t woken_ns = wall_making_find_waking(m, d->thread->tid, from_ns, to_ns);
        AUTO_RELEASE(buf) text = {0};
        enum wait_kind kind =
                reading ? reading->kind : stack_waits_decide(NULL, 0, before ? before->state : 0, &text).kind;

        keep_wait(m, &(struct wall_wait){.from_ns = from_ns,
                                         .to_ns = woken_ns,
                                         .pid = d->thread->pid,
                                         .tid = d->thread->tid,
                                         .node = reading ? reading->node : NAMED_NONE,
                                         .kind = (uint8_t)kind});
        if (reading) {
                add_read_wait(d, reading, from_ns, woken_ns);
                reading->ready_ns = to_ns - woken_ns;
        } else if (m->request->waits && !m->request->is_paced && is_own(m, d->thread->tid, from_ns, to_ns)) {
                ARRAY_PUSH(d->stops_ns, d->n_stops, d->cap_stops, to_ns - from_ns);
        } else if (m->request->waits) {
                d->shared_ns += to_ns - from_ns;
                d->n_shared++;
        } else {
                add_stackless_time(m, d, kind, from_ns, woken_ns);
                add_stackless_time(m, d, WALL_RUNNABLE, woken_ns, to_ns);
        }
}

/* `before`: the span at whose end the thread left its CPU; NULL: it never ran. */
static void add_gap(struct wall_making *m, struct dividing *d, const struct cpu_span *before,
                    uint64_t from_ns, uint64_t to_ns)
{
        struct wall_reading *reading;

        if (to_ns <= from_ns)
                return;
        reading = reading_of(m, before, d->thread->tid, from_ns, to_ns);
        /* a thread that has ended, and has to leave its CPU once more, does not wait */
        if (!before || (!before->is_preempted && !before->is_last)) {
                add_wait(m, d, reading, before, from_ns, to_ns);
        } else if (reading && reading->is_switch) {
                reading->from_ns = reading->to_ns = from_ns;
                reading->ready_ns = to_ns - from_ns;
        } else {
                d->runnable_ns += to_ns - from_ns;
        }
}

static void divide_spans(struct wall_making *m, struct dividing *d)
{
        const struct wall_thread *thread = d->thread;
        const struct cpu_span *spans = &m->spans[thread->first_span];
        uint64_t end_ns = end_of(m, thread);

        for (size_t i = 0; i < thread->n_spans; i++) {
                uint64_t from_ns = spans[i].from_ns ? spans[i].from_ns : m->from_ns;
                uint64_t to_ns = spans[i].to_ns == UINT64_MAX ? end_ns : spans[i].to_ns;
                bool is_last = i + 1 == thread->n_spans;

                d->cpu_ns += to_ns > from_ns ? to_ns - from_ns : 0;
                if (is_last && spans[i].is_last)
                        return;
                add_gap(m, d, &spans[i], to_ns, is_last ? end_ns : spans[i + 1].from_ns);
        }
}

/* Without switches only the lengths of waits are known, and the samples on CPUs. */
static void divide_given(struct wall_making *m, struct dividing *d)
{
        for (size_t i = d->first_reading;
             i < m->n_readings && is_of(d->thread, m->readings[i].tid, m->readings[i].time_ns); i++) {
                struct wall_reading *r = &m->readings[i];
                bool has_time = r->time_ns < SAMPLE_NO_TIME_NS && r->time_ns - m->from_ns > r->weight_ns;

                r->from_ns = has_time ? r->time_ns - r->weight_ns : m->from_ns;
                r->to_ns = has_time ? r->time_ns : m->to_ns;
        }
        for (size_t i = wall_making_find_sample(m, d->thread->tid, d->thread->since_ns);
             i < m->n_samples && is_of(d->thread, m->samples[i].tid, m->samples[i].time_ns); i++)
                d->cpu_ns += m->request->cpu_sample_ns ? m->request->cpu_sample_ns : m->samples[i].weight;
}

static int compare_ns(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return *x < *y ? -1 : *x > *y;
}

/* On a busy machine a thread that was stopped, or who stops it, queues for a CPU: a stop takes at most twice
 * as long as the shortest quarter of them, and MOST_STOP_NS where all of them queue. */
static void divide_stops(struct dividing *d)
{
        uint64_t most_ns;

        if (!d->n_stops)
                return;
        qsort(d->stops_ns, d->n_stops, sizeof(*d->stops_ns), compare_ns);
        most_ns = 2 * d->stops_ns[d->n_stops / 4];
        most_ns = most_ns < MOST_STOP_NS ? most_ns : MOST_STOP_NS;
        for (size_t i = 0; i < d->n_stops; i++) {
                uint64_t own_ns = d->stops_ns[i] < most_ns ? d->stops_ns[i] : most_ns;

                d->own_ns += own_ns;
                d->runnable_ns += d->stops_ns[i] - own_ns;
        }
        free(d->stops_ns);
}

/* A thread that never ran waited all the time. */
static void divide_still(struct wall_making *m, struct dividing *d)
{
        add_gap(m, d, NULL, m->from_ns, m->to_ns);
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

static uint8_t state_of(unsigned state, const struct wall_at *at)
{
        return (uint8_t)(state == WAIT_KIND_ON_CPU && at->is_gc ? WALL_GC : state);
}

static struct wall_piece piece_of(struct wall_making *m, const struct wall_reading *r)
{
        return (struct wall_piece){.time_ns = r->time_ns,
                                   .ns = r->weight_ns,
                                   .from_ns = r->from_ns,
                                   .to_ns = r->to_ns,
                                   .pid = r->pid,
                                   .tid = r->tid,
                                   .function = r->at.function,
                                   .line = r->at.line,
                                   .holder = wall_making_holder_of(m, r),
                                   .state = state_of(r->kind, &r->at),
                                   .idle_call = r->idle_call,
                                   .is_reading = true,
                                   .is_sampled = r->is_short,
                                   .has_gil = r->has_gil,
                                   .is_cut = r->is_cut,
                                   .lacks_tasks = r->lacks_tasks,
                                   .is_poll = r->at.is_poll};
}

/* The time after a wait, or after the thread had to leave its CPU. */
static void add_ready(struct wall_making *m, const struct wall_reading *r, struct wall_piece piece)
{
        piece.ns = r->ready_ns;
        piece.from_ns = r->to_ns;
        piece.to_ns = r->to_ns + r->ready_ns;
        piece.holder = 0;
        piece.state = WALL_RUNNABLE;
        piece.idle_call = 0;
        add_piece(m, &piece);
}

/* A short wait was met by a chance that grows with its length. What is left of a whole number is the next
 * one's. */
static uint64_t count_short(const struct dividing *d, const struct wall_reading *r, double *rest)
{
        uint64_t ns = r->to_ns - r->from_ns, n;

        *rest += ns ? (double)r->weight_ns / (double)ns : 1;
        if (*rest > (double)d->n_shared)
                *rest = (double)d->n_shared;
        n = *rest > 1 ? (uint64_t)*rest : 1;
        *rest -= (double)n;
        return n;
}

/* Shares out what the short gaps have in all, so that the sums are exact. */
static void share_out(struct wall_making *m, struct dividing *d)
{
        double rest = 0;

        if (d->looks_ns <= 0)
                add_stackless(m, d, WAIT_KIND_UNKNOWN, d->shared_ns);
        for (size_t i = d->first_reading;
             i < m->n_readings && is_of(d->thread, m->readings[i].tid, m->readings[i].time_ns); i++) {
                struct wall_reading *r = &m->readings[i];
                struct wall_piece piece;

                if (r->is_short)
                        r->weight_ns = part_of((double)r->weight_ns / d->looks_ns, d->shared_ns);
                r->n_waits = r->is_short ? count_short(d, r, &rest) : 1;
                piece = piece_of(m, r);
                if (r->is_short)
                        set_around(&piece, d);
                add_piece(m, &piece);
                add_ready(m, r, piece);
        }
}

static void add_running(struct wall_making *m, const struct dividing *d, const struct wall_sample *sample,
                        unsigned state, uint64_t ns)
{
        struct wall_piece piece = {.time_ns = sample->time_ns,
                                   .ns = ns,
                                   .pid = d->thread->pid,
                                   .tid = d->thread->tid,
                                   .function = sample->at.function,
                                   .line = sample->at.line,
                                   .has_gil = sample->has_gil,
                                   .state = state_of(state, &sample->at)};

        set_around(&piece, d);
        add_piece(m, &piece);
}

/* The last sample takes what the others leave, so that the sums are exact. */
static void share_cpu(struct wall_making *m, const struct dividing *d)
{
        size_t first = wall_making_find_sample(m, d->thread->tid, d->thread->since_ns), end = first;
        uint64_t cpu_ns = d->cpu_ns, runnable_ns = d->runnable_ns;
        double sum = 0;

        add_stackless(m, d, WALL_OWN, d->own_ns);
        for (; end < m->n_samples && is_of(d->thread, m->samples[end].tid, m->samples[end].time_ns); end++)
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
        struct dividing d = {.thread = thread,
                             .first_reading = wall_making_find_reading(m, thread->tid, thread->since_ns)};
        const struct cpu_span *first = thread->n_spans ? &m->spans[thread->first_span] : NULL;
        const struct cpu_span *last = first ? &first[thread->n_spans - 1] : NULL;

        d.from_ns = first && first->from_ns ? first->from_ns : m->from_ns;
        d.to_ns = last && last->is_last && last->to_ns != UINT64_MAX ? last->to_ns : end_of(m, thread);
        if (thread->n_spans)
                divide_spans(m, &d);
        else if (!m->n_spans && !m->request->waits)
                divide_given(m, &d);
        else
                divide_still(m, &d);
        divide_stops(&d);
        share_cpu(m, &d);
        share_out(m, &d);
}

/* A thread without switches. */
static void divide_other(struct wall_making *m, struct map *seen, int32_t tid, int32_t pid)
{
        bool is_new;

        map_put(seen, (uint64_t)(uint32_t)tid, &is_new);
        if (is_new)
                divide(m, &(struct wall_thread){.tid = tid, .pid = pid, .until_ns = UINT64_MAX});
}

/* The threads that had a number one after the other. */
static void divide_spans_of(struct wall_making *m, const struct cpu_span *spans, size_t n_spans)
{
        uint64_t since_ns = 0;

        for (size_t i = 0, n; i < n_spans; i += n) {
                struct wall_thread thread = {.tid = spans->tid,
                                             .pid = spans[i].pid,
                                             .first_span = (size_t)(spans - m->spans) + i,
                                             .since_ns = since_ns,
                                             .until_ns = UINT64_MAX};

                for (n = 1; i + n < n_spans && !spans[i + n].is_first;)
                        n++;
                thread.n_spans = n;
                if (i + n < n_spans)
                        since_ns = thread.until_ns =
                                spans[i + n].from_ns > since_ns ? spans[i + n].from_ns : since_ns;
                divide(m, &thread);
        }
}

static void divide_all(struct wall_making *m)
{
        struct map seen = {0};

        for (size_t i = 0, n; i < m->n_spans; i += n) {
                for (n = 1; i + n < m->n_spans && m->spans[i + n].tid == m->spans[i].tid;)
                        n++;
                *map_put(&seen, (uint64_t)(uint32_t)m->spans[i].tid, NULL) = 1;
                divide_spans_of(m, &m->spans[i], n);
        }
        for (size_t i = 0; (m->request->waits || !m->n_spans) && i < m->n_readings; i++)
                divide_other(m, &seen, m->readings[i].tid, m->readings[i].pid);
        for (size_t i = 0; !m->n_spans && !m->request->waits && i < m->n_samples; i++)
                divide_other(m, &seen, m->samples[i].tid, m->samples[i].pid);
        map_release(&seen);
}

/* --- Results --- */

static int compare_pieces(const void *a, const void *b)
{
        const struct wall_piece *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        if (x->time_ns != y->time_ns)
                return x->time_ns < y->time_ns ? -1 : 1;
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

uint64_t wall_pieces_sample_ns(const struct perf_attr *attr)
{
        bool has_rate = attr->flags & PERF_ATTR_FREQ && attr->sample_period_or_freq;

        return !perf_attr_is_clock(attr) && has_rate ? 1000000000 / attr->sample_period_or_freq : 0;
}

void wall_pieces_divide(struct wall_making *m)
{
        m->pieces->elapsed_ns = m->to_ns - m->from_ns;
        divide_all(m);
        sort(m->pieces->items, m->pieces->n, compare_pieces);
        sort(m->pieces->stackless, m->pieces->n_stackless, compare_times);
}

struct wall_pieces *wall_pieces_new(const struct wall_request *request)
{
        struct wall_making m = {.request = request};

        if (!cpu_spans_n(request->spans) && !(request->waits && request->waits->n) &&
            !request->events->has[SCHED_OFF_CPU])
                return NULL;
        m.pieces = mem_new(1, sizeof(*m.pieces));
        cpu_spans_group(request->spans);
        wall_making_set_spans(&m, cpu_spans_n(request->spans) ? cpu_spans_get(request->spans, 0) : NULL,
                              cpu_spans_n(request->spans));
        wall_making_take(&m);
        /* where nothing ran there is no record of the end */
        if (m.to_ns - m.from_ns < request->elapsed_ns)
                m.to_ns = m.from_ns + request->elapsed_ns;
        m.pieces->knows_gil = request->waits && request->waits->n_holders;
        wall_pieces_divide(&m);
        m.pieces->wakers = request->wants & WALL_WANTS_WAKERS ? waker_rows_new(&m) : NULL;
        m.pieces->syscalls = request->wants & WALL_WANTS_SYSCALLS ? syscall_waits_new(&m) : NULL;
        m.pieces->locks = request->wants & WALL_WANTS_LOCKS ? lock_waits_new(&m) : NULL;
        wall_making_release(&m);
        return m.pieces;
}

void wall_pieces_free(struct wall_pieces *pieces)
{
        if (!pieces)
                return;
        free(pieces->items);
        free(pieces->stackless);
        free(pieces->functions);
        waker_rows_free(pieces->wakers);
        syscall_rows_free(pieces->syscalls);
        lock_rows_free(pieces->locks);
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

static int compare_states(const void *a, const void *b)
{
        const struct strip_state *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

struct strip_state *wall_pieces_states(const struct wall_pieces *pieces, bool only_shown, size_t *ret_n)
{
        struct strip_state *states = mem_new(pieces->n + pieces->n_stackless + 1, sizeof(*states));
        size_t n = 0;

        for (size_t i = 0; i < pieces->n + pieces->n_stackless; i++) {
                const struct wall_piece *p =
                        i < pieces->n ? &pieces->items[i] : &pieces->stackless[i - pieces->n];

                if (!(WALL_BIT(p->state) & WALL_ON_CPU) && (i < pieces->n || p->is_timed) &&
                    p->time_ns < SAMPLE_NO_TIME_NS && (!only_shown || p->is_shown))
                        states[n++] = (struct strip_state){p->from_ns, p->to_ns, p->pid, p->tid, p->state};
        }
        if (pieces->n_stackless && n)
                qsort(states, n, sizeof(*states), compare_states);
        *ret_n = n;
        return states;
}
