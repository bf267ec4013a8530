/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions for short texts: prefixes and suffixes, base names, copies, hexadecimal. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The part after the last '/' or '\\'. */
const char *text_base_name(const char *path);

bool text_starts(const char *text, const char *prefix);

bool text_ends(const char *text, const char *suffix);

/* Copies into a fixed field of at least one byte and always adds a NUL; false if the text was cut. */
bool text_copy(char *to, size_t size, const char *from);

/* Lower-case hexadecimal of `n` bytes; `out` must have room for 2 * n + 1. */
void text_hex(char *out, const void *bytes, size_t n);

#endif
