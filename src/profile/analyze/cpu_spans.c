/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu_spans.h"

#include <assert.h>
#include <stdlib.h>

#include "map.h"
#include "mem.h"

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

void cpu_spans_exit(struct cpu_spans *spans, const struct cpu_change *last)
{
        bool is_known;
        struct cpu_span *span = last_span(spans, last, &is_known);

        if (!span || span->tid != last->tid)
                return;
        close_span(span, last->time_ns);
        span->is_last = true;
}

void cpu_spans_add(struct cpu_spans *spans, const struct cpu_change *change)
{
        bool is_known, is_kept;
        struct cpu_span span = {.pid = change->pid, .tid = change->tid, .cpu = change->cpu};
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

size_t cpu_spans_n(const struct cpu_spans *spans)
{
        return spans->n;
}

const struct cpu_span *cpu_spans_get(const struct cpu_spans *spans, size_t index)
{
        assert(index < spans->n);
        return &spans->items[index];
}
