/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict parsing of numbers, durations and lists of CPUs, and formatting of these. */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* Parses the whole of `text` as a number: decimal, 0x hexadecimal, or octal with a leading 0 if base is 0. */
bool text_to_u64(const char *text, int base, uint64_t *ret_value);

/* Parses the whole of `text` as a decimal number, -1.5e-3, whatever the locale; the last digits of a long
 * number may be rounded.  The result may be infinite. */
bool text_to_double(const char *text, double *ret_value);

/* Parses the whole of `text` as a percentage, 3, 3% or -0.5%, to a share: 0.03. */
bool text_to_percent(const char *text, double *ret_share);

/* WindowsPerf's duration grammar: NUMBER[.d[d]][ms|s|m|h|d], default seconds; 0 only with `allow_zero`. The
 * error message is «input: "x" to argument 'option' is invalid». */
bool text_to_duration(const char *text, const char *option, bool allow_zero, uint64_t *ret_ns,
                      struct err *err);

/* A list `0,2,4-7` of numbers below `limit`; ranges may be reversed; the result is sorted, without
 * duplicates. Writes at most `cap` numbers; more is ERR_LIMIT. */
bool text_to_cpu_list(const char *text, uint32_t limit, uint32_t *ret_list, size_t cap, size_t *ret_n,
                      struct err *err);

/* Appends a sorted list in the format of text_to_cpu_list: "0,2,4-7". */
void text_add_cpu_list(struct buf *out, const uint32_t *list, size_t n);

/* Compares two uint32_t, for qsort and bsearch. */
int text_compare_u32(const void *a, const void *b);

/* Append a number: decimal, and "0x" with lower-case digits.  Much faster than buf_printf. */
void text_add_u64(struct buf *out, uint64_t value);

void text_add_hex(struct buf *out, uint64_t value);

/* 1234567 as "1,234,567". */
void text_add_thousands(struct buf *out, uint64_t value);

#endif
