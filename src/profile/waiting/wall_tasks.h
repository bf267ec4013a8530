/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time of asyncio's tasks: what they waited for while the thread of their loop waited. Each reading of a
 * loop's tasks stands for the time that its thread's reading stands for. */
#ifndef WALL_TASKS_H
#define WALL_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "task_section.h"
#include "wall_pieces.h"

struct wall_task_row {
        uint32_t n_tasks;
        const char *task;                     /* of several: what their names begin with and a star, or "" */
        const struct task_function *function; /* the innermost one outside of asyncio */
        uint32_t line;                        /* 0: not known */
        const char *awaited;                  /* the function of asyncio that it awaits; "" for none */
        uint8_t state;                        /* a kind of waiting */
        uint64_t ns;
        /* A stack of the row: the function, and up to the outermost one of the tasks that await it. Indices
         * of frames in the section. */
        const uint32_t *frames;
        size_t n_frames;
};

struct wall_tasks {
        struct wall_task_row *rows; /* of one task each; by time, idle ones last */
        size_t n_rows;
        struct wall_task_row *groups; /* the same for a short table: many tasks of a function are one */
        size_t n_groups;
        size_t n_tasks; /* names */
        uint64_t waited_ns, idle_ns;
};

/* Of the pieces that were taken. The section must outlive the result. NULL if the session has no tasks. */
struct wall_tasks *wall_tasks_new(const struct wall_pieces *pieces, const struct task_section *section);
void wall_tasks_free(struct wall_tasks *tasks);
AUTO_DEFINE(wall_tasks)

#endif
