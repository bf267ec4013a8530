/* SPDX-License-Identifier: BSD-3-Clause */
/* All of wall time by state, and functions with a column for each state. */
#ifndef WALL_VIEW_H
#define WALL_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "json.h"
#include "wall_tasks.h"
#include "wall_times.h"

struct wall_view {
        const struct wall_times *times;
        const struct wall_tasks *tasks; /* NULL: the session has none */
        const struct task_section *task_section;
        uint64_t n_rows;      /* at most, of functions */
        unsigned max_columns; /* of the screen; 0: no limit */
};

void wall_view_text(const struct wall_view *view, struct buf *out);

/* The states alone. */
void wall_view_add_states(const struct wall_view *view, struct buf *out);

/* For other tables with columns of states: the states that are worth a column, of which the CPU is the first,
 * and their number; the name of a column; and a cell in seconds, WALL_VIEW_COLUMN wide. */
enum { WALL_VIEW_COLUMN = 7 };
size_t wall_view_choose_columns(const struct wall_times *times, unsigned columns[WALL_N_STATES]);
const char *wall_view_column_name(unsigned state);
void wall_view_add_cell(uint64_t ns, struct buf *line);

/* "on CPU 12 %, runnable 1, lock 40, idle 47": shares of the time of all threads. */
void wall_view_add_shares(const struct wall_times *times, struct buf *out);

/* "GIL: 60 % waited while NAME held it"; to be called if times->gil_holder is known. */
void wall_view_add_gil(const struct wall_times *times, struct buf *out);

/* An object of seconds by state. */
void wall_view_json_states(const uint64_t *ns, struct json *json);

/* Adds the key "wall". */
void wall_view_json(const struct wall_view *view, struct json *json);

#endif
