/* SPDX-License-Identifier: BSD-3-Clause */
/* Text comparison: without regard to case, with patterns, in lists of words, and the nearest of several
 * names. */
#ifndef TEXT_MATCH_H
#define TEXT_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* True if `word` is one of the words of a comma-separated list. */
bool text_in_list(const char *list, const char *word);

bool text_equal_nocase(const char *a, const char *b);
bool text_starts_nocase(const char *text, const char *prefix);

/* Whether `part` is in `text`, without regard to case. */
bool text_contains_nocase(const char *text, const char *part);

/* WindowsPerf's symbol pattern, without regard to case: `name` exact, `^pre`, `suf$`, `^name$`. */
bool text_match_symbol(const char *pattern, const char *name);

/* True if a pattern of text_match_symbol has function arguments, such as `f(int)`. */
bool text_pattern_has_arguments(const char *pattern);

/* True if `pattern` matches the whole of `text`, ignoring case: `*` is any text, `?` any byte. */
bool text_match_glob(const char *pattern, const char *text);

/* The number of single-letter changes (insert, delete, replace, swap of neighbours) from a to b, up to a
 * limit. */
unsigned text_distance(const char *a, const char *b);

/* The nearest of `n` names to `word`, or NULL if none is near enough for a suggestion. */
const char *text_nearest(const char *word, const char *const *names, size_t n);

#endif
