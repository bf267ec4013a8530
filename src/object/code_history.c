/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of all ranges cut the addresses into pieces, the leaves of a segment tree.  A range stands in the few nodes
 * that make it up, each node's list is in the order of time, and a search walks from a leaf to the root: its cost
 * stays small however often and crookedly addresses were used again. */
#include "code_history.h"

#include <stdlib.h>

#include "arena.h"

struct in_time {
        uint64_t time;
        uint32_t range;
};

struct code_history {
        uint64_t *bounds; /* piece i is from bounds[i] up to bounds[i + 1] */
        size_t n_bounds;
        struct in_time *order; /* by time; "rank" is a place in here */
        size_t n_ranges;
        size_t *first;   /* of each node's ranks; the next node's first is their end */
        uint32_t *ranks; /* of all nodes, rising in each */
};

static int compare_u64(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static int compare_times(const void *a, const void *b)
{
        const struct in_time *x = a, *y = b;

        if (x->time != y->time)
                return x->time < y->time ? -1 : 1;
        return (x->range > y->range) - (x->range < y->range);
}

static size_t n_pieces(const struct code_history *h)
{
        return h->n_bounds ? h->n_bounds - 1 : 0;
}

/* How many bounds are at or before `addr`. */
static size_t count_bounds(const struct code_history *h, uint64_t addr)
{
        size_t low = 0, high = h->n_bounds;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (h->bounds[middle] <= addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static void cut_into_pieces(struct code_history *h, const struct code_range *ranges)
{
        size_t n = 0;

        h->bounds = mem_new(h->n_ranges, 2 * sizeof(*h->bounds));
        for (size_t i = 0; i < h->n_ranges; i++) {
                if (ranges[i].start == ranges[i].end)
                        continue;
                h->bounds[n++] = ranges[i].start;
                h->bounds[n++] = ranges[i].end;
        }
        qsort(h->bounds, n, sizeof(*h->bounds), compare_u64);
        for (size_t i = 0; i < n; i++) {
                if (!h->n_bounds || h->bounds[h->n_bounds - 1] != h->bounds[i])
                        h->bounds[h->n_bounds++] = h->bounds[i];
        }
}

/* The nodes of one range, from its pieces upwards: siblings that are both in it give way to their parent. */
static size_t nodes_of(const struct code_history *h, const struct code_range *range, size_t ret_nodes[2 * 64])
{
        size_t n = 0, low, high;

        if (range->start == range->end)
                return 0;
        low = count_bounds(h, range->start) - 1 + n_pieces(h);
        high = count_bounds(h, range->end) - 1 + n_pieces(h);
        for (; low < high; low /= 2, high /= 2) {
                if (low & 1)
                        ret_nodes[n++] = low++;
                if (high & 1)
                        ret_nodes[n++] = --high;
        }
        return n;
}

static void fill_nodes(struct code_history *h, const struct code_range *ranges)
{
        size_t nodes[2 * 64], n_nodes = 2 * n_pieces(h);
        size_t *end;

        h->first = mem_new(n_nodes + 1, sizeof(*h->first));
        for (size_t i = 0; i < h->n_ranges; i++) {
                for (size_t n = nodes_of(h, &ranges[i], nodes); n; n--)
                        h->first[nodes[n - 1] + 1]++;
        }
        for (size_t i = 0; i < n_nodes; i++)
                h->first[i + 1] += h->first[i];
        h->ranks = mem_new(h->first[n_nodes], sizeof(*h->ranks));
        end = mem_new(n_nodes, sizeof(*end));
        for (size_t i = 0; i < n_nodes; i++)
                end[i] = h->first[i];
        for (size_t rank = 0; rank < h->n_ranges; rank++) {
                for (size_t n = nodes_of(h, &ranges[h->order[rank].range], nodes); n; n--)
                        h->ranks[end[nodes[n - 1]]++] = (uint32_t)rank;
        }
        free(end);
}

struct code_history *code_history_new(const struct code_range *ranges, size_t n_ranges)
{
        struct code_history *h = mem_new(1, sizeof(*h));

        h->n_ranges = n_ranges;
        h->order = mem_new(n_ranges, sizeof(*h->order));
        for (size_t i = 0; i < n_ranges; i++)
                h->order[i] = (struct in_time){ranges[i].time, (uint32_t)i};
        qsort(h->order, n_ranges, sizeof(*h->order), compare_times);
        cut_into_pieces(h, ranges);
        fill_nodes(h, ranges);
        return h;
}

void code_history_free(struct code_history *h)
{
        if (!h)
                return;
        free(h->bounds);
        free(h->order);
        free(h->first);
        free(h->ranks);
        free(h);
}

/* How many ranges are there at `time`. */
static size_t count_until(const struct code_history *h, uint64_t time)
{
        size_t low = 0, high = h->n_ranges;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (h->order[middle].time <= time)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

/* The last rank of a node that is below `limit`, plus 1; 0: none. */
static size_t last_rank(const struct code_history *h, size_t node, size_t limit)
{
        size_t low = h->first[node], high = h->first[node + 1];

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (h->ranks[middle] < limit)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low > h->first[node] ? (size_t)h->ranks[low - 1] + 1 : 0;
}

bool code_history_find(const struct code_history *h, uint64_t addr, uint64_t time, uint32_t *ret_range,
                       uint64_t *ret_from, uint64_t *ret_to)
{
        size_t bounds = count_bounds(h, addr), limit = count_until(h, time), found = 0;

        *ret_from = bounds ? h->bounds[bounds - 1] : 0;
        *ret_to = bounds < h->n_bounds ? h->bounds[bounds] : UINT64_MAX;
        if (!bounds || bounds == h->n_bounds)
                return false;
        for (size_t node = bounds - 1 + n_pieces(h); node; node /= 2) {
                size_t last = last_rank(h, node, limit);

                if (last > found)
                        found = last;
        }
        if (!found)
                return false;
        *ret_range = h->order[found - 1].range;
        return true;
}

bool code_history_has_replaced(const struct code_history *h)
{
        for (size_t piece = 0; piece < n_pieces(h); piece++) {
                size_t n = 0;

                for (size_t node = piece + n_pieces(h); node; node /= 2)
                        n += h->first[node + 1] - h->first[node];
                if (n > 1)
                        return true;
        }
        return false;
}
