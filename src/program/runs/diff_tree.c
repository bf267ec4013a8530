/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "mem.h"

struct run_tree {
        enum run_side side;
        size_t number; /* of the run on its side */
        const char *event;
        struct calltree *tree;
};

struct diff_tree {
        struct run_tree *items;
        size_t n, cap;
        struct arena arena;
};

struct diff_tree *diff_tree_new(void)
{
        return mem_new(1, sizeof(struct diff_tree));
}

void diff_tree_free(struct diff_tree *tree)
{
        if (!tree)
                return;
        for (size_t i = 0; i < tree->n; i++)
                calltree_free(tree->items[i].tree);
        free(tree->items);
        arena_release(&tree->arena);
        free(tree);
}

void diff_tree_take(struct diff_tree *tree, const struct run_values *values, const char *event,
                    struct calltree *of_run)
{
        enum run_side side = run_values_n_runs(values, RUN_B) ? RUN_B : RUN_A;
        const struct run_tree item = {
                .side = side,
                .number = run_values_n_runs(values, side) - 1,
                .event = arena_copy(&tree->arena, event, strlen(event)),
                .tree = of_run,
        };

        assert(run_values_n_all_runs(values));
        ARRAY_PUSH(tree->items, tree->n, tree->cap, item);
}

/* Own amounts of A, by node of the whole tree. */
struct own_amounts {
        double *items;
        size_t n, cap;
};

struct merging_tree {
        const struct run_values *values;
        struct calltree *whole;
        struct own_amounts before;
};

/* Equal functions of A and B have the same module and no path: programs are in different folders. */
static uint32_t add_function(struct merging_tree *m, const struct calltree_function *function)
{
        struct calltree_function same = *function;

        same.module = run_values_paired_module(m->values, function->module);
        same.path = "";
        return calltree_add_function(m->whole, &same);
}

static void add_before(struct own_amounts *before, uint32_t node, double amount)
{
        while (before->n <= node)
                ARRAY_PUSH(before->items, before->n, before->cap, 0);
        before->items[node] += amount;
}

static void merge(struct merging_tree *m, const struct run_tree *item, uint32_t event)
{
        const struct run_event *e =
                run_values_event(m->values, run_values_first(m->values, item->side) + item->number, event);
        size_t n = calltree_n_nodes(item->tree);
        bool is_a = item->side == RUN_A;
        double n_runs = (double)run_values_n_runs(m->values, item->side);
        double factor = e && e->weight ? e->amount / (double)e->weight / n_runs : 0;
        uint32_t *numbers = mem_new(n, sizeof(*numbers));

        for (uint32_t i = 0; i < n; i++) {
                const struct calltree_node *node = calltree_get_node(item->tree, i);
                double own = (double)node->self_weight * factor;

                numbers[i] = CALLTREE_ROOT;
                if (node->parent != CALLTREE_NONE)
                        numbers[i] = calltree_add_child(
                                m->whole, numbers[node->parent],
                                add_function(m, calltree_get_function(item->tree, node->function)));
                if (is_a)
                        add_before(&m->before, numbers[i], own);
                else
                        calltree_add(m->whole, numbers[i], node->self_count, (uint64_t)(own + 0.5));
        }
        free(numbers);
}

/* Adds callees to their callers; a parent precedes its children. */
static double *sum_before(struct merging_tree *m)
{
        size_t n = calltree_n_nodes(m->whole);

        add_before(&m->before, (uint32_t)n - 1, 0);
        for (size_t i = n; i-- > 0;) {
                const struct calltree_node *node = calltree_get_node(m->whole, (uint32_t)i);

                if (node->parent != CALLTREE_NONE)
                        m->before.items[node->parent] += m->before.items[i];
        }
        return m->before.items;
}

struct calltree *diff_tree_make(const struct diff_tree *tree, const struct run_values *values, uint32_t event,
                                double **ret_before)
{
        struct merging_tree m = {.values = values, .whole = calltree_new()};
        const char *name = run_values_event_name(values, event);

        for (size_t i = 0; i < tree->n; i++) {
                if (!strcmp(tree->items[i].event, name))
                        merge(&m, &tree->items[i], event);
        }
        calltree_finish(m.whole);
        *ret_before = sum_before(&m);
        if (calltree_get_node(m.whole, CALLTREE_ROOT)->weight)
                return m.whole;
        calltree_free(m.whole);
        free(*ret_before);
        *ret_before = NULL;
        return NULL;
}
