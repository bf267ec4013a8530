/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the machine code of two functions by basic blocks. */
#ifndef CODE_COMPARE_H
#define CODE_COMPARE_H

#include "code_body.h"
#include "code_rows.h"

struct code_block_pair {
        enum code_block_state state;
        size_t a, b; /* indexes of blocks; SIZE_MAX: none */
};

struct code_comparison {
        struct code_body a, b;
        enum code_state state;
        /* in the order of `a`; blocks of `b` alone follow the block of `a` before them */
        struct code_block_pair *pairs;
        size_t n_pairs, cap_pairs;
        size_t *to_b;  /* for each block of `a` its pair, or SIZE_MAX */
        size_t n_same; /* blocks that are the same, in any order */
        size_t n_reordered;
        size_t n_renamed;         /* blocks that are the same but for registers and stack slots */
        size_t n_entries_changed; /* elements of jump tables that lead to blocks that are not a pair */
        bool is_too_large;        /* blocks were not aligned because there are too many */
};

/* Both functions must exist; their keys must be set (code_match.h). */
void code_compare(const struct code_image *a_image, const struct code_function *a,
                  const struct code_image *b_image, const struct code_function *b,
                  struct code_comparison *ret);
void code_comparison_release(struct code_comparison *comparison);

/* A line of two blocks side by side, or of one block. */
struct code_line {
        char mark;                     /* ' ' equal, '|' different, '<' only in `a`, '>' only in `b` */
        const struct code_insn *a, *b; /* NULL: none */
};

/* The lines of a pair, which the caller frees.  Returns their number. */
size_t code_comparison_lines(const struct code_comparison *comparison, const struct code_block_pair *pair,
                             struct code_line **ret_lines);

#endif
