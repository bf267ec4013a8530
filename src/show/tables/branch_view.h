/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of branches between functions, as text, CSV and JSON. */
#ifndef BRANCH_VIEW_H
#define BRANCH_VIEW_H

#include <stdbool.h>

#include "branches.h"
#include "hot_view.h"

struct branch_view {
        const struct branch_rows *rows; /* sorted by event, then by count */
        const struct report_event *events;
        size_t n_events;
        uint64_t max_rows;
        bool by_target;       /* rows are targets of mispredicted branches, and have no `from` */
        struct row_keys keys; /* keys of the ends: symbol, module, addr; none: symbol and module */
        const char *symbol;   /* pattern for functions at one of the ends, or NULL; other rows are hidden */
        bool long_names;      /* do not fold or cut names */
        unsigned max_columns; /* width of the terminal; 0: no limit */
        bool is_colored;      /* shares, by heat */
};

/* A section for each event with branches. */
void branch_view_text(const struct branch_view *view, struct buf *out);

/* One table of all events; with several events, the event is the first column. */
void branch_view_csv(const struct branch_view *view, struct buf *out);

/* The key "branches", or "mispredicted" with by_target: an array with one object for each event. */
void branch_view_json(const struct branch_view *view, struct json *json);

#endif
