/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts compared: in any case, with patterns, in lists of words, and the nearest of several names. */
#ifndef TEXT_MATCH_H
#define TEXT_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* True when `word` is one of the words of a comma-separated list. */
bool text_in_list(const char *list, const char *word);

bool text_equal_nocase(const char *a, const char *b);

/* WindowsPerf's symbol pattern, without regard to case: `name` exact, `^pre`, `suf$`, `^name$`. */
bool text_match_symbol(const char *pattern, const char *name);

/* Whether a pattern of text_match_symbol says something of a function's arguments: `f(int)`. */
bool text_pattern_has_arguments(const char *pattern);

/* Whether all of `text` is what `pattern` says, in any case: `*` is any text, `?` any byte. */
bool text_match_glob(const char *pattern, const char *text);

/* The number of single-letter changes (insert, delete, replace, swap of neighbours) from a to b, capped. */
unsigned text_distance(const char *a, const char *b);

/* The nearest of `n` names to `word`, or NULL when none is near enough to be worth suggesting. */
const char *text_nearest(const char *word, const char *const *names, size_t n);

#endif
