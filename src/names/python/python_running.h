/* SPDX-License-Identifier: BSD-3-Clause */
/* The task that runs in each event loop, in CPython 3.8 to 3.13, which have no table of tasks
 * (python_tasks.h). */
#ifndef PYTHON_RUNNING_H
#define PYTHON_RUNNING_H

#include "python_tasks.h"

enum { PYTHON_MAX_RUNNING_TABLES = 16 };

struct python_running {
        uint64_t tables[PYTHON_MAX_RUNNING_TABLES]; /* dicts of loop and task, one of each interpreter */
        size_t n;
};

/* Finds the tables of the interpreters that have loaded asyncio. */
void python_running_find(const struct python_runtime *runtime, struct python_objects *objects,
                         struct python_running *ret);

/* Calls `see` for the tasks that run in loops of a thread, whose pthread_self() is `pointer`. They have no
 * frames of their own: these are on the thread's stack. */
void python_running_each(struct python_objects *objects, const struct python_running *running,
                         uint64_t pointer, void (*see)(void *ctx, const struct python_task *task), void *ctx);

#endif
