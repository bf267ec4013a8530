/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges of a process: an ordered tree whose parts processes share until one of them changes them, so that a
 * fork costs nothing and a change costs the depth of the tree. */
#ifndef RANGES_INTERNAL_H
#define RANGES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct range {
        uint64_t start, end; /* end is not inside */
        uint64_t pgoff;      /* of start; where addresses count, start itself */
        uint32_t module;
};

struct range_node;

/* Where the nodes live.  Zero-initialised is empty and ready. */
struct range_pool {
        struct arena arena;
        struct range_node *unused;
        uint64_t random;
        size_t n_nodes; /* in use */
};

void range_pool_release(struct range_pool *pool);

/* A tree is its root; NULL is empty.  Each owner holds it once. */
struct range_node *ranges_share(struct range_node *root);
void ranges_drop(struct range_pool *pool, struct range_node *root);

/* Puts a range in the place of all that it covers, in part or whole; takes `root` and returns the new one. */
struct range_node *ranges_put(struct range_pool *pool, struct range_node *root, const struct range *range);

/* Takes out what lies in [start, end). */
struct range_node *ranges_cut(struct range_pool *pool, struct range_node *root, uint64_t start, uint64_t end);

/* The range that `addr` is in, or NULL; valid until a change. */
const struct range *ranges_find(const struct range_node *root, uint64_t addr);

struct range_gap {
        uint64_t first, last; /* both inside */
};

/* False: `addr` is in a range.  Else the addresses around it that are in none. */
bool ranges_find_gap(const struct range_node *root, uint64_t addr, struct range_gap *ret);

/* Calls `fn` for each range, in ascending order. */
void ranges_each(const struct range_node *root, void (*fn)(void *ctx, const struct range *range), void *ctx);

#endif
