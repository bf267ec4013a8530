/* SPDX-License-Identifier: BSD-3-Clause */
/* Quicksort, one partition at a time: the parts are a binary tree, and only those on the way to a wanted
 * place are split. */
#include "lazy_order.h"

#include <assert.h>
#include <stdlib.h>

#include "mem.h"

enum {
        MAX_SORTED_AT_ONCE = 32,
        MAX_DEPTH = 60, /* of splits that keep failing to halve: such a part is sorted as a whole */
};

/* Items `begin` to `end` - 1 stand in their places as a group. */
struct lazy_part {
        size_t begin, end;
        size_t left; /* its two halves are parts `left` and `left` + 1; 0: not split */
        bool is_sorted;
};

static bool is_before(const struct lazy_order *order, const struct lazy_item *a, const struct lazy_item *b)
{
        int by = 0;

        if (a->key != b->key)
                return a->key < b->key;
        if (order->compare)
                by = order->compare(a->index, b->index, order->ctx);
        return by ? by < 0 : a->index < b->index;
}

static void swap(struct lazy_item *a, struct lazy_item *b)
{
        struct lazy_item kept = *a;

        *a = *b;
        *b = kept;
}

static void sift(const struct lazy_order *order, struct lazy_item *items, size_t at, size_t n)
{
        for (size_t child; (child = 2 * at + 1) < n; at = child) {
                if (child + 1 < n && is_before(order, &items[child], &items[child + 1]))
                        child++;
                if (!is_before(order, &items[at], &items[child]))
                        return;
                swap(&items[at], &items[child]);
        }
}

static void sort(const struct lazy_order *order, struct lazy_item *items, size_t n)
{
        for (size_t i = n / 2; i-- > 0;)
                sift(order, items, i, n);
        for (size_t last = n; last-- > 1;) {
                swap(&items[0], &items[last]);
                sift(order, items, 0, last);
        }
}

/* Returns the place in the middle of three. */
static size_t median(const struct lazy_order *order, size_t a, size_t b, size_t c)
{
        const struct lazy_item *items = order->items;

        if (is_before(order, &items[a], &items[b]) != is_before(order, &items[a], &items[c]))
                return a;
        return is_before(order, &items[b], &items[a]) != is_before(order, &items[b], &items[c]) ? b : c;
}

/* Puts the smaller items of a part first; returns how many that are, at least one and not all. */
static size_t split(const struct lazy_order *order, size_t begin, size_t end)
{
        struct lazy_item *items = order->items;
        size_t eighth = (end - begin) / 8, middle = begin + (end - begin) / 2;
        size_t pivot = median(order, median(order, begin, begin + eighth, begin + 2 * eighth),
                              median(order, middle - eighth, middle, middle + eighth),
                              median(order, end - 1 - 2 * eighth, end - 1 - eighth, end - 1));
        size_t i = begin, j = end - 1;
        struct lazy_item by;

        swap(&items[begin], &items[pivot]);
        by = items[begin];
        for (;; i++, j--) {
                while (is_before(order, &items[i], &by))
                        i++;
                while (is_before(order, &by, &items[j]))
                        j--;
                if (i >= j)
                        return j + 1 - begin;
                swap(&items[i], &items[j]);
        }
}

static void split_part(struct lazy_order *order, size_t at, unsigned depth)
{
        struct lazy_part part = order->parts[at];
        size_t n = part.end - part.begin, middle;

        if (n <= MAX_SORTED_AT_ONCE || depth > MAX_DEPTH) {
                sort(order, order->items + part.begin, n);
                order->parts[at].is_sorted = true;
                return;
        }
        middle = part.begin + split(order, part.begin, part.end);
        order->parts[at].left = order->n_parts;
        ARRAY_PUSH(order->parts, order->n_parts, order->cap_parts,
                   ((struct lazy_part){.begin = part.begin, .end = middle}));
        ARRAY_PUSH(order->parts, order->n_parts, order->cap_parts,
                   ((struct lazy_part){.begin = middle, .end = part.end}));
}

void lazy_order_begin(struct lazy_order *order, struct lazy_item *items, size_t n, bool is_sorted,
                      lazy_compare_fn compare, const void *ctx)
{
        assert(n <= UINT32_MAX);
        order->items = items;
        order->n = n;
        order->compare = compare;
        order->ctx = ctx;
        order->n_parts = 0;
        ARRAY_PUSH(order->parts, order->n_parts, order->cap_parts,
                   ((struct lazy_part){.end = n, .is_sorted = is_sorted}));
}

void lazy_order_release(struct lazy_order *order)
{
        free(order->parts);
        *order = (struct lazy_order){0};
}

uint32_t lazy_order_get(struct lazy_order *order, size_t place)
{
        size_t at = 0;

        assert(place < order->n);
        for (unsigned depth = 0; !order->parts[at].is_sorted; depth++) {
                if (!order->parts[at].left)
                        split_part(order, at, depth);
                if (order->parts[at].is_sorted)
                        break;
                at = order->parts[at].left;
                if (place >= order->parts[at].end)
                        at++;
        }
        return order->items[place].index;
}

uint64_t lazy_order_text_key(const char *text)
{
        uint64_t key = 0;

        for (unsigned shift = 64; shift > 0 && *text; text++) {
                shift -= 8;
                key |= (uint64_t)(unsigned char)*text << shift;
        }
        return key;
}
