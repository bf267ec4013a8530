/* SPDX-License-Identifier: BSD-3-Clause */
/* A treap (a tree ordered by address, a heap ordered by random priority) whose nodes count their owners. A
 * node with several owners is copied before it is changed. */
#include "ranges_internal.h"

#include <assert.h>
#include <stddef.h>

#include "map.h"

struct range_node {
        struct range range;
        uint32_t priority;
        uint32_t n_owners;
        struct range_node *left, *right;
};

void range_pool_release(struct range_pool *pool)
{
        arena_release(&pool->arena);
        *pool = (struct range_pool){0};
}

static struct range_node *node_new(struct range_pool *pool, const struct range *range)
{
        struct range_node *node = pool->unused;

        if (node)
                pool->unused = node->left;
        else
                node = arena_alloc(&pool->arena, sizeof(*node));
        pool->n_nodes++;
        *node = (struct range_node){
                .range = *range,
                .priority = (uint32_t)map_mix(++pool->random),
                .n_owners = 1,
        };
        return node;
}

struct range_node *ranges_share(struct range_node *root)
{
        if (root)
                root->n_owners++;
        return root;
}

void ranges_drop(struct range_pool *pool, struct range_node *root)
{
        if (!root)
                return;
        assert(root->n_owners > 0);
        if (--root->n_owners)
                return;
        ranges_drop(pool, root->left);
        ranges_drop(pool, root->right);
        root->left = pool->unused;
        pool->unused = root;
        pool->n_nodes--;
}

/* Returns the node, or a copy if it has other owners too. */
static struct range_node *own(struct range_pool *pool, struct range_node *node)
{
        struct range_node *copy;

        if (node->n_owners == 1)
                return node;
        copy = node_new(pool, &node->range);
        copy->priority = node->priority;
        copy->left = ranges_share(node->left);
        copy->right = ranges_share(node->right);
        node->n_owners--;
        return copy;
}

/* All ranges of `a` must be below all ranges of `b`. */
static struct range_node *join(struct range_pool *pool, struct range_node *a, struct range_node *b)
{
        if (!a || !b)
                return a ? a : b;
        if (a->priority >= b->priority) {
                a = own(pool, a);
                a->right = join(pool, a->right, b);
                return a;
        }
        b = own(pool, b);
        b->left = join(pool, a, b->left);
        return b;
}

static void split(struct range_pool *pool, struct range_node *node, uint64_t at,
                  struct range_node **ret_below, struct range_node **ret_above);

/* Splits a range that contains `at` in two. */
static void split_node(struct range_pool *pool, struct range_node *node, uint64_t at,
                       struct range_node **ret_below, struct range_node **ret_above)
{
        struct range upper = node->range;
        struct range_node *right = node->right;

        upper.pgoff += at - upper.start;
        upper.start = at;
        node->range.end = at;
        node->right = NULL;
        *ret_below = node;
        *ret_above = join(pool, node_new(pool, &upper), right);
}

static void split(struct range_pool *pool, struct range_node *node, uint64_t at,
                  struct range_node **ret_below, struct range_node **ret_above)
{
        struct range_node *child;

        *ret_below = *ret_above = NULL;
        if (!node)
                return;
        node = own(pool, node);
        if (node->range.end <= at) {
                split(pool, node->right, at, &child, ret_above);
                node->right = child;
                *ret_below = node;
        } else if (node->range.start >= at) {
                split(pool, node->left, at, ret_below, &child);
                node->left = child;
                *ret_above = node;
        } else {
                split_node(pool, node, at, ret_below, ret_above);
        }
}

static void cut_out(struct range_pool *pool, struct range_node *root, uint64_t start, uint64_t end,
                    struct range_node **ret_below, struct range_node **ret_above)
{
        struct range_node *middle, *rest;

        split(pool, root, start, ret_below, &rest);
        split(pool, rest, end, &middle, ret_above);
        ranges_drop(pool, middle);
}

struct range_node *ranges_put(struct range_pool *pool, struct range_node *root, const struct range *range)
{
        struct range_node *below, *above;

        assert(range->start < range->end);
        cut_out(pool, root, range->start, range->end, &below, &above);
        return join(pool, join(pool, below, node_new(pool, range)), above);
}

struct range_node *ranges_cut(struct range_pool *pool, struct range_node *root, uint64_t start, uint64_t end)
{
        struct range_node *below, *above;

        cut_out(pool, root, start, end, &below, &above);
        return join(pool, below, above);
}

const struct range *ranges_find(const struct range_node *node, uint64_t addr)
{
        while (node) {
                if (addr < node->range.start)
                        node = node->left;
                else if (addr >= node->range.end)
                        node = node->right;
                else
                        return &node->range;
        }
        return NULL;
}

bool ranges_find_gap(const struct range_node *node, uint64_t addr, struct range_gap *ret)
{
        struct range_gap gap = {0, UINT64_MAX};

        while (node) {
                if (addr < node->range.start) {
                        gap.last = node->range.start - 1;
                        node = node->left;
                } else if (addr >= node->range.end) {
                        gap.first = node->range.end;
                        node = node->right;
                } else {
                        return false;
                }
        }
        *ret = gap;
        return true;
}

void ranges_each(const struct range_node *root, void (*fn)(void *ctx, const struct range *range), void *ctx)
{
        if (!root)
                return;
        ranges_each(root->left, fn, ctx);
        fn(ctx, &root->range);
        ranges_each(root->right, fn, ctx);
}
