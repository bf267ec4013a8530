/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of `man`: a heading for each field, with its text below, indented and wrapped. */
#ifndef MANUAL_VIEW_H
#define MANUAL_VIEW_H

#include "buf.h"

enum { MANUAL_VIEW_COLUMNS = 80 };

/* Appends a field.  A page begins with the field CPU; a blank line separates pages.  No line is wider than
 * MANUAL_VIEW_COLUMNS. */
void manual_view_add(const char *field, const char *text, struct buf *out);

#endif
