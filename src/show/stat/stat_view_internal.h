/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a count, shared by its text and JSON forms. */
#ifndef STAT_VIEW_INTERNAL_H
#define STAT_VIEW_INTERNAL_H

#include "stat_view.h"
#include "table.h"

enum { STAT_COLUMNS_MAX = 9 };

/* A table with its columns. */
struct stat_table {
        struct column columns[STAT_COLUMNS_MAX];
        size_t n_columns;
        struct table *table;
};

/* On the screen, the unit of clocks is the last column. */
void stat_table_init(struct stat_table *made, const struct stat_view *view, const struct sheet_table *from,
                     bool screen);
void stat_table_init_metrics(struct stat_table *made, const struct stat_view *view);
void stat_table_init_l3(struct stat_table *made, const struct stat_view *view);
void stat_table_init_ddr(struct stat_table *made, const struct stat_view *view);

/* The units of a DMC in one table; `overall` adds a row for all units. */
void stat_table_init_dmc(struct stat_table *made, const struct stat_view *view);
void stat_table_release(struct stat_table *made);

#endif
