/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions on a screen. */
#ifndef NAME_TEXT_H
#define NAME_TEXT_H

#include <stddef.h>

#include "buf.h"

/* Appends a name as a person reads it: folded as by demangle_fold, then with lists of template arguments left out, the inner ones
 * first, and at last with "..." in its middle, until it takes at most `max_columns`; 0: it is folded and has no limit.  `twin`: another name that would be shortened to the same text;
 * what differs stays in sight.  NULL: none. */
void name_text_add(struct buf *out, const char *name, const char *twin, size_t max_columns);

#endif
