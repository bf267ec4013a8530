/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks as lines `process;outer;inner COUNT`: the input of flamegraph.pl, inferno and similar programs. */
#ifndef EXPORT_FOLDED_H
#define EXPORT_FOLDED_H

#include <stdbool.h>

#include "buf.h"
#include "calltree.h"

struct export_folded_options {
        bool weights; /* weights instead of numbers of samples */
        /* add `_[k]` to kernel functions and `_[i]` to inlined functions, for palettes that use them */
        bool annotate;
};

/* The lines are sorted by their bytes, each stack once.  Characters with a meaning in a line are replaced
 * in names: `;` by `:`, and blanks in a process's name, or before a number at the end of another name, by
 * `_`. */
void export_folded(const struct calltree *tree, const struct export_folded_options *options, struct buf *out);

#endif
