/* SPDX-License-Identifier: BSD-3-Clause */
#include "stacks_python.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "place_python.h"
#include "python_native.h"
#include "stacks_internal.h"

bool stacks_python_parse(const char *word, enum stacks_python *ret)
{
        static const char *const words[] = {
                [STACKS_PYTHON_ALL] = "all",
                [STACKS_PYTHON_MERGED] = "merged",
                [STACKS_PYTHON_ONLY] = "only",
                [STACKS_PYTHON_NATIVE] = "native",
        };

        for (size_t i = 0; i < N_ELEMENTS(words); i++) {
                if (strcmp(words[i], word) != 0)
                        continue;
                *ret = (enum stacks_python)i;
                return true;
        }
        return false;
}

bool stacks_python_runs(const struct place_names *names, const struct symbol *symbol)
{
        enum python_native kind;

        if (symbol->status != SYMBOL_NAMED)
                return false;
        kind = python_native_of(resolver_text(names->resolver, symbol->name));
        return kind == PYTHON_NATIVE_EVAL || kind == PYTHON_NATIVE_GLUE;
}

struct python_folding {
        struct stacks *stacks;
        struct place_names names;
        uint8_t *is_eval; /* for each place: 0 unknown, 1 no, 2 yes */
        uint32_t *to;     /* for each node: itself, or the outer node that replaces it */
};

static bool is_python(const struct python_folding *f, uint32_t node)
{
        return place_python_is(f->names.modules, stacks_place_of(f->stacks, node)->module);
}

static bool is_eval(struct python_folding *f, uint32_t node)
{
        uint32_t index = stacks_get_node(f->stacks, node)->place;
        const struct code_place *place = stacks_get_place(f->stacks, index);
        struct symbol symbol;

        if (f->is_eval[index])
                return f->is_eval[index] == 2;
        symbol = place_names_symbol(&f->names, place->module, place->offset);
        f->is_eval[index] = 1 + stacks_python_runs(&f->names, &symbol);
        return f->is_eval[index] == 2;
}

/* Whether to remove a node whose caller is represented by `outer`. */
static bool is_left_out(struct python_folding *f, uint32_t node, uint32_t outer, enum stacks_python how)
{
        if (stacks_place_of(f->stacks, node)->state)
                return false;
        switch (how) {
        case STACKS_PYTHON_MERGED: return is_python(f, outer) && !is_python(f, node) && is_eval(f, node);
        case STACKS_PYTHON_ONLY: return is_python(f, outer) && !is_python(f, node);
        case STACKS_PYTHON_NATIVE: return is_python(f, node);
        case STACKS_PYTHON_ALL: break;
        }
        return false;
}

/* A caller precedes its callees, so its replacement is known. */
static void fold_node(struct python_folding *f, uint32_t node, enum stacks_python how)
{
        uint32_t *parent = &f->stacks->nodes[node].parent;

        f->to[node] = node;
        if (*parent == STACKS_NONE)
                return;
        *parent = f->to[*parent];
        if (is_left_out(f, node, *parent, how))
                f->to[node] = *parent;
        else if (how == STACKS_PYTHON_ONLY && is_python(f, node) && !is_python(f, *parent))
                *parent = STACKS_NONE;
}

void stacks_python_fold(struct stacks *stacks, struct sample_list *samples,
                        const struct stacks_python_request *request, enum stacks_python how)
{
        size_t n = stacks_n_nodes(stacks);
        struct python_folding f = {
                .stacks = stacks,
                .names = {NULL, request->resolver, request->modules, {0}},
                .is_eval = mem_new(stacks_n_places(stacks), 1),
                .to = mem_new(n, sizeof(*f.to)),
        };

        for (uint32_t i = 0; i < n; i++)
                fold_node(&f, i, how);
        for (size_t i = 0; i < stacks->n_series; i++) {
                for (size_t k = 0; k < stacks->series[i].n_ends; k++)
                        stacks->series[i].ends[k].node = f.to[stacks->series[i].ends[k].node];
        }
        if (samples)
                sample_list_move_nodes(samples, f.to);
        place_names_release(&f.names);
        free(f.is_eval);
        free(f.to);
}
