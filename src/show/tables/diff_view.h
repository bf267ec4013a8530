/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows comparisons as text, JSON and CSV. */
#ifndef DIFF_VIEW_H
#define DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "comparison.h"
#include "json.h"

struct diff_view {
        const struct run_values *values;
        const struct comparison *const
                *comparisons; /* one for each event; the totals of the first are shown */
        size_t n_comparisons;
        const char *row_is, *rows_are; /* "function", "functions" */
        const char *notes;             /* lines about differences besides the program; "" for none */
        double wanted_change;          /* the change of which to say how many runs show it; 0: not asked */
        uint64_t max_rows;
        unsigned max_columns; /* of the terminal; 0: no limit */
        bool is_colored;
};

void diff_view_text(const struct diff_view *view, struct buf *out);
void diff_view_json(const struct diff_view *view, struct buf *out);

/* The rows of all events, also those that only one group has. */
void diff_view_csv(const struct diff_view *view, struct buf *out);

/* An array with a text for each line. */
void diff_view_json_lines(const char *lines, struct json *json);

/* "A = a-*.data (3 runs)" */
void diff_view_add_side(const struct diff_view *view, enum run_side side, struct buf *out);

/* A line each: the smallest change of the total time that these runs could show, which needs totals; how
 * many rows differ, and the smallest change of the largest row that these runs could show. */
void diff_view_add_total_limit(const struct diff_view *view, struct buf *out);
void diff_view_add_row_limit(const struct diff_view *view, const struct comparison *comparison,
                             struct buf *out);

/* The number of rows that are said to differ. */
size_t diff_view_n_differ(const struct comparison *comparison);

/* "slower", "not shown"; `is_time`: more is slower. */
const char *diff_view_verdict(enum compared_verdict verdict, bool is_time);

/* "1.234 s", "12.3 ms", "1,234" or "1.23". */
void diff_view_add_amount(struct buf *out, double amount, enum compared_unit unit);

/* "3 more runs of each, about 12 s": what is missing to show `change` with a test at `alpha`; nothing if
 * the runs suffice.  False if no number of runs that anyone records would show it. */
bool diff_view_add_more_runs(struct buf *out, const struct run_values *values,
                             const struct compared *compared, double change, double alpha);

#endif
