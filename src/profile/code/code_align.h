/* SPDX-License-Identifier: BSD-3-Clause */
/* Aligns two sequences of hashes: which elements are equal, in the same order.  The work is bounded: where
 * elements that occur once on both sides do not divide the sequences, a table of at most
 * CODE_ALIGN_MAX_CELLS is used, and beyond that only the equal ends of the sequences are found. */
#ifndef CODE_ALIGN_H
#define CODE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_ALIGN_MAX_CELLS = 1 << 24 };

#define CODE_ALIGN_NONE SIZE_MAX

struct code_align {
        const uint64_t *a, *b;
        size_t *to_b;      /* for each element of `a` the equal one of `b`, or CODE_ALIGN_NONE */
        bool is_too_large; /* set if a part had more cells than the limit */
};

/* `n` times CODE_ALIGN_NONE; the caller frees them. */
size_t *code_align_new(size_t n);

/* Aligns a[a0..a1) with b[b0..b1); sets `to_b` of this range, whose elements must be CODE_ALIGN_NONE. */
void code_align_range(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1);

#endif
