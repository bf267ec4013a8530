/* SPDX-License-Identifier: BSD-3-Clause */
/* In which way the code of a function was changed: what a change of its source, or another compiler, most
 * likely did. */
#ifndef CODE_CHANGE_H
#define CODE_CHANGE_H

#include "buf.h"
#include "code_compare.h"

/* The kind of a changed function; appends what was changed to `detail`, such as "64 -> 63" or
 * "check: 2 -> 3" (calls), or nothing. */
enum code_change code_change_find(const struct code_comparison *c, struct buf *detail);

#endif
