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
        bool rows_have_code;           /* they are functions; other rows have no machine code of their own */
        const char *notes;             /* lines about differences besides the program; "" for none */
        const char *hint;              /* the end of the line `finds:`, or "" */
        double wanted_change;          /* the change of which to say how many runs show it; 0: not asked */
        uint64_t max_rows;             /* of each event in text; 0: those that differ, and a few more */
        unsigned max_columns;          /* of the terminal; 0: no limit */
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

/* "finds: 7 % of CPU time, 45 ms of a function": the smallest change of the total, and of the function with
 * most samples, that these runs would show; and what --find asks for. */
void diff_view_add_finds(const struct diff_view *view, struct buf *out);

/* A line: how many rows differ. */
void diff_view_add_n_differ(const struct diff_view *view, const struct comparison *comparison,
                            struct buf *out);

/* The number of rows that are said to differ. */
size_t diff_view_n_differ(const struct comparison *comparison);

/* "slower", "unclear"; `is_time`: more is slower. */
const char *diff_view_verdict(enum compared_verdict verdict, bool is_time);

/* "1.23 s", "12.3 ms", "1,234" or "1.23". */
void diff_view_add_amount(struct buf *out, double amount, enum compared_unit unit);

/* A difference, with its sign: "+131 ms". */
void diff_view_add_difference(struct buf *out, double difference, enum compared_unit unit);

/* A change that is to be shown by a test at `alpha`. */
struct diff_wanted {
        double change, alpha;
        bool a_is_fixed; /* a baseline: only B gets more runs */
};

/* What is missing to show it; false if no number of runs that anyone records would. */
struct diff_more_runs {
        size_t n;       /* of each side that gets more */
        double seconds; /* that they take; 0: not known */
};
bool diff_view_count_more_runs(const struct run_values *values, const struct compared *compared,
                               const struct diff_wanted *wanted, struct diff_more_runs *ret);

#endif
