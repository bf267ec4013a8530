/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what stands in the tree for a place: a node for its function, below it one for each that was inlined there. */
#include "stacks_tree.h"

#include <stdlib.h>

#include "arena.h"
#include "place_frames.h"
#include "place_names.h"
#include "text.h"

/* A function of a place, as calltree.h has it, with texts of the pool. */
struct shown {
        str_id name, module, path, file;
        uint32_t line;
        uint8_t kind;
        bool is_kernel, is_inlined;
};

struct stacks_tree {
        struct stacks_tree_request request;
        struct strpool *texts;
        struct place_names names;
        struct place_frames *frames; /* NULL: neither inlined functions nor lines are wanted */
        /* What stands for a node, outermost first: n of shown from `first` on. */
        struct {
                uint32_t first, n;
        } * spans;
        struct shown *shown;
        size_t n_shown, cap_shown;
};

/* --- Looking up --- */

static str_id copy_text(struct stacks_tree *t, str_id of_resolver)
{
        return of_resolver ? strpool_add(t->texts, resolver_text(t->request.resolver, of_resolver)) : 0;
}

static void add_shown(struct stacks_tree *t, const struct shown *shown)
{
        ARRAY_PUSH(t->shown, t->n_shown, t->cap_shown, *shown);
}

static void set_line(struct stacks_tree *t, struct shown *shown, const struct resolver_frame *frame)
{
        if (!t->request.lines)
                return;
        shown->file = copy_text(t, frame->path);
        shown->line = frame->line;
}

static void add_inlined(struct stacks_tree *t, const struct shown *outer, const struct resolver_frame *frame)
{
        struct shown shown = *outer;

        if (!frame->function)
                return;
        shown.name = copy_text(t, frame->function);
        shown.kind = CALLTREE_FUNCTION;
        shown.is_inlined = true;
        set_line(t, &shown, frame);
        add_shown(t, &shown);
}

static void add_place(struct stacks_tree *t, uint32_t index)
{
        const struct stack_node *node = stacks_get_node(t->request.stacks, index);
        struct symbol symbol = place_names_symbol(&t->names, node->module, node->offset);
        const struct resolver_frame *frames = NULL;
        size_t n = t->frames ? place_frames_get(t->frames, index, &frames) : 0;
        struct shown outer = {.is_kernel = node->is_kernel};

        if (symbol.status != SYMBOL_NAMED && n && frames[n - 1].function) {
                symbol.status = SYMBOL_NAMED;
                symbol.name = frames[n - 1].function;
        }
        outer.name = place_names_function(&t->names, &symbol);
        outer.module = place_names_module(&t->names, node->module, &symbol);
        outer.kind = symbol.status == SYMBOL_NAMED ? CALLTREE_FUNCTION : CALLTREE_UNKNOWN;
        if (node->module != MODULE_NONE)
                outer.path = strpool_add(
                        t->texts,
                        world_text(t->request.world, world_get_module(t->request.world, node->module)->path));
        if (n)
                set_line(t, &outer, &frames[n - 1]);
        add_shown(t, &outer);
        for (size_t i = n; t->request.inlines && i-- > 1;)
                add_inlined(t, &outer, &frames[i - 1]);
}

struct stacks_tree *stacks_tree_new(const struct stacks_tree_request *request)
{
        struct stacks_tree *t = mem_new(1, sizeof(*t));
        size_t n = stacks_n_nodes(request->stacks);

        t->request = *request;
        t->texts = strpool_new();
        t->names = (struct place_names){t->texts, request->world, request->resolver, request->modules, {0}};
        if (request->inlines || request->lines)
                t->frames = place_frames_of_stacks(request->stacks, request->resolver, request->modules);
        t->spans = mem_new(n, sizeof(*t->spans));
        for (uint32_t i = 0; i < n; i++) {
                t->spans[i].first = (uint32_t)t->n_shown;
                if (stacks_get_node(request->stacks, i)->is_cut)
                        add_shown(t, &(struct shown){.name = strpool_add(t->texts, "[cut]"),
                                                     .kind = CALLTREE_CUT});
                else
                        add_place(t, i);
                t->spans[i].n = (uint32_t)t->n_shown - t->spans[i].first;
        }
        place_frames_free(t->frames);
        t->frames = NULL;
        return t;
}

void stacks_tree_free(struct stacks_tree *t)
{
        if (!t)
                return;
        place_names_release(&t->names);
        strpool_free(t->texts);
        free(t->spans);
        free(t->shown);
        free(t);
}

/* --- The tree of an event --- */

/* Nodes that lead to samples of the series. */
static bool *find_used(const struct stacks *stacks, const struct stack_series *series)
{
        size_t n = stacks_n_nodes(stacks);
        bool *used = mem_new(n, sizeof(*used));

        for (uint32_t i = (uint32_t)n; i-- > 0;) {
                uint32_t parent = stacks_get_node(stacks, i)->parent;

                used[i] |= i < series->n_ends && series->ends[i].count;
                if (used[i] && parent != STACKS_NONE)
                        used[parent] = true;
        }
        return used;
}

static uint32_t add_function(const struct stacks_tree *t, struct calltree *tree, const struct shown *shown)
{
        return calltree_add_function(tree, &(struct calltree_function){
                                                   .name = strpool_get(t->texts, shown->name),
                                                   .module = strpool_get(t->texts, shown->module),
                                                   .path = strpool_get(t->texts, shown->path),
                                                   .file = strpool_get(t->texts, shown->file),
                                                   .line = shown->line,
                                                   .kind = shown->kind,
                                                   .is_kernel = shown->is_kernel,
                                                   .is_inlined = shown->is_inlined,
                                           });
}

static uint32_t add_process(const struct stacks_tree *t, struct calltree *tree, str_id comm)
{
        const char *name = world_text(t->request.world, comm);
        struct calltree_function process = {.name = *name ? name : "unknown", .kind = CALLTREE_PROCESS};

        return t->request.processes
                       ? calltree_add_child(tree, CALLTREE_ROOT, calltree_add_function(tree, &process))
                       : CALLTREE_ROOT;
}

static void add_series(const struct stacks_tree *t, const struct stack_series *series, struct calltree *tree)
{
        const struct stacks *stacks = t->request.stacks;
        size_t n = stacks_n_nodes(stacks);
        uint32_t top = add_process(t, tree, series->comm);
        uint32_t *ends = mem_new(n, sizeof(*ends));
        bool *used = find_used(stacks, series);

        for (uint32_t i = 0; i < n; i++) {
                uint32_t parent = stacks_get_node(stacks, i)->parent;

                if (!used[i])
                        continue;
                ends[i] = parent == STACKS_NONE ? top : ends[parent];
                for (uint32_t k = 0; k < t->spans[i].n; k++)
                        ends[i] = calltree_add_child(tree, ends[i],
                                                     add_function(t, tree, &t->shown[t->spans[i].first + k]));
                if (i < series->n_ends)
                        calltree_add(tree, ends[i], series->ends[i].count, series->ends[i].weight);
        }
        free(ends);
        free(used);
}

struct calltree *stacks_tree_make(const struct stacks_tree *t, uint32_t event)
{
        const struct stacks *stacks = t->request.stacks;
        struct calltree *tree = calltree_new();

        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                if (stacks_get_series(stacks, i)->event == event)
                        add_series(t, stacks_get_series(stacks, i), tree);
        }
        calltree_finish(tree);
        return tree;
}
