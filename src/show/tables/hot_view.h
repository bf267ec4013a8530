/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot table as text, CSV and JSON. */
#ifndef HOT_VIEW_H
#define HOT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate_view.h"
#include "buf.h"
#include "hot.h"
#include "json.h"
#include "report.h"
#include "row_keys.h"

/* A function whose annotated code is shown, too. */
struct hot_view_annotated {
        uint32_t event;
        struct annotate_view view;
};

/* All data of the view; the pointers belong to the caller and outlive the calls. */
struct hot_view {
        const struct hot *hot; /* the rows, and for `verbose` their addresses */
        const struct report_event *events;
        size_t n_events;
        struct row_keys keys; /* keys of the rows, a column each; none: module and symbol, in one column */
        uint64_t max_rows;
        /* Pattern of functions, or NULL.  Rows of functions that do not match are hidden; other rows are only
         * of samples that match, by struct report_request. */
        const char *symbol;
        bool explains_total; /* say that the total has hidden rows, too, which WindowsPerf's table does not */
        bool verbose;
        bool is_extended;     /* --json-extended: the document may have more keys than WindowsPerf's */
        bool long_names;      /* do not fold or cut names */
        unsigned max_columns; /* width of the terminal; 0: no limit */
        bool is_colored;      /* shares, by heat */
        /* --annotate: functions that are printed before an event's table, and in its array in JSON. */
        const struct hot_view_annotated *annotated;
        size_t n_annotated;
        bool disassemble; /* with their instructions */
};

/* A section for each event: heading line, table, totals. */
void hot_view_text(const struct hot_view *view, struct buf *out);

/* What a row is, for headings: "functions", "modules", ... */
const char *hot_view_row_noun(const struct hot_view *view);

/* The heading of a key's column; NULL if the key has none: event and overhead. */
const char *hot_view_key_name(enum row_key key);

/* Appends the text of a row in a key's column, not shortened. */
void hot_view_add_key(const struct hot_view *view, const struct hot_row *row, enum row_key key,
                      struct buf *out);

/* Whether the pattern of functions hides the row. */
bool hot_view_hides(const struct hot_view *view, const struct hot_row *row);

/* Whether any row matches the pattern of functions. */
bool hot_view_has_match(const struct hot_view *view);

/* The line that replaces a table if no row matches the pattern of functions (-s). */
void hot_view_add_no_match(const char *symbol, struct buf *out);

/* One CSV table of all events; with several events, the event is the first column. */
void hot_view_csv(const struct hot_view *view, struct buf *out);

/* The key "events": an array with one object for each event. */
void hot_view_json(const struct hot_view *view, struct json *json);

#endif
