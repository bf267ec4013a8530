/* SPDX-License-Identifier: BSD-3-Clause */
/* What the text and the JSON form of the hot table share. */
#ifndef HOT_VIEW_INTERNAL_H
#define HOT_VIEW_INTERNAL_H

#include "hot_view.h"
#include "table.h"

struct columns {
        struct column list[4 + ROW_N_KEYS];
        size_t n;
        size_t first_share; /* the column of shares; counts stand in the next */
};

struct hot_sums {
        double share;
        uint64_t count;
        size_t n_rows;
};

void hot_view_columns(const struct hot_view *view, bool with_event, struct columns *c);

/* Adds the rows of an event that are shown, at most max_rows; returns their number. */
size_t hot_view_add_rows(const struct hot_view *view, uint32_t event, bool with_event, struct table *table,
                         struct hot_sums *sums);

bool hot_view_has_section(const struct hot_view *view, size_t event);

#endif
