/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between two groups of runs besides the program, in sentences. */
#ifndef RUN_NOTES_H
#define RUN_NOTES_H

#include "buf.h"
#include "run_values.h"

/* A short name of the sessions of a group: "a-*.data", or the path of the only one. */
void run_notes_add_label(const struct run_values *values, enum run_side side, struct buf *out);

/* "; same machine, kernel, events"; nothing if nothing is known to be the same. */
void run_notes_add_same(const struct run_values *values, struct buf *out);

/* "5 runs each, in turn; same machine, kernel, events" */
void run_notes_add_heading(const struct run_values *values, struct buf *out);

/* Appends a line for each difference: machine, kernel, events, builds of libraries, paired modules,
 * renamed functions, the order of the runs. */
void run_notes_add(const struct run_values *values, struct buf *out);

#endif
