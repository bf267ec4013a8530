/* SPDX-License-Identifier: BSD-3-Clause */
/* The width of text on a terminal, in columns; UTF-8. */
#ifndef TEXT_WIDTH_H
#define TEXT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* 2 for wide characters, 0 for combining characters, otherwise 1. */
size_t text_char_width(uint32_t code);

/* The width of `text`; a byte that is not valid UTF-8 counts as one column. */
size_t text_width(const char *text);

/* Number of bytes of `text` that fit into `max_columns`; *ret_width (may be NULL) is their width. */
size_t text_fitting_bytes(const char *text, size_t max_columns, size_t *ret_width);

#endif
