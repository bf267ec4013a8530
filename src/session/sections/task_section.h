/* SPDX-License-Identifier: BSD-3-Clause */
/* Python frames that are on no stack: of tasks of asyncio, as they were found when the thread of their loop
 * was read: their coroutines, and who awaits whom. The feature section FEATURE_WPERF_TASKS; see
 * docs/session-format.md. */
#ifndef TASK_SECTION_H
#define TASK_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"
#include "python_section.h"

enum { TASK_MAX_TASKS = 1 << 22 };

struct task_function {
        const char *name, *file;
        uint32_t first_line; /* 0: not known */
};

struct task_frame {
        uint32_t function; /* index */
        uint32_t line;     /* 0: not known */
        /* Its place is at PYTHON_PLACES_BASE + place * PYTHON_PLACE_BYTES (python_section.h); 0: it has none.
         */
        uint32_t place;
};

/* Bits of `flags`. */
enum {
        TASK_RUNS = 1,   /* its coroutine runs: the thread's stack continues its frames */
        TASK_IS_CUT = 2, /* frames or awaiters are missing */
        /* No task: the Python frames of the thread itself, which ran and was not stopped for them. They were
         * read twice, with the same result. */
        TASK_IS_THREAD = 4,
        TASK_IS_ALONE = 8, /* of the tasks of its loop only this one is known, and not who awaits it */
        TASK_MORE = 16,    /* its loop has further tasks, which could not be read */
};

struct task_reading {
        uint64_t id;      /* its address; unique in a process at one time */
        uint64_t time_ns; /* of the reading of its thread; wait_section.h */
        int32_t pid, tid;
        uint32_t flags;
        const char *name;
        uint32_t first_frame, n_frames; /* the innermost last */
        uint32_t first_awaiter, n_awaiters;
};

struct task_section {
        struct task_reading *tasks; /* in the order in which they were read */
        size_t n_tasks, cap_tasks;
        struct task_function *functions;
        size_t n_functions, cap_functions;
        struct task_frame *frames;
        size_t n_frames, cap_frames;
        uint64_t *awaiters; /* ids of tasks of the process */
        size_t n_awaiters, cap_awaiters;
};

/* Gives each frame a place among those of the session. */
void task_section_add_places(struct task_section *section, struct python_places *places);

/* Appends the section. */
void task_section_write(const struct task_section *section, struct buf *out);

/* The texts point into the bytes, which must outlive the result. NULL if they are damaged or of another
 * version. */
struct task_section *task_section_new(struct cursor bytes);
void task_section_free(struct task_section *section);
AUTO_DEFINE(task_section)

/* Frees the arrays of a section that is not of task_section_new. */
void task_section_release(struct task_section *section);

#endif
