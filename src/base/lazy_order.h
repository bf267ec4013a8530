/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of many items of which only a few are looked at: items are sorted as far as it takes to know who
 * stands at a place.  A list of half a million rows shows its first page after one pass, in place of a full
 * sort. */
#ifndef LAZY_ORDER_H
#define LAZY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lazy_item {
        uint64_t key;   /* smaller keys stand first */
        uint32_t index; /* of the caller; unique.  Equal items stand in the order of their indices */
};

/* Compares two items with equal keys: negative if `a` stands before `b`, 0 if they are equal. */
typedef int (*lazy_compare_fn)(uint32_t a, uint32_t b, const void *ctx);

struct lazy_part;

/* All zeros is an order of no items. */
struct lazy_order {
        struct lazy_item *items;
        size_t n;
        lazy_compare_fn compare; /* NULL: the key says all */
        const void *ctx;
        struct lazy_part *parts;
        size_t n_parts, cap_parts;
};

/* Begins an order of `n` items, at most UINT32_MAX.  The caller owns `items`, which the order moves, and
 * `ctx`; both must outlive it. With `is_sorted` they are in their order already.  An order that was begun
 * before is dropped. */
void lazy_order_begin(struct lazy_order *order, struct lazy_item *items, size_t n, bool is_sorted,
                      lazy_compare_fn compare, const void *ctx);
void lazy_order_release(struct lazy_order *order);

/* Returns the index of the item at a place, which is below `n`. */
uint32_t lazy_order_get(struct lazy_order *order, size_t place);

/* Returns the first eight bytes of a text as a key: texts with different keys have the order of strcmp(). */
uint64_t lazy_order_text_key(const char *text);

#endif
