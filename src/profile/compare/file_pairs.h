/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs the source files of both groups of runs, which may lie in other folders: x/util.py of A and
 * new/x/util.py of B. */
#ifndef FILE_PAIRS_H
#define FILE_PAIRS_H

#include "err.h"
#include "run_values.h"

/* For values whose modules are paths of source files; after the last run, before run_values_finish().
 * First the pairs of `wanted`, "app.py=main.py, x/a.py=x/b.py" (NULL: none), each the end of a path of A
 * and of B; then those with the longest common end, at least the file's name. Each file is in at most one
 * pair.  Modules become as short as they must be to differ.
 *
 * ERR_USAGE: `wanted` has another form; ERR_MISSING: not exactly one file of A, or of B, has such an end. */
bool file_pairs_apply(struct run_values *values, const char *wanted, struct err *err);

#endif
