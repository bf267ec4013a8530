/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio in a made program. */
#ifndef PYTHON_MADE_TASKS_H
#define PYTHON_MADE_TASKS_H

#include "python_program.h"
#include "python_tasks.h"

/* As in 3.14.10, but with a short thread state. */
static const struct python_task_layout tasks_layout = {.task_bytes = 168,
                                                       .task_name = 136,
                                                       .task_awaited_by = 96,
                                                       .task_is_task = 108,
                                                       .task_has_set = 109,
                                                       .task_coro = 128,
                                                       .task_node = 152,
                                                       .thread_task = 0,
                                                       .thread_tasks = 8};

static inline bool tasks_are_14(const struct program *p)
{
        return p->image.runtime.layout.minor == 14;
}

/* A coroutine at `instr` that awaits an object; 0: it has not begun. */
static inline uint64_t tasks_coroutine(struct program *p, uint64_t type, int32_t instr, uint64_t awaited)
{
        const struct python_layout *l = &p->image.runtime.layout;
        uint64_t addr = image_alloc(&p->image, 512), stack = image_alloc(&p->image, 64);
        int state_of = awaited ? (tasks_are_14(p) ? -1 : 2) : tasks_are_14(p) ? -3 : 0;

        program_set_type(p, addr, type);
        image_byte(&p->image, addr + l->gen_state, (uint8_t)state_of);
        image_fill(&p->image, addr + l->gen_frame, image_code(&p->image, "f", 1), instr, 0);
        image_byte(&p->image, addr + l->gen_frame + l->frame_owner, 1);
        program_word(p, addr + l->gen_frame + l->frame_stack, stack + 48);
        program_word(p, stack + 48 - (tasks_are_14(p) ? 8 : 16), awaited);
        return addr;
}

/* A task at the end of the list. */
static inline uint64_t tasks_add(struct program *p, uint64_t state, uint64_t name, uint64_t coro,
                                 uint64_t awaited_by, bool has_set)
{
        const struct python_task_layout *layout = &tasks_layout;
        uint64_t addr = image_alloc(&p->image, layout->task_bytes), head = state + layout->thread_tasks;
        uint64_t last = image_get(&p->image, head + 8);

        program_word(p, addr + layout->task_name, name);
        program_word(p, addr + layout->task_coro, coro);
        program_word(p, addr + layout->task_awaited_by, awaited_by);
        image_byte(&p->image, addr + layout->task_is_task, 1);
        image_byte(&p->image, addr + layout->task_has_set, has_set);
        program_word(p, addr + layout->task_node, head);
        program_word(p, last, addr + layout->task_node);
        program_word(p, head + 8, addr + layout->task_node);
        return addr;
}

static inline uint64_t tasks_set(struct program *p, uint64_t a, uint64_t b)
{
        uint64_t addr = image_alloc(&p->image, 256), table = image_alloc(&p->image, 8 * 16);
        uint32_t header = program_header(p);

        program_word(p, addr + header + 16, 7);
        program_word(p, addr + header + 24, table);
        program_word(p, table + 16, a);
        program_word(p, table + 24, 1);
        program_word(p, table + 48, b);
        program_word(p, table + 56, 2);
        program_word(p, table + 80, p->text_type); /* was removed */
        program_word(p, table + 88, UINT64_MAX);
        return addr;
}

/* Three tasks: the second, which has not begun, is awaited by the first, the third by both. Layouts 6 and 7
 * are 3.14 and 3.15, 9 and 10 their free-threaded builds. Returns the thread state. */
static inline uint64_t tasks_make(struct program *p)
{
        uint64_t type = program_type(p, "coroutine", 0), future = image_alloc(&p->image, 64), first, second;
        uint64_t state = image_alloc(&p->image, 64), head = state + tasks_layout.thread_tasks;

        program_set_type(p, future, program_type(p, "_asyncio.FutureIter", 0));
        program_word(p, head, head);
        program_word(p, head + 8, head);
        first = tasks_add(p, state, program_text(p, "first"),
                          tasks_coroutine(p, type, 2, tasks_coroutine(p, type, 4, future)), 0, false);
        second = tasks_add(p, state, program_int(p, 12), tasks_coroutine(p, type, -1, 0), first, false);
        tasks_add(p, state, program_text(p, "third"), tasks_coroutine(p, type, 6, future),
                  tasks_set(p, first, second), true);
        program_word(p, state + tasks_layout.thread_task, second);
        return state;
}

#endif
