/* SPDX-License-Identifier: BSD-3-Clause */
/* Each code object is read once for each preparation of a process. */
#include "wait_tasks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"
#include "python_code.h"
#include "python_tasks.h"
#include "wait_thread.h"

enum { MAX_ATTEMPTS = 3 };

struct known_code {
        struct python_code code;
        uint32_t function; /* index in the section */
};

struct wait_tasks {
        struct stop_binaries *binaries;
        struct task_section section;
        struct arena texts;

        /* the process */
        int32_t pid;
        struct python_runtime *runtime; /* NULL: no interpreter */
        struct python_memory memory;
        struct python_objects objects;
        struct python_task_layout layout;
        struct map by_code; /* address of a code object to the index in `codes` + 1; 0: it can't be read */
        struct known_code *codes;
        size_t n_codes, cap_codes;

        /* the thread: the numbers before it */
        size_t n_tasks, n_frames, n_awaiters;
        const struct wait_reading *reading;
};

struct wait_tasks *wait_tasks_new(struct stop_binaries *binaries)
{
        struct wait_tasks *t = mem_new(1, sizeof(*t));

        t->binaries = binaries;
        return t;
}

static void end_process(struct wait_tasks *t)
{
        for (size_t i = 0; i < t->n_codes; i++)
                python_code_release(&t->codes[i].code);
        t->n_codes = 0;
        map_release(&t->by_code);
        t->runtime = NULL;
}

void wait_tasks_free(struct wait_tasks *t)
{
        if (!t)
                return;
        end_process(t);
        free(t->codes);
        task_section_release(&t->section);
        arena_release(&t->texts);
        free(t);
}

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
        const struct wait_tasks *t = ctx;

        return wait_read_memory(t->pid, addr, to, size);
}

void wait_tasks_begin(struct wait_tasks *t, struct wait_python *python)
{
        uint64_t bias;

        end_process(t);
        if (!python)
                return;
        t->pid = wait_python_pid(python);
        t->runtime = wait_python_runtime(python);
        t->memory = (struct python_memory){.read = read_memory, .ctx = t};
        python_objects_init(&t->objects, &t->runtime->layout, &t->memory);
        stop_binaries_find_tasks(t->binaries, wait_python_binary(python, &bias), t->pid, &t->layout);
}

void wait_tasks_begin_thread(struct wait_tasks *t)
{
        t->n_tasks = t->section.n_tasks;
        t->n_frames = t->section.n_frames;
        t->n_awaiters = t->section.n_awaiters;
}

void wait_tasks_undo(struct wait_tasks *t)
{
        t->section.n_tasks = t->n_tasks;
        t->section.n_frames = t->n_frames;
        t->section.n_awaiters = t->n_awaiters;
}

/* --- A task --- */

static uint32_t add_function(struct wait_tasks *t, const struct python_code *code)
{
        struct task_section *s = &t->section;
        const struct task_function function = {
                .name = arena_copy(&t->texts, code->name, strlen(code->name)),
                .file = arena_copy(&t->texts, code->file, strlen(code->file)),
        };

        ARRAY_PUSH(s->functions, s->n_functions, s->cap_functions, function);
        return (uint32_t)s->n_functions - 1;
}

/* NULL if there is no code object at the address. */
static const struct known_code *find_code(struct wait_tasks *t, uint64_t addr)
{
        struct known_code known = {0};
        bool is_new;
        uint64_t *at = map_put(&t->by_code, addr, &is_new);
        struct err err;

        if (!is_new)
                return *at ? &t->codes[*at - 1] : NULL;
        if (!python_code_read(t->runtime, &t->memory, addr, &known.code, &err))
                return NULL;
        known.function = add_function(t, &known.code);
        ARRAY_PUSH(t->codes, t->n_codes, t->cap_codes, known);
        *at = t->n_codes;
        return &t->codes[t->n_codes - 1];
}

/* False if it has no code. */
static bool add_frame(struct wait_tasks *t, const struct python_frame *frame)
{
        const struct known_code *known = find_code(t, frame->code);
        struct task_section *s = &t->section;
        struct task_frame shown;

        if (!known)
                return false;
        shown.function = known->function;
        shown.line = (uint32_t)python_code_line(&known->code, frame->instr_bytes);
        ARRAY_PUSH(s->frames, s->n_frames, s->cap_frames, shown);
        return true;
}

static void see_task(void *ctx, const struct python_task *task)
{
        struct wait_tasks *t = ctx;
        struct task_section *s = &t->section;
        bool is_cut = task->is_cut;
        struct task_reading reading = {
                .id = task->addr,
                .time_ns = t->reading->time_ns,
                .pid = t->reading->pid,
                .tid = t->reading->tid,
                .name = arena_copy(&t->texts, task->name, strlen(task->name)),
                .first_frame = (uint32_t)s->n_frames,
                .first_awaiter = (uint32_t)s->n_awaiters,
        };

        if (s->n_tasks == TASK_MAX_TASKS)
                return;
        for (size_t i = 0; i < task->n_frames; i++)
                is_cut |= !add_frame(t, &task->frames[i]);
        for (size_t i = 0; i < task->n_awaiters; i++)
                ARRAY_PUSH(s->awaiters, s->n_awaiters, s->cap_awaiters, task->awaiters[i]);
        reading.n_frames = (uint32_t)s->n_frames - reading.first_frame;
        reading.n_awaiters = (uint32_t)s->n_awaiters - reading.first_awaiter;
        reading.flags = (task->is_running ? TASK_RUNS : 0) | (is_cut ? TASK_IS_CUT : 0);
        ARRAY_PUSH(s->tasks, s->n_tasks, s->cap_tasks, reading);
}

void wait_tasks_read(struct wait_tasks *t, const struct wait_python_thread *thread,
                     const struct wait_reading *reading)
{
        if (!t->runtime || !t->layout.task_bytes)
                return;
        t->reading = reading;
        for (uint32_t i = 0; i < thread->n_states; i++)
                python_tasks_each(t->runtime, &t->objects, &t->layout, thread->states[i], see_task, t);
}

/* --- Frames of a thread that runs --- */

struct running_frames {
        struct python_frame frames[PYTHON_MAX_FRAMES];
        size_t n;
};

static bool walk(struct wait_tasks *t, const struct wait_python_thread *thread, struct running_frames *ret)
{
        struct python_thread walked_thread = {.pointer = thread->pointer, .n_states = thread->n_states};
        struct python_walked walked;

        memcpy(walked_thread.states, thread->states, sizeof(walked_thread.states));
        python_stack_walk(t->runtime, &walked_thread, &t->memory, ret->frames, PYTHON_MAX_FRAMES, &walked);
        ret->n = walked.n_frames;
        return walked.end == PYTHON_END_WHOLE && walked.n_frames;
}

/* Both are in order from the innermost frame on. */
static void add_running(struct wait_tasks *t, const struct running_frames *frames,
                        const struct wait_reading *reading)
{
        struct task_section *s = &t->section;
        struct task_reading thread = {.time_ns = reading->time_ns,
                                      .pid = reading->pid,
                                      .tid = reading->tid,
                                      .flags = TASK_IS_THREAD,
                                      .name = "",
                                      .first_frame = (uint32_t)s->n_frames,
                                      .first_awaiter = (uint32_t)s->n_awaiters};

        for (size_t i = frames->n; i--;) {
                if (frames->frames[i].kind == PYTHON_FRAME_CODE && !add_frame(t, &frames->frames[i]))
                        thread.flags |= TASK_IS_CUT;
        }
        thread.n_frames = (uint32_t)s->n_frames - thread.first_frame;
        ARRAY_PUSH(s->tasks, s->n_tasks, s->cap_tasks, thread);
}

bool wait_tasks_read_running(struct wait_tasks *t, const struct wait_python_thread *thread,
                             const struct wait_reading *reading)
{
        struct running_frames *both;
        bool ok = false;

        if (!t->runtime || !thread->n_states || t->section.n_tasks == TASK_MAX_TASKS)
                return false;
        both = mem_new(2, sizeof(*both));
        for (int i = 0; i < MAX_ATTEMPTS && !ok; i++)
                ok = walk(t, thread, &both[0]) && walk(t, thread, &both[1]) &&
                     python_stack_agree(both[0].frames, both[0].n, both[1].frames, both[1].n);
        if (ok)
                add_running(t, &both[1], reading);
        free(both);
        return ok;
}

const struct task_section *wait_tasks_get(const struct wait_tasks *t)
{
        return &t->section;
}
