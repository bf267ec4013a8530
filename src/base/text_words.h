/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits a command line into words by the quoting rules of a shell. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "err.h"

/* Blanks separate words; '...' keeps all bytes, "..." keeps all but \" and \\, and \ keeps the next byte.
 * Nothing is expanded: $, *, ~ and operators such as | and ; are ordinary bytes.  Returns an array that
 * ends with NULL; array and words are in `arena`.  NULL if a quote has no end (ERR_USAGE). */
char **text_split_words(const char *text, struct arena *arena, size_t *ret_n, struct err *err);

#endif
