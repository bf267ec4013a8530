/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a comparison: in text those that fit a terminal, in JSON and CSV all. */
#ifndef DIFF_COLUMNS_H
#define DIFF_COLUMNS_H

#include "buf.h"
#include "comparison.h"
#include "table.h"

enum diff_form { DIFF_TEXT, DIFF_DATA };

/* Which names a table has. */
enum diff_presence { DIFF_IN_BOTH, DIFF_ONLY_A, DIFF_ONLY_B };

struct diff_rows {
        const struct comparison *comparison;
        enum diff_presence presence;
        const struct compared_row *rows;
        size_t n;
};

/* The rows of a presence. */
struct diff_rows diff_rows_of(const struct comparison *comparison, enum diff_presence presence);

/* Tables to print; free them with table_free(). */
struct table *diff_columns_rows(const struct diff_rows *rows, size_t max_rows);
struct table *diff_columns_totals(const struct comparison *comparison, enum diff_form form);

/* "+5.3 %"; "+2.7 to +30.7 %"; "2.1 %", the smallest change that could be shown.  Nothing if it is not
 * known. */
void diff_columns_add_change(const struct compared *compared, struct buf *out);
void diff_columns_add_interval(const struct compared *compared, struct buf *out);
void diff_columns_add_smallest(const struct compared *compared, struct buf *out);

/* The largest difference of two amounts in a row, up or down. */
double diff_columns_largest(const struct diff_rows *rows);

/* For JSON and CSV: the rows of all comparisons, with columns for event and presence. */
struct table *diff_columns_data(const struct comparison *const *comparisons, size_t n);

#endif
