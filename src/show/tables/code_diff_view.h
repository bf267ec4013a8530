/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of machine code as text, CSV and JSON: functions by state, changed functions, and changed
 * blocks side by side. */
#ifndef CODE_DIFF_VIEW_H
#define CODE_DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "code_rows.h"
#include "json.h"

struct code_diff_view {
        const struct code_rows *rows;
        const char *paths[CODE_N_SIDES];
        bool with_blocks; /* the functions have blocks: show them side by side */
        uint64_t max_rows;
        unsigned max_columns; /* width of the terminal; 0: no limit */
        bool is_colored;      /* shares, by heat */
};

/* Appends what a function's comparison says in one sentence, such as "machine code identical in 412 of 418
 * blocks". */
void code_diff_view_sentence(const struct code_diff_view *view, const struct code_function_row *row,
                             struct buf *out);

/* Appends a line about a block: "block 12 in A, block 13 in B: changed, 2.10 % of the function's samples in
 * A and 3.00 % in B". */
void code_diff_view_block(const struct code_diff_view *view, const struct code_function_row *function,
                          const struct code_block_row *block, struct buf *out);

/* Appends a table of the blocks with most samples, with a heading; nothing if the function has no samples. */
void code_diff_view_hot(const struct code_diff_view *view, const struct code_function_row *row,
                        struct buf *out);

/* Whether a block is shown side by side: not if it is the same but for registers, nor if only others have
 * samples. */
bool code_diff_view_lists(const struct code_function_row *row, const struct code_block_row *block);

void code_diff_view_text(const struct code_diff_view *view, struct buf *out);

/* One table: of functions, or with blocks, of the lines of their blocks. */
void code_diff_view_csv(const struct code_diff_view *view, struct buf *out);

/* A whole document. */
void code_diff_view_json(const struct code_diff_view *view, struct buf *out);

#endif
