/* SPDX-License-Identifier: BSD-3-Clause */
/* From stacks of places to a call tree of functions. */
#ifndef STACKS_TREE_H
#define STACKS_TREE_H

#include "budget.h"
#include "calltree.h"
#include "place_modules.h"
#include "stacks.h"

struct stacks_tree_request {
        const struct stacks *stacks;
        const struct world *world;
        struct resolver *resolver;
        const struct place_modules *modules;
        struct budget *budget; /* bounds each tree by a part of its limit; NULL: no limit */
        bool inlines;          /* functions that were inlined are nodes of their own */
        bool lines;            /* calls from different lines are different functions */
        bool processes;        /* the top nodes are processes, by name */
        bool arguments; /* functions are named with them; else where those of a module would read the same */
};

struct stacks_tree;

/* Looks up all places in one go; keeps what the request points to. */
struct stacks_tree *stacks_tree_new(const struct stacks_tree_request *request);
void stacks_tree_free(struct stacks_tree *names);
AUTO_DEFINE(stacks_tree)

/* The tree of one event, finished; calltree_free() by the caller. */
struct calltree *stacks_tree_make(const struct stacks_tree *names, uint32_t event);

#endif
