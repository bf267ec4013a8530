/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks as lines `process;outer;inner COUNT`: the input of flamegraph.pl, inferno and the tools beside them. */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H

#include <stdbool.h>

#include "buf.h"
#include "calltree.h"

struct export_folded_options {
        bool weights; /* weights in the place of numbers of samples */
        bool annotate; /* `_[k]` behind kernel functions and `_[i]` behind inlined ones, for palettes that know them */
};

/* Lines sorted by their bytes, each stack once.  What separates in a line is replaced in names: `;` by `:`, and blanks in a
 * process's name, or before a number at the end of another, by `_`. */
void export_folded(const struct calltree *tree, const struct export_folded_options *options, struct buf *out);

#endif
