/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions on a screen. */
#ifndef NAME_TEXT_H
#define NAME_TEXT_H

#include <stddef.h>

#include "buf.h"

/* Appends a name as shown to users: folded by demangle_fold; then lists of template arguments are left out,
 * inner lists first; then the file of a Python function; then "..." replaces its middle, until it takes at
 * most `max_columns`.  0: the name is only folded.  `twin`: another name that would be shortened to the same
 * text, so that the difference must stay visible; NULL: none. */
void name_text_add(struct buf *out, const char *name, const char *twin, size_t max_columns);

#endif
