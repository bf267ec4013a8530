/* SPDX-License-Identifier: BSD-3-Clause */
/* Text to numbers and back: strict parsers, thousands, durations, lists, names, patterns. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The whole of `text` as a number: decimal, 0x hexadecimal, or octal with a leading 0 when base is 0. */
bool text_to_u64(const char *text, int base, uint64_t *ret_value);

/* WindowsPerf's duration grammar: NUMBER[.d[d]][ms|s|m|h|d], default seconds; 0 only where `allow_zero`.
 * The error says «input: "x" to argument 'option' is invalid». */
bool text_to_duration(const char *text, const char *option, bool allow_zero, uint64_t *ret_ns,
                      struct err *err);

/* A list `0,2,4-7` of numbers below `limit`; ranges may be reversed; sorted, without duplicates.
 * Writes at most `cap` numbers; more is ERR_LIMIT. */
bool text_to_cpu_list(const char *text, uint32_t limit, uint32_t *ret_list, size_t cap, size_t *ret_n,
                      struct err *err);

/* Appends a sorted list as text_to_cpu_list reads it: "0,2,4-7". */
void text_add_cpu_list(struct buf *out, const uint32_t *list, size_t n);

/* Order of two uint32_t, for qsort and bsearch. */
int text_compare_u32(const void *a, const void *b);

/* Appends a number: decimal, and "0x" with lower-case digits.  Much faster than buf_printf. */
void text_add_u64(struct buf *out, uint64_t value);
void text_add_hex(struct buf *out, uint64_t value);

/* 1234567 as "1,234,567". */
void text_add_thousands(struct buf *out, uint64_t value);

/* The part after the last '/' or '\\'. */
const char *text_base_name(const char *path);

bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);
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

/* Copies into a fixed field and always ends it with a NUL; false when it was cut. */
bool text_copy(char *to, size_t size, const char *from);

/* Appends `text` with control bytes and invalid UTF-8 as \xNN, and characters that nobody sees as \uNNNN, so that a name
 * out of a file can neither drive a terminal nor look like another one. */
void text_add_printable(struct buf *out, const char *text);

/* A character that is not seen but changes how text looks: marks of direction (U+202E), of no width, line and paragraph
 * separators, tags.  `at` is a valid UTF-8 sequence; its code point is at *ret_code. */
bool text_is_unseen(const unsigned char *at, uint32_t *ret_code);

/* The length of the valid UTF-8 sequence at `at` (a NUL-terminated text), or 0. */
size_t text_utf8_length(const unsigned char *at);

/* Lower-case hexadecimal of `n` bytes; `out` has room for 2 * n + 1. */
void text_hex(char *out, const void *bytes, size_t n);

#endif
