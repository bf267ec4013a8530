/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of branches between functions in its three forms. */
#ifndef BRANCH_VIEW_H
#define BRANCH_VIEW_H

#include <stdbool.h>

#include "hot_view.h"

struct branch_view_end {
        const char *function, *module; /* module "": none */
        uint64_t addr;                 /* 0: not known, or no key asks for it */
};

struct branch_view_row {
        uint32_t event;
        struct branch_view_end from, to;
        bool is_hidden; /* the view's pattern means neither end */
        uint64_t count;
        uint64_t n_told, n_mispredicted; /* whose prediction hardware told; of these the wrong ones */
        uint64_t n_timed, cycles;        /* whose cycles were told, and their sum */
};

struct branch_view_rows {
        const struct branch_view_row *items; /* by event, then most first */
        size_t n;
        const uint64_t *counts; /* of each event, all rows together */
};

struct branch_view {
        const struct branch_view_rows *rows;
        const struct hot_view_event *events;
        size_t n_events;
        uint64_t max_rows;
        struct row_keys keys; /* of the ends: symbol, module, addr; none: symbol and module */
        const char *symbol;   /* pattern of functions at one of the ends, or NULL; see is_hidden */
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
