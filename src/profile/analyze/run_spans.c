/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_spans.h"

#include <stdlib.h>

#include "map.h"
#include "mem.h"

struct run_spans {
        struct run_span *items;
        size_t n, cap;
        struct map last; /* by key_of(): index of the last span + 1; 0: none yet */
        struct budget_share share;
};

struct run_spans *run_spans_new(struct budget *budget)
{
        struct run_spans *spans = mem_new(1, sizeof(*spans));

        spans->share.budget = budget;
        return spans;
}

void run_spans_free(struct run_spans *spans)
{
        if (!spans)
                return;
        budget_share_keep(&spans->share, 0);
        map_release(&spans->last);
        free(spans->items);
        free(spans);
}

/* A CPU, on which one thread runs at a time; or the thread, if the CPU was not recorded. */
static uint64_t key_of(const struct run_turn *turn)
{
        return turn->cpu != UINT32_MAX ? turn->cpu : UINT64_C(1) << 32 | (uint32_t)turn->tid;
}

/* The last span there; NULL if there is none.  *ret_is_known: there was a turn. */
static struct run_span *last_span(struct run_spans *spans, const struct run_turn *turn, bool *ret_is_known)
{
        const uint64_t *last = map_find(&spans->last, key_of(turn));

        *ret_is_known = last;
        return last && *last ? &spans->items[*last - 1] : NULL;
}

static void close_span(struct run_span *span, uint64_t time_ns)
{
        if (span && span->to_ns == UINT64_MAX)
                span->to_ns = time_ns;
}

void run_spans_exit(struct run_spans *spans, const struct run_turn *last)
{
        bool is_known;
        struct run_span *span = last_span(spans, last, &is_known);

        if (span && span->tid == last->tid)
                close_span(span, last->time_ns);
}

void run_spans_add(struct run_spans *spans, const struct run_turn *turn)
{
        bool is_known, is_kept;
        struct run_span span = {.pid = turn->pid, .tid = turn->tid, .cpu = turn->cpu};

        close_span(last_span(spans, turn, &is_known), turn->time_ns);
        if (turn->is_out && is_known)
                return;
        span.from_ns = turn->is_out ? 0 : turn->time_ns;
        span.to_ns = turn->is_out ? turn->time_ns : UINT64_MAX;
        is_kept = turn->tid > 0 && budget_share_take(&spans->share, BUDGET_SAMPLES, 2 * sizeof(span));
        if (is_kept)
                ARRAY_PUSH(spans->items, spans->n, spans->cap, span);
        *map_put(&spans->last, key_of(turn), NULL) = is_kept ? spans->n : 0;
}

size_t run_spans_n(const struct run_spans *spans)
{
        return spans->n;
}

const struct run_span *run_spans_get(const struct run_spans *spans, size_t index)
{
        return &spans->items[index];
}
