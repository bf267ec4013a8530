/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples over time as text and JSON: a strip for each thread or each CPU. */
#ifndef STRIP_VIEW_H
#define STRIP_VIEW_H

#include "buf.h"
#include "json.h"
#include "strips.h"

struct strip_view {
        const struct strips *strips; /* NULL: the samples have no times */
        enum strips_by by;
        const char *event;
        bool is_colored;
        unsigned max_columns; /* width of the terminal; 0: no limit */
};

/* The number of columns of a strip that fit if a table is at most `max_columns` wide; 0: no terminal. */
unsigned strip_view_columns(unsigned max_columns);

/* The height of a column of `weight` relative to the highest column: 0 (nothing) to 8. */
unsigned strip_view_level(uint64_t weight, uint64_t most);

/* A character, one column wide, that shows a column: its level, or a dot if there are no samples, but it
 * ran for a part of the time. */
const char *strip_view_block(const struct strips *strips, const struct strip *strip, unsigned column);

/* "python3 4711/4712", "CPU 3". */
void strip_view_add_name(const struct strip *strip, enum strips_by by, struct buf *out);

/* What the letters of wall time mean: "g gil, n network, bars: on a CPU"; the strips must have states. */
void strip_view_add_states(const struct strips *strips, struct buf *out);

/* A section: heading line and table. */
void strip_view_text(const struct strip_view *view, struct buf *out);

/* An object. */
void strip_view_json(const struct strip_view *view, struct json *json);

#endif
