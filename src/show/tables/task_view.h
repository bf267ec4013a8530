/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of asyncio's tasks: a row for each task and function that awaits. */
#ifndef TASK_VIEW_H
#define TASK_VIEW_H

#include "buf.h"
#include "json.h"
#include "wall_tasks.h"

struct task_view {
        const struct wall_tasks *tasks;
        const struct task_section *section;
        unsigned shown;       /* a set of states, as WALL_BIT() */
        uint64_t n_rows;      /* at most */
        unsigned max_columns; /* of the screen; 0: no limit */
};

void task_view_text(const struct task_view *view, struct buf *out);

/* Adds the key "tasks". */
void task_view_json(const struct task_view *view, struct json *json);

#endif
