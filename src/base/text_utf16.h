/* SPDX-License-Identifier: BSD-3-Clause */
/* Little-endian UTF-16, as in Windows' files, to UTF-8. */
#ifndef TEXT_UTF16_H
#define TEXT_UTF16_H

#include <stdbool.h>

#include "buf.h"
#include "cursor.h"

/* Appends the text up to its NUL, or to the end of the cursor, and moves behind it.  Half of a pair becomes
 * U+FFFD.  False: there was no NUL. */
bool text_add_utf16(struct cursor *c, struct buf *out);

#endif
