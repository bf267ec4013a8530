/* SPDX-License-Identifier: BSD-3-Clause */
/* The call trees of two groups of runs as one tree. */
#ifndef DIFF_TREE_H
#define DIFF_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "calltree.h"
#include "run_values.h"

struct diff_tree;

struct diff_tree *diff_tree_new(void);
void diff_tree_free(struct diff_tree *tree);
AUTO_DEFINE(diff_tree)

/* Takes the tree of a run, which is the last one of run_values_add_run().  `values` may have the runs of one
 * side only. */
void diff_tree_take(struct diff_tree *tree, const struct run_values *values, const char *event,
                    struct calltree *of_run);

/* After run_values_finish(): the finished tree of an event.  Its weights are the mean amounts of B in a
 * run, its counts the samples of all runs of B.  *ret_before has the mean amount of A for each node,
 * callees included.  The caller frees both: calltree_free(), free(). NULL: no run of B has the event. */
struct calltree *diff_tree_make(const struct diff_tree *tree, const struct run_values *values, uint32_t event,
                                double **ret_before);

#endif
