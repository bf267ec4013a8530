/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of asyncio's tasks in wall time: while the thread of their loop waits, its time is divided among
 * the tasks that wait, and counts for their chains of awaits. */
#ifndef REPORT_TASKS_H
#define REPORT_TASKS_H

#include "stacks.h"
#include "task_chains.h"
#include "wall_pieces.h"

struct report_tasks;

/* The section must outlive the result. NULL if it has no tasks with places, or is NULL. */
struct report_tasks *report_tasks_new(const struct task_section *section);
void report_tasks_free(struct report_tasks *tasks);

/* One of the tasks that share a piece. */
struct report_task_part {
        uint64_t ns;
        enum wait_kind kind;
        struct stack_frame frames[TASK_CHAIN_MAX];
        size_t n_frames;
};

/* Begins a piece; pieces of a thread must come in order of time. False: its time counts for its own stack. */
bool report_tasks_begin(struct report_tasks *tasks, const struct wall_piece *piece);

/* The next task of the piece. Their parts are all of its time. */
bool report_tasks_next(struct report_tasks *tasks, struct report_task_part *ret);

#endif
