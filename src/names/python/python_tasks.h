/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio in CPython 3.14 and later: what they are called, where they wait, and who awaits them. */
#ifndef PYTHON_TASKS_H
#define PYTHON_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python_objects.h"
#include "python_runtime.h"
#include "python_stack.h"
#include "python_task_layout.h"

enum {
        PYTHON_MAX_TASK_FRAMES = 256, /* further coroutines and awaiters of a task are left out */
        PYTHON_MAX_AWAITERS = 65536,
};

struct python_task {
        uint64_t addr;
        char *name;      /* "" if it can't be read */
        bool is_running; /* its coroutine runs: the frames of the thread's stack are its frames, too */
        bool is_alone;   /* it is the only task of its loop that can be found (python_running.h) */
        bool is_cut;     /* it has more frames or awaiters, which could not be read */
        struct python_frame *frames; /* coroutines, the innermost last */
        size_t n_frames, cap_frames;
        uint64_t *awaiters; /* addresses of tasks */
        size_t n_awaiters, cap_awaiters;
};

void python_task_release(struct python_task *task);

/* The name of a task, as its field has it, to be freed; NULL if there is none at the address. */
char *python_tasks_name(struct python_objects *objects, uint64_t addr);

/* Calls `see` for each task of the loop of a thread state. False if the list can't be read to its end. */
bool python_tasks_each(struct python_runtime *runtime, struct python_objects *objects,
                       const struct python_task_layout *layout, uint64_t state,
                       void (*see)(void *ctx, const struct python_task *task), void *ctx);

#endif
