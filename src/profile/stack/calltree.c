/* SPDX-License-Identifier: BSD-3-Clause */
#include "calltree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "strpool.h"
#include "text_match.h"

/* In `nodes`, a parent precedes its children. */
struct calltree {
        struct strpool *texts;
        struct calltree_function *functions;
        size_t n_functions, cap_functions;
        struct calltree_node *nodes;
        size_t n_nodes, cap_nodes;
        struct map by_hash;   /* hash of a function, or the next free key, to its number */
        struct map by_parent; /* parent << 32 | function to the node's number */
        bool is_finished;
        struct budget *budget; /* NULL for no limit */
        struct budget own;     /* a part of its limit */
        struct budget_share share;
};

enum { NODE_BYTES = 192 /* including its part of the tables */ };

struct calltree *calltree_new(void)
{
        struct calltree *tree = mem_new(1, sizeof(*tree));
        struct calltree_node root = {
                .parent = CALLTREE_NONE,
                .function = CALLTREE_NONE,
                .first_child = CALLTREE_NONE,
                .next = CALLTREE_NONE,
        };

        tree->texts = strpool_new();
        ARRAY_PUSH(tree->nodes, tree->n_nodes, tree->cap_nodes, root);
        return tree;
}

void calltree_set_budget(struct calltree *tree, struct budget *budget)
{
        if (!budget)
                return;
        tree->budget = budget;
        budget_init(&tree->own, budget_limit(budget) / 2); /* stacks may use half of it */
        tree->share.budget = &tree->own;
}

void calltree_free(struct calltree *tree)
{
        if (!tree)
                return;
        budget_release(&tree->own);
        strpool_free(tree->texts);
        map_release(&tree->by_hash);
        map_release(&tree->by_parent);
        free(tree->functions);
        free(tree->nodes);
        free(tree);
}

/* --- Building a tree --- */

static const char *keep(struct calltree *tree, const char *text)
{
        return strpool_get(tree->texts, strpool_add(tree->texts, text ? text : ""));
}

/* Each text is stored once, so equal texts have the same address. */
static uint64_t hash_function(const struct calltree_function *f)
{
        uint64_t hash = map_mix((uint64_t)(uintptr_t)f->name);

        hash = map_mix(hash ^ (uint64_t)(uintptr_t)f->module);
        hash = map_mix(hash ^ (uint64_t)(uintptr_t)f->path);
        hash = map_mix(hash ^ (uint64_t)(uintptr_t)f->file);
        return map_mix(hash ^ ((uint64_t)f->line << 32 | (unsigned)f->kind << 2 |
                               (unsigned)f->is_kernel << 1 | f->is_inlined));
}

static bool is_same(const struct calltree_function *a, const struct calltree_function *b)
{
        return a->name == b->name && a->module == b->module && a->path == b->path && a->file == b->file &&
               a->line == b->line && a->kind == b->kind && a->is_kernel == b->is_kernel &&
               a->is_inlined == b->is_inlined;
}

bool calltree_function_matches(const struct calltree_function *function, const char *pattern)
{
        return text_match_symbol(pattern, function->name) || text_match_symbol(pattern, function->brief);
}

uint32_t calltree_add_function(struct calltree *tree, const struct calltree_function *function)
{
        struct calltree_function own = *function;
        uint64_t hash, *number;
        bool is_new;

        own.name = keep(tree, function->name);
        own.brief = keep(tree, function->brief);
        own.module = keep(tree, function->module);
        own.path = keep(tree, function->path);
        own.file = keep(tree, function->file);
        for (hash = hash_function(&own);; hash++) {
                number = map_put(&tree->by_hash, hash, &is_new);
                if (is_new)
                        break;
                if (is_same(&tree->functions[*number], &own))
                        return (uint32_t)*number;
        }
        *number = tree->n_functions;
        ARRAY_PUSH(tree->functions, tree->n_functions, tree->cap_functions, own);
        return (uint32_t)tree->n_functions - 1;
}

uint32_t calltree_add_child(struct calltree *tree, uint32_t parent, uint32_t function)
{
        bool is_new;
        uint64_t *number = map_put(&tree->by_parent, (uint64_t)parent << 32 | function, &is_new);
        struct calltree_node node = {
                .parent = parent,
                .function = function,
                .first_child = CALLTREE_NONE,
                .next = CALLTREE_NONE,
                .depth = tree->nodes[parent].depth + 1,
        };

        assert(!tree->is_finished && function < tree->n_functions);
        if (!is_new)
                return (uint32_t)*number;
        *number = tree->n_nodes;
        ARRAY_PUSH(tree->nodes, tree->n_nodes, tree->cap_nodes, node);
        return (uint32_t)tree->n_nodes - 1;
}

uint32_t calltree_try_child(struct calltree *tree, uint32_t parent, uint32_t function)
{
        const uint64_t *number = map_find(&tree->by_parent, (uint64_t)parent << 32 | function);

        if (number)
                return (uint32_t)*number;
        if (!budget_share_take(&tree->share, BUDGET_STACKS, NODE_BYTES)) {
                budget_leave_out(tree->budget, BUDGET_STACKS);
                return CALLTREE_NONE;
        }
        return calltree_add_child(tree, parent, function);
}

void calltree_add(struct calltree *tree, uint32_t node, uint64_t count, uint64_t weight)
{
        assert(!tree->is_finished);
        tree->nodes[node].self_count += count;
        tree->nodes[node].self_weight += weight;
}

/* --- Sums and order --- */

/* The keys for sorting nodes and functions. */
struct ordered {
        uint32_t group, number;
        uint64_t weight;
        const struct calltree_function *function;
};

static int compare_functions(const struct calltree_function *a, const struct calltree_function *b)
{
        int order = strcmp(a->name, b->name);

        if (!order)
                order = strcmp(a->path, b->path);
        if (!order)
                order = strcmp(a->file, b->file);
        if (!order)
                order = (a->line > b->line) - (a->line < b->line);
        if (!order)
                order = (int)a->kind - b->kind;
        if (!order)
                order = strcmp(a->module, b->module);
        if (!order)
                order = (int)a->is_kernel - b->is_kernel;
        return order ? order : (int)a->is_inlined - b->is_inlined;
}

static int compare_ordered(const void *a, const void *b)
{
        const struct ordered *x = a, *y = b;
        int order;

        if (x->group != y->group)
                return x->group < y->group ? -1 : 1;
        if (x->weight != y->weight)
                return x->weight > y->weight ? -1 : 1;
        order = compare_functions(x->function, y->function);
        return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void link_children(struct calltree *tree)
{
        size_t n = tree->n_nodes - 1;
        struct ordered *order = mem_new(n, sizeof(*order));

        for (uint32_t i = 0; i < n; i++) {
                const struct calltree_node *node = &tree->nodes[i + 1];

                order[i] =
                        (struct ordered){node->parent, i + 1, node->weight, &tree->functions[node->function]};
        }
        if (n)
                qsort(order, n, sizeof(*order), compare_ordered);
        for (size_t i = n; i-- > 0;) {
                struct calltree_node *parent = &tree->nodes[order[i].group];

                tree->nodes[order[i].number].next = parent->first_child;
                parent->first_child = order[i].number;
        }
        free(order);
}

void calltree_finish(struct calltree *tree)
{
        assert(!tree->is_finished);
        tree->is_finished = true;
        map_release(&tree->by_parent);
        map_release(&tree->by_hash);
        for (size_t i = tree->n_nodes; i-- > 0;) {
                struct calltree_node *node = &tree->nodes[i];

                node->count += node->self_count;
                node->weight += node->self_weight;
                if (node->parent == CALLTREE_NONE)
                        continue;
                tree->nodes[node->parent].count += node->count;
                tree->nodes[node->parent].weight += node->weight;
        }
        link_children(tree);
}

/* --- Reading --- */

size_t calltree_n_nodes(const struct calltree *tree)
{
        return tree->n_nodes;
}

const struct calltree_node *calltree_get_node(const struct calltree *tree, uint32_t node)
{
        return &tree->nodes[node];
}

size_t calltree_n_functions(const struct calltree *tree)
{
        return tree->n_functions;
}

const struct calltree_function *calltree_get_function(const struct calltree *tree, uint32_t function)
{
        return &tree->functions[function];
}

/* The next node in depth-first order: a child, a sibling, or a sibling of an ancestor. Calls `leave` for each
 * node that is complete. */
static uint32_t step(const struct calltree *tree, uint32_t at, void (*leave)(void *ctx, uint32_t node),
                     void *ctx)
{
        if (tree->nodes[at].first_child != CALLTREE_NONE)
                return tree->nodes[at].first_child;
        for (; at != CALLTREE_ROOT; at = tree->nodes[at].parent) {
                leave(ctx, at);
                if (tree->nodes[at].next != CALLTREE_NONE)
                        return tree->nodes[at].next;
        }
        return CALLTREE_ROOT;
}

struct summing {
        const struct calltree *tree;
        uint32_t *n_open; /* for each function: how often it is on the current path */
};

static void leave_function(void *ctx, uint32_t node)
{
        struct summing *summing = ctx;

        summing->n_open[summing->tree->nodes[node].function]--;
}

static void add_sums(const struct calltree *tree, struct calltree_sum *sums)
{
        struct summing summing = {tree, mem_new(tree->n_functions, sizeof(*summing.n_open))};

        for (uint32_t at = tree->nodes[CALLTREE_ROOT].first_child; at != CALLTREE_ROOT && at != CALLTREE_NONE;
             at = step(tree, at, leave_function, &summing)) {
                const struct calltree_node *node = &tree->nodes[at];
                struct calltree_sum *sum = &sums[node->function];

                sum->self_count += node->self_count;
                sum->self_weight += node->self_weight;
                if (summing.n_open[node->function]++)
                        continue;
                sum->count += node->count;
                sum->weight += node->weight;
        }
        free(summing.n_open);
}

struct calltree_sum *calltree_list(const struct calltree *tree, size_t *ret_n)
{
        struct calltree_sum *sums = mem_new(tree->n_functions, sizeof(*sums));
        struct calltree_sum *sorted = mem_new(tree->n_functions, sizeof(*sorted));
        struct ordered *order = mem_new(tree->n_functions, sizeof(*order));
        size_t n = 0;

        add_sums(tree, sums);
        for (uint32_t i = 0; i < tree->n_functions; i++) {
                sums[i].function = i;
                if (tree->functions[i].kind <= CALLTREE_UNKNOWN)
                        order[n++] = (struct ordered){0, i, sums[i].weight, &tree->functions[i]};
        }
        if (n)
                qsort(order, n, sizeof(*order), compare_ordered);
        for (size_t i = 0; i < n; i++)
                sorted[i] = sums[order[i].number];
        free(order);
        free(sums);
        *ret_n = n;
        return sorted;
}

/* --- Derived trees --- */

/* A new tree with the same functions and numbers. */
static struct calltree *copy_functions(const struct calltree *tree)
{
        struct calltree *copy = calltree_new();

        calltree_set_budget(copy, tree->budget);
        for (size_t i = 0; i < tree->n_functions; i++)
                calltree_add_function(copy, &tree->functions[i]);
        return copy;
}

struct calltree *calltree_through(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                  const void *ctx)
{
        struct calltree *through = copy_functions(tree);
        enum { IS_ABOVE = 1, IS_COUNTED = 2 };
        uint8_t *flags = mem_new(tree->n_nodes, sizeof(*flags));
        uint32_t *places = mem_new(tree->n_nodes, sizeof(*places));

        for (uint32_t i = 1; i < tree->n_nodes; i++) {
                const struct calltree_node *node = &tree->nodes[i];

                if (flags[node->parent] & IS_COUNTED || is_wanted(&tree->functions[node->function], ctx))
                        flags[i] = IS_COUNTED;
        }
        for (size_t i = tree->n_nodes; i-- > 1;) {
                if (flags[i])
                        flags[tree->nodes[i].parent] |= IS_ABOVE;
        }
        for (uint32_t i = 1; i < tree->n_nodes; i++) {
                const struct calltree_node *node = &tree->nodes[i];

                if (!flags[i])
                        continue;
                places[i] = calltree_add_child(through, places[node->parent], node->function);
                if (flags[i] & IS_COUNTED)
                        calltree_add(through, places[i], node->self_count, node->self_weight);
        }
        calltree_finish(through);
        free(places);
        free(flags);
        return through;
}

/* The innermost wanted node of a path; CALLTREE_ROOT if there is none. */
static uint32_t find_wanted(const struct calltree *tree, uint32_t from, calltree_is_wanted_fn is_wanted,
                            const void *ctx)
{
        while (is_wanted && from != CALLTREE_ROOT &&
               !is_wanted(&tree->functions[tree->nodes[from].function], ctx))
                from = tree->nodes[from].parent;
        return from;
}

struct calltree *calltree_invert(const struct calltree *tree, calltree_is_wanted_fn is_wanted,
                                 const void *ctx)
{
        struct calltree *inverted = copy_functions(tree);

        for (uint32_t i = 1; i < tree->n_nodes; i++) {
                uint32_t from =
                        tree->nodes[i].self_count ? find_wanted(tree, i, is_wanted, ctx) : CALLTREE_ROOT;
                uint32_t at = CALLTREE_ROOT;

                if (from == CALLTREE_ROOT)
                        continue;
                at = calltree_add_child(inverted, at, tree->nodes[from].function);
                while ((from = tree->nodes[from].parent) != CALLTREE_ROOT) {
                        uint32_t next = calltree_try_child(inverted, at, tree->nodes[from].function);

                        if (next == CALLTREE_NONE)
                                break;
                        at = next;
                }
                calltree_add(inverted, at, tree->nodes[i].self_count, tree->nodes[i].self_weight);
        }
        calltree_finish(inverted);
        return inverted;
}
