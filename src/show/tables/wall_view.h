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

/* Adds the key "wall". */
void wall_view_json(const struct wall_view *view, struct json *json);

#endif
