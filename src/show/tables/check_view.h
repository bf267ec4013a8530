/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows which limits runs keep, as text, JSON and Markdown. */
#ifndef CHECK_VIEW_H
#define CHECK_VIEW_H

#include <stddef.h>

#include "buf.h"
#include "limits.h"

struct check_view {
        const struct run_values *values;
        const char *a_label; /* of the baseline; NULL: that of the sessions */
        const struct limit_result *results;
        size_t n_results;
        const struct comparison *causes; /* whose functions explain a change of CPU time; NULL: none */
        const char *notes;               /* as in struct diff_view */
        bool is_doubted;                 /* more runs would not help */
        int status;                      /* with which the command ends */
        unsigned max_columns;
};

/* "within", "slower", "more", "unclear" */
const char *check_view_verdict(const struct limit_result *result);

/* What a limit is called in text: "CPU time". */
const char *check_view_label(const struct limit_result *result);

/* "CPU time +25.8 % (+22.1 to +29.6 %), allowed +5 %", and if it is unclear why. */
void check_view_add_result(const struct check_view *view, const struct limit_result *result, struct buf *out);

/* "SLOWER: CPU time +25.8 % (+22.1 to +29.6 %), allowed +5 %" */
void check_view_add_summary(const struct check_view *view, struct buf *out);

void check_view_text(const struct check_view *view, struct buf *out);
void check_view_json(const struct check_view *view, struct buf *out);
void check_view_markdown(const struct check_view *view, struct buf *out);

#endif
