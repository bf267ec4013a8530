/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile format of Callgrind, which kcachegrind and callgrind_annotate read. */
#ifndef EXPORT_CALLGRIND_H
#define EXPORT_CALLGRIND_H

#include "buf.h"
#include "calltree.h"
#include "export.h"

/* Writes a tree with lines.  Each line of a function has its own samples, and those of its callees. Processes
 * are functions `NAME (process)`.  The number of calls is that of the samples in the callee.  Readers take
 * the calls of a function for its total, so in a recursion only the outermost call has a cost. */
void export_callgrind(const struct calltree *tree, const struct export_about *about, struct buf *out);

#endif
