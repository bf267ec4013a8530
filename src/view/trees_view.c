/* SPDX-License-Identifier: BSD-3-Clause */
#include "trees_view.h"

#include "calltree.h"
#include "tree_view.h"

static bool is_asked_for(const struct calltree_function *function, const void *symbol)
{
        return function->kind <= CALLTREE_UNKNOWN && calltree_function_matches(function, symbol);
}

static struct calltree *make_tree(const struct trees_view *view, uint32_t event)
{
        AUTO(calltree) tree = stacks_tree_make(view->names, event);

        if (view->is_inverted)
                return calltree_invert(tree, view->symbol ? is_asked_for : NULL, view->symbol);
        return view->symbol ? calltree_through(tree, is_asked_for, view->symbol) : TAKE(tree);
}

static struct tree_view view_of(const struct trees_view *view, uint32_t event, const struct calltree *tree)
{
        return (struct tree_view){
                .tree = tree,
                .is_inverted = view->is_inverted,
                .all_count = view->events[event].n_samples,
                .all_weight = view->events[event].weight,
                .event = view->events[event].name,
                .min_percent = view->min_percent,
                .max_depth = view->max_depth,
                .max_rows = view->max_rows,
                .symbol = view->symbol,
                .long_names = view->long_names,
                .max_columns = view->max_columns,
                .is_colored = view->is_colored,
        };
}

void trees_view_text(const struct trees_view *view, struct buf *out)
{
        for (uint32_t i = 0; i < view->n_events; i++) {
                AUTO(calltree) tree = view->events[i].n_samples ? make_tree(view, i) : NULL;
                const struct tree_view one = view_of(view, i, tree);

                if (!tree)
                        continue;
                tree_view_text(&one, out);
                buf_add_char(out, '\n');
        }
}

void trees_view_json(const struct trees_view *view, struct json *json)
{
        json_key(json, "call_trees");
        json_begin_array(json);
        for (uint32_t i = 0; i < view->n_events; i++) {
                AUTO(calltree) tree = view->events[i].n_samples ? make_tree(view, i) : NULL;
                const struct tree_view one = view_of(view, i, tree);

                if (tree)
                        tree_view_json(&one, json);
        }
        json_end_array(json);
}
