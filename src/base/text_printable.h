/* SPDX-License-Identifier: BSD-3-Clause */
/* Text out of files and names of processes, so that it can be shown; UTF-8. */
#ifndef TEXT_PRINTABLE_H
#define TEXT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* Appends `text` with control bytes and invalid UTF-8 as \xNN, and characters that nobody sees as \uNNNN, so that a name
 * out of a file can neither drive a terminal nor look like another one. */
void text_add_printable(struct buf *out, const char *text);

/* A character that is not seen but changes how text looks: marks of direction (U+202E), of no width, line and paragraph
 * separators, tags.  `at` is a valid UTF-8 sequence; its code point is at *ret_code. */
bool text_is_unseen(const unsigned char *at, uint32_t *ret_code);

/* The length of the valid UTF-8 sequence at `at` (a NUL-terminated text), or 0. */
size_t text_utf8_length(const unsigned char *at);

#endif
