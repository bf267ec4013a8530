/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of branches between functions in its three forms. */
#ifndef BRANCH_VIEW_H
#define BRANCH_VIEW_H

#include <stdbool.h>

#include "branches.h"
#include "hot_view.h"

struct branch_view {
        const struct branch_rows *rows;
        const struct hot_view_event *events;
        size_t n_events;
        uint64_t max_rows;
        struct row_keys keys; /* of the ends: symbol, module, addr; none: symbol and module */
        const char *symbol;   /* pattern of functions at one of the ends, or NULL */
        bool long_names;      /* nothing of a name is folded or cut */
        unsigned max_columns; /* of the terminal; 0: nothing is cut */
        bool is_colored;      /* shares, by heat */
};

/* A section for each event that has branches. */
void branch_view_text(const struct branch_view *view, struct buf *out);

/* One table of all events, with the event as its first column when there are several. */
void branch_view_csv(const struct branch_view *view, struct buf *out);

/* The key "branches" with an array of one object an event. */
void branch_view_json(const struct branch_view *view, struct json *json);

#endif
