/* SPDX-License-Identifier: BSD-3-Clause */
#include "latency_pieces.h"

#include <stdlib.h>

#include "mem.h"
#include "search.h"

/* When threads came to CPUs and left them, each sorted. */
struct running_times {
        uint64_t *from_ns, *to_ns;
        size_t n;
};

static int compare_times(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static struct running_times collect(const struct cpu_spans *spans)
{
        struct running_times t = {.n = cpu_spans_n(spans)};

        t.from_ns = mem_new(t.n, sizeof(*t.from_ns));
        t.to_ns = mem_new(t.n, sizeof(*t.to_ns));
        for (size_t i = 0; i < t.n; i++) {
                t.from_ns[i] = cpu_spans_get(spans, i)->from_ns;
                t.to_ns[i] = cpu_spans_get(spans, i)->to_ns;
        }
        qsort(t.from_ns, t.n, sizeof(*t.from_ns), compare_times);
        qsort(t.to_ns, t.n, sizeof(*t.to_ns), compare_times);
        return t;
}

/* How many of `times` are not after `ns`. */
static size_t count_until(const uint64_t *times, size_t n, uint64_t ns)
{
        size_t low = 0, high = n;

        SEARCH_FIRST(low, high, middle, times[middle] <= ns);
        return low;
}

/* The sampled thread ran, whatever the switches say. */
static uint64_t parallelism_at(const struct running_times *t, uint64_t ns)
{
        size_t came = count_until(t->from_ns, t->n, ns), left = count_until(t->to_ns, t->n, ns);

        return came > left ? came - left : 1;
}

static int compare_pieces(const void *a, const void *b)
{
        const struct wall_piece *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static bool is_wanted(const struct latency_request *request, uint64_t parallelism)
{
        uint64_t level = parallelism < request->n_levels ? parallelism : request->n_levels - 1;

        return !request->levels || request->levels[level / 64] >> level % 64 & 1;
}

static void add_piece(const struct latency_request *request, const struct running_times *times,
                      const struct listed_sample *sample, struct wall_pieces *pieces)
{
        uint64_t parallelism = parallelism_at(times, sample->time_ns);

        if (sample->event != request->event || !is_wanted(request, parallelism))
                return;
        pieces->items[pieces->n++] =
                (struct wall_piece){.time_ns = sample->time_ns,
                                    .ns = sample->weight / (request->is_whole ? 1 : parallelism),
                                    .pid = sample->pid,
                                    .tid = sample->tid,
                                    .state = WAIT_KIND_ON_CPU};
}

struct wall_pieces *latency_pieces_new(const struct latency_request *request)
{
        struct wall_pieces *pieces;
        struct running_times times;
        size_t n = sample_list_n(request->samples);

        if (!cpu_spans_n(request->spans))
                return NULL;
        times = collect(request->spans);
        pieces = mem_new(1, sizeof(*pieces));
        pieces->items = mem_new(n + 1, sizeof(*pieces->items));
        for (size_t i = 0; i < n; i++)
                add_piece(request, &times, sample_list_get(request->samples, i), pieces);
        if (pieces->n)
                qsort(pieces->items, pieces->n, sizeof(*pieces->items), compare_pieces);
        free(times.from_ns);
        free(times.to_ns);
        return pieces;
}
