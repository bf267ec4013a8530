/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_spans.h"

#include <assert.h>
#include <stdlib.h>

#include "map.h"
#include "mem.h"

#define PLACE_MARK (UINT64_C(1) << 63)

struct cpu_spans {
        struct cpu_span *items;
        size_t n, cap;
        struct map last; /* by key_of(): index of the last span + 1; 0: none yet */
        struct budget_share share;
};

struct cpu_spans *cpu_spans_new(struct budget *budget)
{
        struct cpu_spans *spans = mem_new(1, sizeof(*spans));

        spans->share.budget = budget;
        return spans;
}

void cpu_spans_free(struct cpu_spans *spans)
{
        if (!spans)
                return;
        budget_share_keep(&spans->share, 0);
        map_release(&spans->last);
        free(spans->items);
        free(spans);
}

/* A CPU, on which one thread runs at a time; or the thread, if the CPU was not recorded. */
static uint64_t key_of(const struct cpu_change *change)
{
        return change->cpu != UINT32_MAX && !change->is_of_thread ? change->cpu
                                                                  : UINT64_C(1) << 32 | (uint32_t)change->tid;
}

/* The last span there; NULL if there is none.  *ret_is_known: there was a switch. */
static struct cpu_span *last_span(struct cpu_spans *spans, const struct cpu_change *change,
                                  bool *ret_is_known)
{
        const uint64_t *last = map_find(&spans->last, key_of(change));

        *ret_is_known = last;
        return last && *last ? &spans->items[*last - 1] : NULL;
}

static void close_span(struct cpu_span *span, uint64_t time_ns)
{
        if (span && span->to_ns == UINT64_MAX)
                span->to_ns = time_ns;
}

static void set_end(struct cpu_span *span, const struct cpu_change *out)
{
        span->is_preempted = out->is_preempted;
        span->is_last = out->is_last;
        span->state = out->state;
        if (span->tid == out->tid) /* the record of its beginning may be of the thread before it */
                span->pid = out->pid;
}

/* The record of a thread's end may have a CPU where its switches have none. Such a thread waited until its
 * end if it was not on a CPU: switches that were made from its times do not have the last one. */
void cpu_spans_exit(struct cpu_spans *spans, const struct cpu_change *last)
{
        struct cpu_change end = *last;
        bool is_known;
        struct cpu_span *span = last_span(spans, last, &is_known);

        if (!span || span->tid != last->tid) {
                end.cpu = UINT32_MAX;
                end.is_out = false;
                span = last_span(spans, &end, &is_known);
        }
        if (span && end.cpu == UINT32_MAX && span->to_ns < end.time_ns) {
                cpu_spans_add(spans, &end);
                span = last_span(spans, &end, &is_known);
        }
        if (!span)
                return;
        close_span(span, last->time_ns);
        span->is_last = true;
}

void cpu_spans_add(struct cpu_spans *spans, const struct cpu_change *change)
{
        bool is_known, is_kept;
        struct cpu_span span = {.pid = change->pid,
                                .tid = change->tid,
                                .cpu = change->cpu,
                                .is_first = change->is_first,
                                .is_last = change->is_last};
        struct cpu_span *last = last_span(spans, change, &is_known);

        if (change->is_out)
                set_end(&span, change);
        if (last && change->is_out && last->to_ns == UINT64_MAX)
                set_end(last, change);
        close_span(last, change->time_ns);
        if (change->is_out && is_known)
                return;
        span.from_ns = change->is_out ? 0 : change->time_ns;
        span.to_ns = change->is_out ? change->time_ns : UINT64_MAX;
        is_kept = change->tid > 0 && budget_share_take(&spans->share, BUDGET_SAMPLES, 2 * sizeof(span));
        if (is_kept)
                ARRAY_PUSH(spans->items, spans->n, spans->cap, span);
        *map_put(&spans->last, key_of(change), NULL) = is_kept ? spans->n : 0;
}

void cpu_spans_take_back(struct cpu_spans *spans, const struct cpu_change *change)
{
        bool is_known;
        struct cpu_span *span = last_span(spans, change, &is_known);

        if (!span || span->tid != change->tid || span->to_ns != UINT64_MAX)
                return;
        span->tid = 0;
        span->to_ns = span->from_ns;
}

/* Copies spans that were not taken back; returns their number. The two may be the same. */
static size_t copy_kept(const struct cpu_spans *spans, struct cpu_span *to)
{
        size_t n = 0;

        for (size_t i = 0; i < spans->n; i++) {
                if (spans->items[i].tid)
                        to[n++] = spans->items[i];
        }
        return n;
}

/* Where each span goes: behind those of the threads that came before its thread, and its thread's earlier
 * ones. */
static uint32_t *find_places(const struct cpu_span *items, size_t n_items)
{
        uint32_t *places = mem_new(n_items + 1, sizeof(*places));
        struct map next = {0};
        uint64_t first = 0;

        for (size_t i = 0; i < n_items; i++)
                ++*map_put(&next, (uint32_t)items[i].tid, NULL);
        for (size_t i = 0; i < n_items; i++) {
                uint64_t *at = map_find(&next, (uint32_t)items[i].tid);

                /* numbers, until the thread's first span is met; then places, with a mark */
                if (!(*at & PLACE_MARK)) {
                        uint64_t n = *at;

                        *at = first | PLACE_MARK;
                        first += n;
                }
                places[i] = (uint32_t)((*at)++ & ~PLACE_MARK);
        }
        map_release(&next);
        return places;
}

/* In place, because there may be millions: 10 million switches have 160 MB of spans. */
static void group(struct cpu_span *items, size_t n)
{
        uint32_t *places = find_places(items, n);

        for (size_t i = 0; i < n; i++) {
                while (places[i] != i) {
                        uint32_t to = places[i];
                        struct cpu_span span = items[to];

                        items[to] = items[i];
                        items[i] = span;
                        places[i] = places[to];
                        places[to] = to;
                }
        }
        free(places);
}

void cpu_spans_group(struct cpu_spans *spans)
{
        spans->n = copy_kept(spans, spans->items);
        map_release(&spans->last);
        group(spans->items, spans->n);
}

struct cpu_span *cpu_spans_copy(const struct cpu_spans *spans, size_t *ret_n)
{
        struct cpu_span *copy = mem_new(spans->n + 1, sizeof(*copy));

        *ret_n = copy_kept(spans, copy);
        group(copy, *ret_n);
        return copy;
}

/* --- beginning anew --- */

struct beginning_anew {
        const struct cpu_spans *old;
        struct cpu_spans *spans;
        struct map kept; /* tid to the index in the new items + 1 */
};

/* What was last on a CPU, or of a thread. A CPU whose last thread is elsewhere by now is known to have had
 * switches. */
static void keep_last(void *ctx, uint64_t key, uint64_t *last)
{
        const struct beginning_anew *b = ctx;
        const struct cpu_span *span = *last ? &b->old->items[*last - 1] : NULL;
        const uint64_t *at = span ? map_find(&b->kept, (uint32_t)span->tid) : NULL;
        bool is_of_cpu = key < UINT64_C(1) << 32;
        bool is_there = at && (!is_of_cpu || b->spans->items[*at - 1].cpu == span->cpu);

        if (is_of_cpu || is_there)
                *map_put(&b->spans->last, key, NULL) = is_there ? *at : 0;
}

void cpu_spans_begin_anew(struct cpu_spans *spans, uint64_t now_ns)
{
        struct cpu_spans old = *spans;
        struct beginning_anew b = {.old = &old, .spans = spans};
        struct map last = {0};

        *spans = (struct cpu_spans){.share = old.share};
        for (size_t i = 0; i < old.n; i++)
                *map_put(&last, (uint32_t)old.items[i].tid, NULL) = i;
        for (size_t i = 0; i < old.n; i++) {
                struct cpu_span span = old.items[i];

                if (!span.tid || span.is_last || *map_find(&last, (uint32_t)span.tid) != i)
                        continue;
                span.from_ns = now_ns;
                span.to_ns = span.to_ns == UINT64_MAX ? UINT64_MAX : now_ns;
                span.is_first = false;
                ARRAY_PUSH(spans->items, spans->n, spans->cap, span);
                *map_put(&b.kept, (uint32_t)span.tid, NULL) = spans->n;
        }
        map_each(&old.last, keep_last, &b);
        map_release(&last);
        map_release(&b.kept);
        free(old.items);
        map_release(&old.last);
}

size_t cpu_spans_n(const struct cpu_spans *spans)
{
        return spans->n;
}

const struct cpu_span *cpu_spans_get(const struct cpu_spans *spans, size_t index)
{
        assert(index < spans->n);
        return &spans->items[index];
}
