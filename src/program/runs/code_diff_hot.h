/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a function with most samples: the same code may be slower. */
#ifndef CODE_DIFF_HOT_H
#define CODE_DIFF_HOT_H

#include "code_compare.h"

/* Sets row->hot, in the arena, if the function has samples. */
void code_diff_hot_add(const struct code_comparison *comparison, struct arena *arena,
                       struct code_function_row *row);

#endif
