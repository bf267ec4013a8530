/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_tree.h"

#include <stdlib.h>
#include <string.h>

#include "calltree.h"
#include "mem.h"
#include "named_stacks.h"
#include "text.h"

/* Samples of the nodes below a native node that are outermost Python functions. */
struct below {
        uint64_t count, weight;
};

struct live_walk {
        const struct calltree *tree;
        struct below *python;  /* for each node */
        struct live_sum *sums; /* for each function */
        /* how often each function is on the path: above the outermost Python function, and below it; apart,
         * because a function above does not count for samples below */
        uint32_t *n_open, *n_open_below;
        size_t n_python; /* Python functions on the path */
        struct live_tree_facts facts;
};

static const struct calltree_function *function_of(const struct live_walk *w, uint32_t node)
{
        return calltree_get_function(w->tree, calltree_get_node(w->tree, node)->function);
}

/* A parent precedes its children. */
static void count_python(struct live_walk *w)
{
        for (size_t i = calltree_n_nodes(w->tree); i-- > 1;) {
                const struct calltree_node *node = calltree_get_node(w->tree, (uint32_t)i);
                struct below *parent = &w->python[node->parent];
                bool is_python = function_of(w, (uint32_t)i)->is_python;

                parent->count += is_python ? node->count : w->python[i].count;
                parent->weight += is_python ? node->weight : w->python[i].weight;
                w->facts.has_python |= is_python;
        }
}

static uint32_t *open_of(const struct live_walk *w, uint32_t function)
{
        return w->n_python ? &w->n_open_below[function] : &w->n_open[function];
}

static void enter(struct live_walk *w, uint32_t at)
{
        const struct calltree_node *node = calltree_get_node(w->tree, at);
        bool is_python = function_of(w, at)->is_python;
        struct live_sum *sum = &w->sums[node->function];
        struct below left_out = {0};

        if (!is_python && !w->n_python)
                left_out = w->python[at];
        w->n_python += is_python;
        sum->self_count += node->self_count;
        sum->self_weight += node->self_weight;
        if ((*open_of(w, node->function))++)
                return;
        sum->count += node->count - left_out.count;
        sum->weight += node->weight - left_out.weight;
}

static void leave(struct live_walk *w, uint32_t at)
{
        (*open_of(w, calltree_get_node(w->tree, at)->function))--;
        w->n_python -= function_of(w, at)->is_python;
}

static void walk_all(struct live_walk *w)
{
        uint32_t at = calltree_get_node(w->tree, CALLTREE_ROOT)->first_child;

        while (at != CALLTREE_NONE && at != CALLTREE_ROOT) {
                const struct calltree_node *node = calltree_get_node(w->tree, at);

                enter(w, at);
                if (node->first_child != CALLTREE_NONE) {
                        at = node->first_child;
                        continue;
                }
                for (; at != CALLTREE_ROOT; at = node->parent) {
                        node = calltree_get_node(w->tree, at);
                        leave(w, at);
                        if (node->next != CALLTREE_NONE) {
                                at = node->next;
                                break;
                        }
                }
        }
}

/* Memory without a file is called [anon]; other names with a bracket are the kernel's and the vdso's. */
static bool misses_name(const struct calltree_function *f)
{
        return f->kind == CALLTREE_UNKNOWN && !strcmp(f->module, "[anon]");
}

/* "perf-4711.map" */
static bool is_of_perf_map(const struct calltree_function *f)
{
        return text_starts(f->module, "perf-") && text_ends(f->module, ".map");
}

static void add_functions(struct live_walk *w, struct live_sums *sums)
{
        for (uint32_t i = 0; i < calltree_n_functions(w->tree); i++) {
                const struct calltree_function *f = calltree_get_function(w->tree, i);
                struct live_row *row;

                if (f->kind > CALLTREE_UNKNOWN || !w->sums[i].count)
                        continue;
                w->facts.misses_names |= misses_name(f);
                row = live_sums_get(sums, &(struct live_row){
                                                  .name = f->brief,
                                                  .label = f->name,
                                                  .module = f->is_python ? "" : f->module,
                                                  .file = f->is_python ? f->file : "",
                                                  .line = f->is_python ? f->line : 0,
                                                  .is_python = f->is_python,
                                                  .is_kernel = f->is_kernel,
                                                  .is_unnamed = f->kind == CALLTREE_UNKNOWN,
                                          });
                w->facts.has_new_names |= is_of_perf_map(f) && !row->since.count;
                live_sum_add(&row->now, &w->sums[i]);
                live_sum_add(&row->since, &w->sums[i]);
        }
}

struct live_tree_facts live_tree_add(const struct calltree *tree, struct live_sums *sums)
{
        struct live_walk w = {
                .tree = tree,
                .python = mem_new(calltree_n_nodes(tree), sizeof(*w.python)),
                .sums = mem_new(calltree_n_functions(tree), sizeof(*w.sums)),
                .n_open = mem_new(calltree_n_functions(tree), sizeof(*w.n_open)),
                .n_open_below = mem_new(calltree_n_functions(tree), sizeof(*w.n_open_below)),
        };

        count_python(&w);
        walk_all(&w);
        add_functions(&w, sums);
        free(w.python);
        free(w.sums);
        free(w.n_open);
        free(w.n_open_below);
        return w.facts;
}

struct live_tree_facts live_tree_facts_of(const struct named_stacks *named)
{
        struct live_tree_facts facts = {0};

        for (size_t i = 0; i < named->n_nodes; i++) {
                const struct named_node *node = &named->nodes[i];
                bool has_module = node->module != NAMED_NONE && !node->is_cut && !node->is_state;

                facts.misses_names |= has_module && named->modules[node->module].kind == NAMED_ANON &&
                                      !named->frames[node->first_frame + node->n_frames - 1].function[0];
        }
        return facts;
}
