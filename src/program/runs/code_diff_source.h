/* SPDX-License-Identifier: BSD-3-Clause */
/* The source lines of the instructions of one side of a comparison of machine code, as far as they may be
 * given to others. */
#ifndef CODE_DIFF_SOURCE_H
#define CODE_DIFF_SOURCE_H

#include "arena.h"
#include "code_diff.h"
#include "code_side.h"

struct code_diff_source;

/* All of them, and `texts`, must outlive it. */
struct code_diff_source *code_diff_source_new(const struct code_diff_listing *listing,
                                              const struct code_side *side, struct arena *texts);
void code_diff_source_free(struct code_diff_source *source);

/* Sets path and line of an instruction in the code of a module; `row` must stay where it is. */
void code_diff_source_add(struct code_diff_source *source, const struct code_side_module *module,
                          struct code_row_side *row);

/* Sets the texts of all that were added.  Lines of a file that changed after the module was built are left
 * out; returns the number of such files. */
size_t code_diff_source_fill(struct code_diff_source *source);

#endif
