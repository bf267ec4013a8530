/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory as text, CSV and JSON. */
#ifndef ACCESS_VIEW_H
#define ACCESS_VIEW_H

#include "access_rows.h"
#include "branch_view.h"
#include "buf.h"
#include "hot_view.h"
#include "json.h"
#include "table.h"

struct access_view_event {
        const char *name;
        struct access_totals totals;
};

struct access_view {
        const struct access_rows *rows;
        unsigned keys;        /* enum access_key of the rows */
        bool by_code;         /* rows distinguish code, by code.keys */
        struct hot_view code; /* its rows are those of access_rows_hot(), and its pattern that of `rows`; also
                                 the widths, colours and limits of the tables */
        const struct access_view_event *events;
        size_t n_events;
        const struct branch_view
                *mispredicted; /* targets of mispredicted branches; NULL: none was recorded */
        bool describe;         /* explain the columns */
};

/* A section for each event with accesses: heading line, table, and for pages and cache lines the functions
 * that touched them. */
void access_view_text(const struct access_view *view, struct buf *out);

/* One table of all events; with several events, the event is the first column. */
void access_view_csv(const struct access_view *view, struct buf *out);

/* The key "accesses": an array with one object for each event; and "mispredicted" where that was recorded. */
void access_view_json(const struct access_view *view, struct json *json);

/* --- Parts of the text --- */

/* The text of a row in the column of an access key. */
void access_view_add_key(const struct access_view *view, const struct access_row *row, unsigned key,
                         struct buf *out);

/* "false sharing likely"; "" if there is nothing to say. */
const char *access_view_sharing(enum access_sharing sharing);

/* The meaning of a column, or of what a key names; NULL if the name says it. */
const char *access_view_meaning(const char *column);

enum { ACCESS_VIEW_MAX_COLUMNS = 32 };

/* At most view->code.max_rows rows of an event, without columns that are empty in all of them.  `columns`, of
 * ACCESS_VIEW_MAX_COLUMNS elements, must outlive the table. */
struct table *access_view_table(const struct access_view *view, uint32_t event, struct column *columns);

/* At most `max` functions that use a page or cache line. */
struct table *access_view_uses_table(const struct access_view *view, const struct access_row *row,
                                     size_t max);

/* A page or cache line, and a table of the functions and threads that use it. */
void access_view_add_uses(const struct access_view *view, const struct access_row *row, struct buf *out);

#endif
