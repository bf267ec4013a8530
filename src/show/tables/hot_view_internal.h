/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the text and the JSON form of the hot table. */
#ifndef HOT_VIEW_INTERNAL_H
#define HOT_VIEW_INTERNAL_H

#include "hot_view.h"
#include "table.h"

struct columns {
        struct column list[4 + ROW_N_KEYS];
        size_t n;
        size_t first_share; /* the column of shares; the next one has counts */
};

struct hot_sums {
        double share;
        uint64_t count, weight;
        size_t n_rows;
};

void hot_view_columns(const struct hot_view *view, bool with_event, struct columns *c);

/* Adds the shown rows of an event, at most max_rows; returns their number. */
size_t hot_view_add_rows(const struct hot_view *view, uint32_t event, bool with_event, struct table *table,
                         struct hot_sums *sums);

/* The index of the first row of an event; the others follow it. */
size_t hot_view_first_row(const struct hot_view *view, uint32_t event);

/* The index of the first address of an event; the others follow it. */
size_t hot_view_first_pc(const struct hot_view *view, uint32_t event);

/* The column of a key that hot_view_key_name() names. */
struct column hot_view_key_column(const struct hot_view *view, enum row_key key);

/* Adds a cell for each key of the view except overhead and event, or the symbol if there is none. */
void hot_view_add_key_cells(const struct hot_view *view, const struct hot_row *row, struct table *table);

/* The symbol as a name, `with_module` if other modules have it, too. */
void hot_view_add_name(const struct hot_view *view, const struct hot_row *row, bool with_module,
                       struct table *table);

bool hot_view_has_section(const struct hot_view *view, size_t event);

#endif
