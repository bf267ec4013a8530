/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds of all ranges divide the addresses into pieces, the leaves of a segment tree.  A range is
 * stored in the few nodes that cover it, each node's list is sorted by time, and a search walks from a leaf
 * to the root: its cost stays small even if addresses were used again many times. */
#include "code_history.h"

#include <assert.h>
#include <stdlib.h>

#include "mem.h"
#include "search.h"

struct in_time {
        uint64_t time;
        uint32_t range;
};

struct by_off {
        uint64_t off;
        uint32_t range;
};

struct code_history {
        uint64_t *bounds; /* piece i is from bounds[i] up to bounds[i + 1] */
        size_t n_bounds;
        struct in_time *order; /* sorted by time; a "rank" is an index in it */
        size_t n_ranges;
        size_t *first;     /* for each node, index of its first rank; the next node's first is its end */
        uint32_t *ranks;   /* ranks of all nodes, sorted in each node */
        uint64_t *changes; /* sorted times, each once */
        size_t n_changes, cap_changes;
        struct code_range *ranges;
        struct by_off *by_off; /* ranges that are not empty; the first of those at each offset */
        size_t n_by_off;
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

static int compare_offs(const void *a, const void *b)
{
        const struct by_off *x = a, *y = b;

        if (x->off != y->off)
                return x->off < y->off ? -1 : 1;
        return (x->range > y->range) - (x->range < y->range);
}

static size_t n_pieces(const struct code_history *h)
{
        return h->n_bounds ? h->n_bounds - 1 : 0;
}

/* Number of bounds at or before `addr`. */
static size_t count_bounds(const struct code_history *h, uint64_t addr)
{
        size_t low = 0, high = h->n_bounds;

        SEARCH_FIRST(low, high, middle, h->bounds[middle] <= addr);
        return low;
}

static void cut_into_pieces(struct code_history *h)
{
        size_t n = 0;

        h->bounds = mem_new(h->n_ranges, 2 * sizeof(*h->bounds));
        for (size_t i = 0; i < h->n_ranges; i++) {
                if (h->ranges[i].start == h->ranges[i].end)
                        continue;
                h->bounds[n++] = h->ranges[i].start;
                h->bounds[n++] = h->ranges[i].end;
        }
        qsort(h->bounds, n, sizeof(*h->bounds), compare_u64);
        for (size_t i = 0; i < n; i++) {
                if (!h->n_bounds || h->bounds[h->n_bounds - 1] != h->bounds[i])
                        h->bounds[h->n_bounds++] = h->bounds[i];
        }
}

/* Adds the nodes of one range, from its pieces upwards: two siblings in the range are replaced by their
 * parent. */
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

static void fill_nodes(struct code_history *h)
{
        size_t nodes[2 * 64], n_nodes = 2 * n_pieces(h);
        size_t *end;

        h->first = mem_new(n_nodes + 1, sizeof(*h->first));
        for (size_t i = 0; i < h->n_ranges; i++) {
                for (size_t n = nodes_of(h, &h->ranges[i], nodes); n; n--)
                        h->first[nodes[n - 1] + 1]++;
        }
        for (size_t i = 0; i < n_nodes; i++)
                h->first[i + 1] += h->first[i];
        h->ranks = mem_new(h->first[n_nodes], sizeof(*h->ranks));
        end = mem_new(n_nodes, sizeof(*end));
        for (size_t i = 0; i < n_nodes; i++)
                end[i] = h->first[i];
        for (size_t rank = 0; rank < h->n_ranges; rank++) {
                for (size_t n = nodes_of(h, &h->ranges[h->order[rank].range], nodes); n; n--)
                        h->ranks[end[nodes[n - 1]]++] = (uint32_t)rank;
        }
        free(end);
}

/* --- Changes --- */

/* The first piece from `piece` on that is not taken; shortens the path for later searches. */
static size_t find_free(size_t *next_free, size_t piece)
{
        size_t end = piece;

        while (next_free[end] != end)
                end = next_free[end];
        while (next_free[piece] != end) {
                size_t next = next_free[piece];

                next_free[piece] = end;
                piece = next;
        }
        return end;
}

/* Takes the pieces of a range; true if one of them was already taken. */
static bool take_pieces(const struct code_history *h, size_t *next_free, const struct code_range *range)
{
        size_t low = count_bounds(h, range->start) - 1, high = count_bounds(h, range->end) - 1, n = 0;

        for (size_t at = find_free(next_free, low); at < high; at = find_free(next_free, at)) {
                next_free[at] = at + 1;
                n++;
        }
        return n < high - low;
}

static void find_changes(struct code_history *h)
{
        size_t *next_free = mem_new(n_pieces(h) + 1, sizeof(*next_free));

        for (size_t i = 0; i <= n_pieces(h); i++)
                next_free[i] = i;
        for (size_t rank = 0; rank < h->n_ranges; rank++) {
                const struct code_range *range = &h->ranges[h->order[rank].range];

                if (range->start == range->end || !take_pieces(h, next_free, range))
                        continue;
                if (!h->n_changes || h->changes[h->n_changes - 1] != range->time)
                        ARRAY_PUSH(h->changes, h->n_changes, h->cap_changes, range->time);
        }
        free(next_free);
}

/* --- Offsets --- */

static void sort_offs(struct code_history *h)
{
        size_t n = 0;

        h->by_off = mem_new(h->n_ranges, sizeof(*h->by_off));
        for (size_t i = 0; i < h->n_ranges; i++) {
                if (h->ranges[i].start != h->ranges[i].end)
                        h->by_off[n++] = (struct by_off){h->ranges[i].off, (uint32_t)i};
        }
        qsort(h->by_off, n, sizeof(*h->by_off), compare_offs);
        for (size_t i = 0; i < n; i++) {
                if (!h->n_by_off || h->by_off[h->n_by_off - 1].off != h->by_off[i].off)
                        h->by_off[h->n_by_off++] = h->by_off[i];
        }
}

struct code_history *code_history_new(const struct code_range *ranges, size_t n_ranges)
{
        struct code_history *h = mem_new(1, sizeof(*h));

        assert(ranges || !n_ranges);
        h->n_ranges = n_ranges;
        h->ranges = mem_new(n_ranges, sizeof(*h->ranges));
        for (size_t i = 0; i < n_ranges; i++)
                h->ranges[i] = ranges[i];
        h->order = mem_new(n_ranges, sizeof(*h->order));
        for (size_t i = 0; i < n_ranges; i++)
                h->order[i] = (struct in_time){ranges[i].time, (uint32_t)i};
        qsort(h->order, n_ranges, sizeof(*h->order), compare_times);
        cut_into_pieces(h);
        fill_nodes(h);
        find_changes(h);
        sort_offs(h);
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
        free(h->changes);
        free(h->ranges);
        free(h->by_off);
        free(h);
}

/* Number of ranges up to `time`. */
static size_t count_until(const struct code_history *h, uint64_t time)
{
        size_t low = 0, high = h->n_ranges;

        SEARCH_FIRST(low, high, middle, h->order[middle].time <= time);
        return low;
}

/* The last rank of a node below `limit`, plus 1; 0: none. */
static size_t last_rank(const struct code_history *h, size_t node, size_t limit)
{
        size_t low = h->first[node], high = h->first[node + 1];

        SEARCH_FIRST(low, high, middle, h->ranks[middle] < limit);
        return low > h->first[node] ? (size_t)h->ranks[low - 1] + 1 : 0;
}

/* The last of the first `limit` ranges that contain the leaf `node`, as a rank plus 1; 0: none. */
static size_t find_last(const struct code_history *h, size_t node, size_t limit)
{
        size_t found = 0;

        for (; node; node /= 2) {
                size_t last = last_rank(h, node, limit);

                if (last > found)
                        found = last;
        }
        return found;
}

/* The first of all ranges that contain it, as a rank plus 1; 0: none. */
static size_t find_first(const struct code_history *h, size_t node)
{
        size_t found = 0;

        for (; node; node /= 2) {
                size_t first = h->first[node];

                if (first < h->first[node + 1] && (!found || h->ranks[first] < found))
                        found = (size_t)h->ranks[first] + 1;
        }
        return found;
}

bool code_history_find(const struct code_history *h, uint64_t addr, uint64_t time, enum code_told told,
                       struct code_found *ret)
{
        size_t bounds = count_bounds(h, addr), found, leaf;

        ret->same_from = bounds ? h->bounds[bounds - 1] : 0;
        ret->same_to = bounds < h->n_bounds ? h->bounds[bounds] : UINT64_MAX;
        if (!bounds || bounds == h->n_bounds)
                return false;
        leaf = bounds - 1 + n_pieces(h);
        found = find_last(h, leaf, count_until(h, time));
        if (!found && told == CODE_TOLD_LATE)
                found = find_first(h, leaf);
        if (!found)
                return false;
        ret->range = h->order[found - 1].range;
        return true;
}

void code_history_span(const struct code_history *h, uint64_t time, uint64_t *ret_from, uint64_t *ret_to)
{
        size_t low = 0, high = h->n_changes;

        SEARCH_FIRST(low, high, middle, h->changes[middle] <= time);
        *ret_from = low ? h->changes[low - 1] : 0;
        *ret_to = low < h->n_changes ? h->changes[low] : UINT64_MAX;
}

bool code_history_has_changes(const struct code_history *h)
{
        return h->n_changes;
}

bool code_history_to_off(const struct code_history *h, uint64_t addr, uint64_t time, uint64_t *ret_off)
{
        struct code_found found;

        if (!code_history_find(h, addr, time, CODE_TOLD_LATE, &found))
                return false;
        *ret_off = h->ranges[found.range].off + (addr - h->ranges[found.range].start);
        return true;
}

/* The end of its bytes. */
static uint64_t off_end(const struct code_history *h, size_t index)
{
        const struct code_range *range = &h->ranges[h->by_off[index].range];

        return range->off + (range->end - range->start);
}

bool code_history_find_off(const struct code_history *h, uint64_t off, struct code_found *ret)
{
        size_t low = 0, high = h->n_by_off;
        bool is_found;

        SEARCH_FIRST(low, high, middle, h->by_off[middle].off <= off);
        is_found = low && off < off_end(h, low - 1);
        ret->same_to = low < h->n_by_off ? h->by_off[low].off : UINT64_MAX;
        if (!is_found) {
                ret->same_from = low ? off_end(h, low - 1) : 0;
                return false;
        }
        *ret = (struct code_found){h->by_off[low - 1].range, h->by_off[low - 1].off, off_end(h, low - 1)};
        return true;
}

size_t code_history_n(const struct code_history *h)
{
        return h->n_ranges;
}

const struct code_range *code_history_get(const struct code_history *h, size_t index)
{
        assert(index < h->n_ranges);
        return &h->ranges[index];
}
