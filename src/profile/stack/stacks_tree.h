/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes call trees of functions from stacks of places. */
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
        struct budget *budget; /* each tree is limited to a part of its limit; NULL for no limit */
        bool inlines;          /* inlined functions have their own nodes */
        bool lines;            /* calls from different lines are different functions */
        bool python_lines;     /* the same for Python functions only; their names include the line */
        bool processes;        /* the top nodes are processes, by name */
        /* show arguments in function names; if false, only to distinguish functions of a module */
        bool arguments;
        /* The word of a state, as "network"; needed if stacks have frames of states. */
        const char *(*state_word)(unsigned state);
};

struct stacks_tree;

/* Looks up all places at once; uses the objects that the request points to until it is freed. */
struct stacks_tree *stacks_tree_new(const struct stacks_tree_request *request);
void stacks_tree_free(struct stacks_tree *names);
AUTO_DEFINE(stacks_tree)

/* Returns the finished tree of one event; free with calltree_free(). */
struct calltree *stacks_tree_make(const struct stacks_tree *names, uint32_t event);

#endif
