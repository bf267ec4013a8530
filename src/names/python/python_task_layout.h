/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets of fields of asyncio's tasks, which CPython 3.14 and later publish. */
#ifndef PYTHON_TASK_LAYOUT_H
#define PYTHON_TASK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
        PYTHON_TASK_WORDS = 13, /* of struct _Py_AsyncioModuleDebugOffsets */
        PYTHON_MAX_TASK_BYTES = 1024,
};

/* Offsets, from the section .AsyncioDebug of the file that contains _asyncio. They differ between releases of
 * a version. */
struct python_task_layout {
        uint32_t task_bytes; /* 0: the file has no such section */
        uint32_t task_name;
        uint32_t task_awaited_by;
        uint32_t task_is_task; /* bytes */
        uint32_t task_has_set;
        uint32_t task_coro;
        uint32_t task_node;
        uint32_t thread_task;  /* of a thread state: the task that runs */
        uint32_t thread_tasks; /* the list of tasks of its loop */
};

/* False, and all 0, if these are not the offsets of 3.14 or later. */
bool python_task_layout_read(const void *bytes, size_t size, struct python_task_layout *ret_layout);

#endif
