/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of machine code as rows of text and numbers for a view. */
#ifndef CODE_ROWS_H
#define CODE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

enum code_state {
        CODE_CHANGED,
        CODE_ONLY_A,
        CODE_ONLY_B,
        CODE_ADDRESSES, /* the same instructions with other addresses in them, or other padding */
        CODE_MOVED,     /* the same bytes at another address, which refer to the same functions and data */
        CODE_IDENTICAL, /* the same at the same address */
        CODE_UNKNOWN,   /* the code of one side is not available */
        CODE_N_STATES,
};

enum code_block_state {
        CODE_BLOCK_SAME,
        CODE_BLOCK_ORDER,     /* the same, but in another order */
        CODE_BLOCK_REGISTERS, /* the same instructions with other registers or stack slots, one for one */
        CODE_BLOCK_CHANGED,
        CODE_BLOCK_ONLY_A,
        CODE_BLOCK_ONLY_B,
};

/* What was done to a changed function. */
enum code_change {
        CODE_CHANGE_NONE, /* it is not changed */
        CODE_CHANGE_CONSTANT,
        CODE_CHANGE_BOUND, /* a number or a condition of a comparison */
        CODE_CHANGE_INLINED,
        CODE_CHANGE_CALLS,
        CODE_CHANGE_SPILL, /* values that one side has in registers, and the other one on the stack */
        CODE_CHANGE_VECTORS,
        CODE_CHANGE_OTHER,
        CODE_N_CHANGES,
};

enum { CODE_A, CODE_B, CODE_N_SIDES };

/* One side of an instruction, a block or a function. */
struct code_row_side {
        bool exists;
        const char *text; /* of an instruction; name of a function */
        uint64_t addr;
        uint64_t count, weight; /* samples */
        /* Of an instruction whose source was asked for; NULL and 0: not known. */
        const char *path, *source; /* the file, and the text of the line */
        uint32_t line;
};

struct code_line_row {
        char mark; /* ' ' equal, '|' different, '<' only in A, '>' only in B */
        struct code_row_side sides[CODE_N_SIDES];
};

struct code_block_row {
        enum code_block_state state;
        size_t numbers[CODE_N_SIDES]; /* from 1 on; 0: none */
        struct code_row_side sides[CODE_N_SIDES];
        struct code_line_row *lines; /* of blocks that are not the same; NULL: not wanted */
        size_t n_lines;
};

struct code_hot_row {
        enum code_block_state state;
        size_t numbers[CODE_N_SIDES]; /* from 1 on; 0: none */
        struct code_row_side sides[CODE_N_SIDES];
        const char *source; /* "ceval.c:1850", of the first instruction in A, otherwise in B; "": not known */
};

struct code_function_row {
        enum code_state state;
        enum code_change change;
        const char *detail; /* of the change, such as "64 -> 63"; "": nothing more is known */
        struct code_row_side sides[CODE_N_SIDES];
        const char *modules[CODE_N_SIDES]; /* base names; NULL: none */
        uint64_t size_bytes[CODE_N_SIDES];
        size_t n_blocks[CODE_N_SIDES];
        uint64_t changed_weight[CODE_N_SIDES]; /* samples in blocks that are neither the same nor renamed */
        size_t n_same;                         /* blocks that are the same, in any order */
        size_t n_reordered;
        size_t n_renamed;              /* blocks that are the same but for registers */
        size_t n_entries_changed;      /* elements of jump tables that lead to other blocks */
        bool is_too_large;             /* some blocks were not aligned, so more of them may be the same */
        struct code_block_row *blocks; /* blocks that are not the same; NULL: not wanted */
        size_t n_blocks_listed;
        struct code_hot_row
                *hot; /* blocks with most samples, whatever their state; NULL: not wanted, or no samples */
        size_t n_hot;
};

struct code_rows {
        bool has_samples[CODE_N_SIDES];
        uint64_t weight[CODE_N_SIDES];       /* samples of the whole side */
        struct code_function_row *functions; /* most samples first, then by state and name */
        size_t n_functions, cap_functions;
        size_t n_by_state[CODE_N_STATES];
        uint64_t weight_by_state[CODE_N_STATES][CODE_N_SIDES];
        struct arena texts;
};

void code_rows_release(struct code_rows *rows);

#endif
