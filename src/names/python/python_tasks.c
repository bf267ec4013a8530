/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread state has a list of the tasks of its loop (Modules/_asynciomodule.c). A task has a coroutine,
 * which contains its frame; what a suspended coroutine awaits is on the stack of that frame. */
#include "python_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

enum {
        WORD = 8,
        POINTER_TAGS = 7,
        GEN_BYTES = 256, /* offset of the frame in a coroutine, at most */
        /* of a set: words behind the header, Include/cpython/setobject.h */
        SET_MASK = 16,
        SET_TABLE = 24,
        SET_ENTRY_BYTES = 16,
        SET_COPY = 64, /* entries of one read */
        MAX_SET = 1 << 20,
};

/* --- Coroutines --- */

struct task_reader {
        struct python_runtime *runtime;
        struct python_objects *objects;
        const struct python_task_layout *layout;
        uint64_t other_type; /* of an awaited object that leads to no other coroutine */
        struct python_task task;
};

void python_task_release(struct python_task *task)
{
        free(task->name);
        free(task->frames);
        free(task->awaiters);
}

enum suspension { CREATED, SUSPENDED, SUSPENDED_AWAITING, RUNNING, FINISHED };

/* PyFrameState, Include/internal/pycore_frame.h. */
static enum suspension suspension_of(const struct python_layout *layout, int8_t state)
{
        if (layout->minor == 14)
                return state == -3   ? CREATED
                       : state == -2 ? SUSPENDED
                       : state == -1 ? SUSPENDED_AWAITING
                       : state == 0  ? RUNNING
                                     : FINISHED;
        return state == 0                 ? CREATED
               : state == 1               ? SUSPENDED
               : state == 2 || state == 3 ? SUSPENDED_AWAITING
               : state == 4               ? RUNNING
                                          : FINISHED;
}

/* Objects whose first field is the generator or coroutine that runs for them. */
static bool is_wrapper(const char *type)
{
        return !strcmp(type, "async_generator_asend") || !strcmp(type, "async_generator_athrow") ||
               !strcmp(type, "coroutine_wrapper");
}

static bool is_coroutine(const char *type)
{
        return !strcmp(type, "coroutine") || !strcmp(type, "generator") || !strcmp(type, "async_generator");
}

/* The coroutine that an awaited object is or stands for; 0: none, as for a future. */
static uint64_t follow(struct task_reader *r, uint64_t addr, uint64_t outer_type)
{
        const struct python_layout *layout = r->objects->layout;
        char name[PYTHON_TYPE_NAME_BYTES];
        uint64_t type = addr ? python_objects_word(r->objects, addr + layout->object_type) : 0;

        if (type == outer_type)
                return addr;
        if (!type || type == r->other_type || !python_objects_type_name(r->objects, type, name))
                return 0;
        if (is_coroutine(name))
                return addr;
        if (is_wrapper(name))
                return python_objects_word(r->objects, addr + python_objects_header(layout));
        r->other_type = type;
        return 0;
}

/* What a coroutine awaits is below the value that it will be sent: 3.14 has one entry for both. */
static uint64_t awaited_of(struct task_reader *r, uint64_t frame)
{
        const struct python_layout *layout = r->objects->layout;
        uint64_t top = python_objects_word(r->objects, frame + layout->frame_stack);

        if (!top)
                return 0;
        return python_objects_word(r->objects, top - (layout->minor > 14 ? 2 : 1) * WORD) &
               ~(uint64_t)POINTER_TAGS;
}

/* Adds the frame of a coroutine; returns the coroutine that it awaits, or 0. */
static uint64_t add_coroutine(struct task_reader *r, uint64_t coro)
{
        const struct python_layout *layout = r->objects->layout;
        struct python_task *task = &r->task;
        struct python_frame frame;
        uint8_t bytes[GEN_BYTES];
        enum suspension suspension;

        if (!python_objects_read(r->objects, coro, bytes, layout->gen_frame)) {
                task->is_cut = true;
                return 0;
        }
        suspension = suspension_of(layout, (int8_t)bytes[layout->gen_state]);
        if (suspension == FINISHED)
                return 0;
        if (!python_stack_read_frame(r->runtime, r->objects->memory, coro + layout->gen_frame, &frame) ||
            frame.kind != PYTHON_FRAME_CODE || task->n_frames == PYTHON_MAX_TASK_FRAMES) {
                task->is_cut = true;
                return 0;
        }
        ARRAY_PUSH(task->frames, task->n_frames, task->cap_frames, frame);
        task->is_running |= suspension == RUNNING;
        if (suspension != SUSPENDED_AWAITING)
                return 0;
        return follow(r, awaited_of(r, frame.addr), python_word_at(bytes, layout->object_type));
}

/* --- Tasks --- */

static void add_awaiter(struct python_task *task, uint64_t addr)
{
        if (task->n_awaiters == PYTHON_MAX_AWAITERS)
                task->is_cut = true;
        else
                ARRAY_PUSH(task->awaiters, task->n_awaiters, task->cap_awaiters, addr);
}

/* Entries of a set: a pointer and a hash; of one that was removed the hash is -1 and the pointer leads to no
 * task. */
static void add_set(struct task_reader *r, uint64_t set)
{
        uint32_t header = python_objects_header(r->objects->layout);
        uint64_t mask = python_objects_word(r->objects, set + header + SET_MASK);
        uint64_t table = python_objects_word(r->objects, set + header + SET_TABLE);
        uint64_t entries[SET_COPY * 2];

        r->task.is_cut |= !table || mask >= MAX_SET;
        for (uint64_t i = 0; table && mask < MAX_SET && i <= mask; i += SET_COPY) {
                uint64_t n = mask + 1 - i < SET_COPY ? mask + 1 - i : SET_COPY;

                if (!python_objects_read(r->objects, table + i * SET_ENTRY_BYTES, entries,
                                         n * SET_ENTRY_BYTES)) {
                        r->task.is_cut = true;
                        return;
                }
                for (uint64_t k = 0; k < n; k++) {
                        if (entries[2 * k] && entries[2 * k + 1] != UINT64_MAX)
                                add_awaiter(&r->task, entries[2 * k]);
                }
        }
}

/* asyncio numbers tasks without a name when somebody asks for it. */
char *python_tasks_name(struct python_objects *objects, uint64_t addr)
{
        struct buf name = {0};
        uint64_t number;

        if (!python_objects_int(objects, addr, &number))
                return python_objects_text(objects, addr);
        buf_printf(&name, "Task-%" PRIu64, number);
        return buf_take(&name);
}

static void read_task(struct task_reader *r, uint64_t addr, const uint8_t *bytes)
{
        const struct python_task_layout *l = r->layout;
        struct python_task *task = &r->task;
        uint64_t coro = python_word_at(bytes, l->task_coro), awaited_by;

        free(task->name);
        task->addr = addr;
        task->n_frames = task->n_awaiters = 0;
        task->is_cut = task->is_running = false;
        task->name = python_tasks_name(r->objects, python_word_at(bytes, l->task_name));
        if (!task->name)
                task->name = mem_new(1, 1);
        while (coro)
                coro = add_coroutine(r, coro);
        awaited_by = python_word_at(bytes, l->task_awaited_by);
        if (awaited_by && bytes[l->task_has_set])
                add_set(r, awaited_by);
        else if (awaited_by)
                add_awaiter(task, awaited_by);
}

bool python_tasks_each(struct python_runtime *runtime, struct python_objects *objects,
                       const struct python_task_layout *layout, uint64_t state,
                       void (*see)(void *ctx, const struct python_task *task), void *ctx)
{
        struct task_reader r = {.runtime = runtime, .objects = objects, .layout = layout};
        uint64_t head = state + layout->thread_tasks, node, kept = 0;
        size_t n = 0, next_kept = 1;
        uint8_t bytes[PYTHON_MAX_TASK_BYTES];

        if (!layout->task_bytes || objects->layout->frame_stack == PYTHON_NO_FIELD ||
            objects->layout->gen_state == PYTHON_NO_FIELD ||
            objects->layout->gen_state >= objects->layout->gen_frame ||
            objects->layout->gen_frame > GEN_BYTES)
                return true;
        node = python_objects_word(objects, head);
        while (node && node != head && node != kept) {
                uint64_t addr = node - layout->task_node;

                /* a loop, by Brent's algorithm */
                if (++n == next_kept) {
                        kept = node;
                        next_kept *= 2;
                }
                if (!python_objects_read(objects, addr, bytes, layout->task_bytes))
                        break;
                if (bytes[layout->task_is_task]) {
                        read_task(&r, addr, bytes);
                        r.task.is_running |=
                                addr == python_objects_word(objects, state + layout->thread_task);
                        see(ctx, &r.task);
                }
                node = python_word_at(bytes, layout->task_node);
        }
        python_task_release(&r.task);
        return !node || node == head;
}
