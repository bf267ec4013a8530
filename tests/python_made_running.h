/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that run, in the memory of a made Python program of 3.8 to 3.13. */
#ifndef PYTHON_MADE_RUNNING_H
#define PYTHON_MADE_RUNNING_H

#include "python_program.h"

#define RUNNING_THREAD 0x7f0012345680ull

static inline uint64_t running_loop(struct program *p, uint64_t thread)
{
        const struct program_pair pairs[] = {{program_text(p, "_ready"), program_int(p, 1)},
                                             {program_text(p, "_thread_id"), program_int(p, thread)},
                                             {0, 0}};

        return program_object_with_dict(p, program_class(p, "Loop", pairs), pairs);
}

/* A task of C, in which the context before its name is that of a callback. */
static inline uint64_t running_task(struct program *p, uint64_t name)
{
        uint64_t addr = image_alloc(&p->image, 256);
        uint64_t context = image_alloc(&p->image, 64);

        program_set_type(p, addr, program_type(p, "_asyncio.Task", 0));
        program_set_type(p, context, program_type(p, "_contextvars.Context", 0));
        program_word(p, addr + 32, addr);
        program_word(p, addr + 40, context);
        program_word(p, addr + 128, addr);
        program_word(p, addr + 136, name);
        program_word(p, addr + 144, context);
        return addr;
}

/* One that is written in Python. */
static inline uint64_t running_python_task(struct program *p, const char *name)
{
        const struct program_pair pairs[] = {{program_text(p, "_coro"), program_int(p, 1)},
                                             {program_text(p, "_name"), program_text(p, name)},
                                             {0, 0}};

        return program_object_with_dict(p, program_class(p, "Task", pairs), pairs);
}

/* asyncio.tasks._current_tasks: two tasks of RUNNING_THREAD, one of another thread, and one that is none. */
static inline uint64_t running_make(struct program *p)
{
        const struct program_pair pairs[] = {
                {running_loop(p, RUNNING_THREAD), running_task(p, program_text(p, "fetch"))},
                {running_loop(p, 0x4000), running_task(p, program_text(p, "elsewhere"))},
                {program_int(p, RUNNING_THREAD), running_task(p, program_text(p, "no loop"))},
                {running_loop(p, RUNNING_THREAD), program_int(p, 9)},
                {running_loop(p, RUNNING_THREAD), running_task(p, program_int(p, 12))},
                {running_loop(p, RUNNING_THREAD), running_python_task(p, "in Python")},
                {0, 0}};

        return program_dict(p, pairs);
}

#endif
