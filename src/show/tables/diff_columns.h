/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a comparison in JSON and CSV, and the texts of cells. */
#ifndef DIFF_COLUMNS_H
#define DIFF_COLUMNS_H

#include "buf.h"
#include "comparison.h"
#include "table.h"

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

/* For JSON; free it with table_free(). */
struct table *diff_columns_totals(const struct comparison *comparison);

/* "+5.3 %"; "+2.7 to +30.7 %"; "2.1 %", the smallest change that could be shown.  Nothing if it is not
 * known. */
void diff_columns_add_change(const struct compared *compared, struct buf *out);
void diff_columns_add_interval(const struct compared *compared, struct buf *out);
void diff_columns_add_smallest(const struct compared *compared, struct buf *out);

/* Why there is no verdict: "may be chance, 34 were tested", "few samples"; nothing if there is one, or if
 * chance alone makes such a difference. */
void diff_columns_add_why(const struct compared *compared, struct buf *out);

/* "slower"; "unclear: few samples" */
void diff_columns_add_verdict(const struct compared *compared, bool is_time, struct buf *out);

/* The largest difference of two amounts in a row, up or down. */
double diff_columns_largest(const struct diff_rows *rows);

/* For JSON and CSV: the rows of all comparisons, with columns for event and presence. */
struct table *diff_columns_data(const struct comparison *const *comparisons, size_t n);

#endif
