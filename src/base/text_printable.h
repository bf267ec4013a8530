/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes text from files and names of processes safe to print; UTF-8. */
#ifndef TEXT_PRINTABLE_H
#define TEXT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* Appends `text` with control bytes and invalid UTF-8 as \xNN, and invisible characters as \uNNNN, so that
 * a name from a file can neither control a terminal nor look like another name. */
void text_add_printable(struct buf *out, const char *text);

/* The same for the formatted text; a line end at the end of `fmt` is kept. */
void text_printf(struct buf *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The two steps of it, for bytes that have no NUL at the end.  The first appends the printable ASCII
 * characters at the beginning and returns their number.  The second appends one character, escaped if it
 * has to be, and returns its number of bytes. */
size_t text_add_printable_start(struct buf *out, const char *text, size_t size);
size_t text_add_escaped(struct buf *out, const char *text, size_t size);

/* Whether this is an invisible character that changes how text looks: direction marks (U+202E), characters
 * of width zero, line and paragraph separators, tags.  `at` is a valid UTF-8 sequence; *ret_code is its
 * code point. */
bool text_is_unseen(const unsigned char *at, uint32_t *ret_code);

/* The length of the valid UTF-8 sequence at `at` (a NUL-terminated text), or 0. */
size_t text_utf8_length(const unsigned char *at);

/* Appends a character as UTF-8; nothing for an invalid code point. */
void text_add_utf8(struct buf *out, uint32_t code);

/* The code point of a valid UTF-8 sequence. */
uint32_t text_utf8_code(const unsigned char *at);

#endif
