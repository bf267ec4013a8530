/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of branches between functions, as text, CSV and JSON. */
#ifndef BRANCH_VIEW_H
#define BRANCH_VIEW_H

#include <stdbool.h>

#include "hot_view.h"

struct branch_view_end {
        const char *function, *module; /* module "": none */
        uint64_t addr;                 /* 0: not known, or not a key */
};

struct branch_view_row {
        uint32_t event;
        struct branch_view_end from, to;
        bool is_hidden; /* the view's pattern matches neither end */
        uint64_t count;
        /* branches with a known prediction; those of them that were mispredicted */
        uint64_t n_told, n_mispredicted;
        uint64_t n_timed, cycles; /* branches with known cycles, and the sum of the cycles */
};

struct branch_view_rows {
        const struct branch_view_row *items; /* sorted by event, then by count */
        size_t n;
        const uint64_t *counts; /* for each event, the sum of all rows */
};

struct branch_view {
        const struct branch_view_rows *rows;
        const struct hot_view_event *events;
        size_t n_events;
        uint64_t max_rows;
        bool by_target;       /* rows are targets of mispredicted branches, and have no `from` */
        struct row_keys keys; /* keys of the ends: symbol, module, addr; none: symbol and module */
        const char *symbol;   /* pattern for functions at one of the ends, or NULL; see is_hidden */
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
