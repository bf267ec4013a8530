/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a call tree as rows of a live view. */
#ifndef LIVE_TREE_H
#define LIVE_TREE_H

#include "live_sums.h"

struct calltree;
struct named_stacks;

struct live_tree_facts {
        bool has_python;    /* there is a Python function */
        bool misses_names;  /* there is code that a program generated, without a name */
        bool has_new_names; /* there are functions of perf maps that had no row yet */
};

/* Adds the samples of a finished tree to the sums of the interval and to those since the start. An inlined
 * function must not have nodes of its own. Native callers of the outermost Python function, which only start
 * the interpreter, do not count for the samples below it. */
struct live_tree_facts live_tree_add(const struct calltree *tree, struct live_sums *sums);

/* The same facts of stacks that become no tree. */
struct live_tree_facts live_tree_facts_of(const struct named_stacks *named);

#endif
