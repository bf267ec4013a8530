/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, durations and lists of CPUs out of text, strictly, and back. */
#ifndef TEXT_NUMBER_H
#define TEXT_NUMBER_H

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

#endif
