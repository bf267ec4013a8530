/* SPDX-License-Identifier: BSD-3-Clause */
/* The address ranges of a process, in an ordered tree. Processes share subtrees until one of them changes
 * them, so a fork costs nothing and a change costs the depth of the tree. */
#ifndef RANGES_INTERNAL_H
#define RANGES_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct range {
        uint64_t start, end; /* end is exclusive */
        uint64_t pgoff;      /* file offset of start; start itself if the module's offsets are addresses */
        uint32_t module;
};

struct range_node;

/* Allocates the nodes. Zero-initialize before use. */
struct range_pool {
        struct arena arena;
        struct range_node *unused;
        uint64_t random;
        size_t n_nodes; /* in use */
};

void range_pool_release(struct range_pool *pool);

/* A tree is represented by its root; NULL is the empty tree. ranges_share() adds an owner, ranges_drop()
 * removes one. */
struct range_node *ranges_share(struct range_node *root);
void ranges_drop(struct range_pool *pool, struct range_node *root);

/* Adds a range and removes what it overlaps from other ranges. Consumes `root` and returns the new root. */
struct range_node *ranges_put(struct range_pool *pool, struct range_node *root, const struct range *range);

/* Removes [start, end). Consumes `root` and returns the new root. */
struct range_node *ranges_cut(struct range_pool *pool, struct range_node *root, uint64_t start, uint64_t end);

/* The range that contains `addr`, or NULL. Valid until the next change. */
const struct range *ranges_find(const struct range_node *root, uint64_t addr);

struct range_gap {
        uint64_t first, last; /* both inclusive */
};

/* Finds the addresses around `addr` that are in no range. False if `addr` is in a range. */
bool ranges_find_gap(const struct range_node *root, uint64_t addr, struct range_gap *ret);

/* Calls `fn` for each range, in ascending order. */
void ranges_each(const struct range_node *root, void (*fn)(void *ctx, const struct range *range), void *ctx);

#endif
