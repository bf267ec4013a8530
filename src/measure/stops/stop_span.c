/* SPDX-License-Identifier: BSD-3-Clause */
/* The times in which processes were traced. The ring's samples of these times are dropped, because stops
 * replace them; the inherited ring event can't be disabled for a single process. */
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_engine_internal.h"

static void free_old(struct stop_span **at, uint64_t now_ns)
{
        while (*at) {
                struct stop_span *span = *at;

                if (span->to_ns < now_ns && now_ns - span->to_ns > STOP_RING_NS) {
                        *at = span->older;
                        free(span);
                } else {
                        at = &span->older;
                }
        }
}

/* --- processes that ended long ago --- */

struct sweep {
        uint64_t now_ns;
        uint64_t *pids; /* pids without spans */
        size_t n_pids, cap_pids;
};

static void sweep_process(void *ctx, uint64_t pid, uint64_t *value)
{
        struct sweep *sweep = ctx;
        struct stop_span *newest = (struct stop_span *)(uintptr_t)*value;

        free_old(&newest, sweep->now_ns);
        *value = (uintptr_t)newest;
        if (!newest)
                ARRAY_PUSH(sweep->pids, sweep->n_pids, sweep->cap_pids, pid);
}

static void sweep_spans(struct stop_engine *e, uint64_t now_ns)
{
        struct sweep sweep = {.now_ns = now_ns};

        if (now_ns < e->swept_ns + STOP_RING_NS)
                return;
        e->swept_ns = now_ns;
        map_each(&e->spans, sweep_process, &sweep);
        for (size_t i = 0; i < sweep.n_pids; i++)
                map_remove(&e->spans, sweep.pids[i]);
        free(sweep.pids);
}

/* --- queries --- */

void stop_span_begin(struct stop_engine *e, int32_t pid, uint64_t time_ns)
{
        struct stop_span *span = mem_new(1, sizeof(*span));
        uint64_t *newest;

        sweep_spans(e, time_ns);
        newest = map_put(&e->spans, (uint64_t)pid, NULL);
        *span = (struct stop_span){
                .from_ns = time_ns, .to_ns = UINT64_MAX, .older = (struct stop_span *)(uintptr_t)*newest};
        *newest = (uintptr_t)span;
}

void stop_span_end(struct stop_engine *e, int32_t pid, uint64_t time_ns)
{
        const uint64_t *newest = map_find(&e->spans, (uint64_t)pid);
        struct stop_span *span = newest ? (struct stop_span *)(uintptr_t)*newest : NULL;

        if (span && span->to_ns == UINT64_MAX)
                span->to_ns = time_ns;
}

static void free_spans(void *ctx, uint64_t key, uint64_t *value)
{
        struct stop_span *span = (struct stop_span *)(uintptr_t)*value;

        (void)ctx;
        (void)key;
        while (span) {
                struct stop_span *older = span->older;

                free(span);
                span = older;
        }
}

void stop_span_release(struct stop_engine *e)
{
        map_each(&e->spans, free_spans, NULL);
        map_release(&e->spans);
}

static bool was_traced(const struct stop_engine *e, int32_t pid, uint64_t time_ns)
{
        const uint64_t *newest = map_find(&e->spans, (uint64_t)pid);
        const struct stop_span *span = newest ? (const struct stop_span *)(uintptr_t)*newest : NULL;

        while (span && (time_ns < span->from_ns || time_ns >= span->to_ns))
                span = span->older;
        return span;
}

/* Samples begin with IDENTIFIER, IP, TID and TIME. */
static bool is_dropped(struct stop_engine *e, const struct perf_header *header,
                       const uint64_t words[RING_WORDS])
{
        enum { TID = 3, TIME = 4 };

        return (header->misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_USER &&
               was_traced(e, (int32_t)words[TID], words[TIME]) &&
               !stop_seen_keeps(e, (int32_t)(words[TID] >> 32), words[TIME]);
}

static size_t wanted_bytes(void *ctx, const struct perf_header *header, const uint64_t words[RING_WORDS])
{
        enum { ID = 1 };
        struct stop_engine *e = ctx;
        bool dropped;

        /* The kernel's own count, of which a part is replaced, is put at the end. */
        if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_LOST_SAMPLES)
                return e->counts_losses ? 0 : header->size;
        if (header->type != PERF_RECORD_SAMPLE || !map_find(&e->ids, words[ID]))
                return header->size;
        dropped = is_dropped(e, header, words);
        e->n_dropped += dropped;
        e->n_passed += !dropped;
        return dropped ? 0 : header->size;
}

struct ring_filter stop_engine_filter(struct stop_engine *e)
{
        return (struct ring_filter){wanted_bytes, e};
}
