/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the table and its renderers. */
#ifndef TABLE_INTERNAL_H
#define TABLE_INTERNAL_H

#include "arena.h"
#include "table.h"

struct table_cell {
        bool is_none;
        const char *shown; /* shown on the screen instead of the number; NULL: the number */
        union {
                const char *text;
                uint64_t number;
                double fixed;
        };
        size_t n_kept; /* number of bytes at the end of `text` that are never cut */
};

struct table {
        const struct column *columns;
        size_t n_columns;
        struct table_cell *cells; /* by rows */
        size_t n_cells, cap_cells;
        const char **footers; /* n_columns texts for each line */
        size_t n_footers, cap_footers;
        struct arena texts;
        bool is_colored;
};

/* Appends a cell as plain text with printable characters; on the screen with separators. */
void table_cell_format(const struct column *column, const struct table_cell *cell, bool screen,
                       struct buf *out);

/* Appends a function's name on at most `room` columns; 0: no limit.  `twin` is from table_find_twins. */
void table_name_format(const struct table_cell *cell, const struct table_cell *twin, size_t room,
                       struct buf *out);

/* For each row, a cell with another name that would be shortened to the same text, or NULL.  Freed by the
 * caller. */
const struct table_cell **table_find_twins(const struct table *table, size_t column, size_t room);

/* Appends the JSON and CSV name of a column. */
void table_add_key(const struct column *column, struct buf *out);

#endif
