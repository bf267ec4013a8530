/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and chains of frames are the same in most readings, so they are kept once. */
#include "wait_tasks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "python_code.h"
#include "python_running.h"
#include "python_tasks.h"
#include "strpool.h"
#include "wait_thread.h"

enum {
        MAX_ATTEMPTS = 3,
        FIRST_AGAIN_NS = 20000000,
        FIRST_WITH_TASKS = 14, /* CPython's minor version that publishes where all tasks are */
};

struct known_code {
        uint64_t addr;
        struct python_code code;
        uint32_t function; /* index in the section */
        uint32_t checked;  /* the preparation of the process in which it was compared */
};

/* A process, as it was prepared last. Code objects are kept from one preparation to the next one, and
 * compared then, because others may be at their addresses. */
struct task_process {
        int32_t pid;
        uint32_t binary; /* of the interpreter */
        uint64_t bias;
        uint32_t n_prepared;
        uint64_t search_ns,
                again_ns; /* without layout: when asyncio is looked for again, and how long after that */
        struct python_runtime *runtime; /* NULL: no interpreter */
        struct python_memory memory;
        struct python_objects objects;
        struct python_task_layout layout;
        struct python_running running; /* as of this preparation: */
        uint32_t running_found;
        struct map by_code; /* address of a code object to the index in `codes` + 1 */
        struct known_code *codes;
        size_t n_codes, cap_codes;
};

struct wait_tasks {
        struct stop_binaries *binaries;
        struct task_section section;
        struct strpool *texts;
        struct map functions;         /* name, file and first line to the index in the section + 1 */
        struct map chains;            /* hash of frames to the index of a task that has them + 1 */
        struct map processes;         /* pid to struct task_process * */
        struct task_process *process; /* whose threads are read; NULL: none */
        bool is_left_out;             /* tasks are not read */
        bool finds_running;

        /* the thread: the numbers before it */
        size_t n_tasks, n_frames, n_awaiters;
        const struct wait_reading *reading;
        uint64_t took_ns;
};

struct wait_tasks *wait_tasks_new(struct stop_binaries *binaries, bool finds_running)
{
        struct wait_tasks *t = mem_new(1, sizeof(*t));

        t->binaries = binaries;
        t->finds_running = finds_running;
        t->texts = strpool_new();
        return t;
}

static void free_process(void *ctx, uint64_t pid, uint64_t *process)
{
        struct task_process *p = (struct task_process *)(uintptr_t)*process;

        (void)ctx, (void)pid;
        for (size_t i = 0; i < p->n_codes; i++)
                python_code_release(&p->codes[i].code);
        free(p->codes);
        map_release(&p->by_code);
        free(p);
}

void wait_tasks_free(struct wait_tasks *t)
{
        if (!t)
                return;
        map_each(&t->processes, free_process, NULL);
        map_release(&t->processes);
        map_release(&t->functions);
        map_release(&t->chains);
        task_section_release(&t->section);
        strpool_free(t->texts);
        free(t);
}

static bool read_memory(void *ctx, uint64_t addr, void *to, size_t size)
{
        const struct task_process *p = ctx;

        return wait_read_memory(p->pid, addr, to, size);
}

void wait_tasks_forget(struct wait_tasks *t, int32_t pid)
{
        uint64_t *known = map_find(&t->processes, (uint64_t)(uint32_t)pid);

        if (!known)
                return;
        free_process(NULL, 0, known);
        map_remove(&t->processes, (uint64_t)(uint32_t)pid);
        t->process = NULL;
}

void wait_tasks_choose(struct wait_tasks *t, int32_t pid)
{
        const uint64_t *known = map_find(&t->processes, (uint64_t)(uint32_t)pid);

        t->process = known ? (struct task_process *)(uintptr_t)*known : NULL;
}

/* Of the same program, else a new one. */
static struct task_process *process_of(struct wait_tasks *t, int32_t pid, uint32_t binary, uint64_t bias)
{
        struct task_process *p;

        wait_tasks_choose(t, pid);
        p = t->process;
        if (p && p->binary == binary && p->bias == bias)
                return p;
        wait_tasks_forget(t, pid);
        p = mem_new(1, sizeof(*p));
        p->pid = pid;
        p->binary = binary;
        p->bias = bias;
        p->again_ns = FIRST_AGAIN_NS;
        *map_put(&t->processes, (uint64_t)(uint32_t)pid, NULL) = (uint64_t)(uintptr_t)p;
        return p;
}

void wait_tasks_begin(struct wait_tasks *t, int32_t pid, struct wait_python *python)
{
        struct task_process *p;
        uint64_t bias;
        uint32_t binary = python ? wait_python_binary(python, &bias) : 0;

        if (!python) {
                wait_tasks_forget(t, pid);
                t->process = NULL;
                return;
        }
        p = process_of(t, pid, binary, bias);
        p->n_prepared++;
        p->runtime = wait_python_runtime(python);
        p->memory = (struct python_memory){.read = read_memory, .ctx = p};
        python_objects_init(&p->objects, &p->runtime->layout, &p->memory);
        t->process = p;
}

void wait_tasks_leave_out(struct wait_tasks *t, bool is_left_out)
{
        t->is_left_out = is_left_out;
}

void wait_tasks_begin_thread(struct wait_tasks *t)
{
        t->n_tasks = t->section.n_tasks;
        t->n_frames = t->section.n_frames;
        t->n_awaiters = t->section.n_awaiters;
        t->took_ns = 0;
}

void wait_tasks_undo(struct wait_tasks *t)
{
        t->section.n_tasks = t->n_tasks;
        t->section.n_frames = t->n_frames;
        t->section.n_awaiters = t->n_awaiters;
}

/* --- A task --- */

static const char *kept_text(struct wait_tasks *t, const char *text)
{
        return strpool_get(t->texts, strpool_add(t->texts, text));
}

static uint32_t add_function(struct wait_tasks *t, const struct python_code *code)
{
        struct task_section *s = &t->section;
        str_id name = strpool_add(t->texts, code->name), file = strpool_add(t->texts, code->file);
        bool is_new;
        uint64_t *at = map_put(&t->functions,
                               map_mix((uint64_t)name << 32 | file) + (uint32_t)code->first_line, &is_new);

        if (is_new) {
                const struct task_function function = {strpool_get(t->texts, name),
                                                       strpool_get(t->texts, file),
                                                       code->first_line > 0 ? (uint32_t)code->first_line : 0};

                ARRAY_PUSH(s->functions, s->n_functions, s->cap_functions, function);
                *at = s->n_functions;
        }
        return (uint32_t)*at - 1;
}

static bool read_code(struct wait_tasks *t, struct known_code *known)
{
        struct task_process *p = t->process;
        struct err err;

        if (!python_code_read(p->runtime, &p->memory, known->addr, &known->code, &err)) {
                python_code_release(&known->code);
                return false;
        }
        known->function = add_function(t, &known->code);
        return true;
}

/* NULL if there is no code object at the address. */
static const struct known_code *find_code(struct wait_tasks *t, uint64_t addr)
{
        struct task_process *p = t->process;
        struct known_code *known;
        bool is_new;
        uint64_t *at = map_put(&p->by_code, addr, &is_new);

        if (is_new) {
                ARRAY_PUSH(p->codes, p->n_codes, p->cap_codes, (struct known_code){.addr = addr});
                *at = p->n_codes;
        }
        known = &p->codes[*at - 1];
        if (known->checked == p->n_prepared)
                return known->code.name ? known : NULL;
        known->checked = p->n_prepared;
        if (known->code.name && python_code_is_same(p->runtime, &p->memory, &known->code))
                return known;
        python_code_release(&known->code);
        return read_code(t, known) ? known : NULL;
}

/* False if it has no code. */
static bool add_frame(struct wait_tasks *t, const struct python_frame *frame)
{
        const struct known_code *known = find_code(t, frame->code);
        struct task_section *s = &t->section;
        struct task_frame shown = {0};

        if (!known)
                return false;
        shown.function = known->function;
        shown.line = (uint32_t)python_code_line(&known->code, frame->instr_bytes);
        ARRAY_PUSH(s->frames, s->n_frames, s->cap_frames, shown);
        return true;
}

/* If an earlier task has the frames that were added last, they are taken from it. */
static void share_frames(struct wait_tasks *t, struct task_reading *task)
{
        struct task_section *s = &t->section;
        const struct task_frame *frames = s->frames + task->first_frame;
        const struct task_reading *same;
        uint64_t *at;
        bool is_new;

        if (!task->n_frames)
                return;
        at = map_put(&t->chains, map_hash_bytes(frames, task->n_frames * sizeof(*frames)), &is_new);
        same = is_new || *at > s->n_tasks ? NULL : &s->tasks[*at - 1];
        if (same && same->n_frames == task->n_frames &&
            !memcmp(s->frames + same->first_frame, frames, task->n_frames * sizeof(*frames))) {
                s->n_frames = task->first_frame;
                task->first_frame = same->first_frame;
        } else {
                *at = s->n_tasks + 1;
        }
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
                .first_frame = (uint32_t)s->n_frames,
                .first_awaiter = (uint32_t)s->n_awaiters,
        };

        if (s->n_tasks == TASK_MAX_TASKS)
                return;
        reading.name = kept_text(t, task->name);
        for (size_t i = 0; i < task->n_frames; i++)
                is_cut |= !add_frame(t, &task->frames[i]);
        for (size_t i = 0; i < task->n_awaiters; i++)
                ARRAY_PUSH(s->awaiters, s->n_awaiters, s->cap_awaiters, task->awaiters[i]);
        reading.n_frames = (uint32_t)s->n_frames - reading.first_frame;
        share_frames(t, &reading);
        reading.n_awaiters = (uint32_t)s->n_awaiters - reading.first_awaiter;
        reading.flags = (task->is_running ? TASK_RUNS : 0) | (is_cut ? TASK_IS_CUT : 0) |
                        (task->is_alone ? TASK_IS_ALONE : 0);
        ARRAY_PUSH(s->tasks, s->n_tasks, s->cap_tasks, reading);
}

/* A program loads asyncio when it imports it. */
static bool has_layout(struct wait_tasks *t, struct task_process *p)
{
        uint64_t now_ns = os_monotonic_ns();

        if (p->layout.task_bytes || now_ns < p->search_ns)
                return p->layout.task_bytes;
        stop_binaries_find_tasks(t->binaries, p->binary, p->pid, &p->layout);
        p->search_ns = now_ns + p->again_ns;
        p->again_ns *= 2;
        return p->layout.task_bytes;
}

static void read_running_task(struct wait_tasks *t, struct task_process *p, uint64_t pointer)
{
        if (p->running_found != p->n_prepared)
                python_running_find(p->runtime, &p->objects, &p->running);
        p->running_found = p->n_prepared;
        python_running_each(&p->objects, &p->running, pointer, see_task, t);
}

static void read_tasks(struct wait_tasks *t, struct task_process *p, const struct wait_python_thread *thread)
{
        bool is_whole = true;

        for (uint32_t i = 0; i < thread->n_states; i++)
                is_whole &= python_tasks_each(p->runtime, &p->objects, &p->layout, thread->states[i],
                                              see_task, t);
        is_whole &= t->section.n_tasks < TASK_MAX_TASKS;
        if (!is_whole && t->section.n_tasks > t->n_tasks)
                t->section.tasks[t->section.n_tasks - 1].flags |= TASK_MORE;
}

void wait_tasks_read(struct wait_tasks *t, const struct wait_python_thread *thread,
                     const struct wait_reading *reading)
{
        struct task_process *p = t->process;
        uint64_t start_ns = os_monotonic_ns();

        if (!p || t->is_left_out)
                return;
        t->reading = reading;
        if (p->runtime->layout.minor < FIRST_WITH_TASKS && t->finds_running)
                read_running_task(t, p, thread->pointer);
        else if (has_layout(t, p))
                read_tasks(t, p, thread);
        t->took_ns = os_monotonic_ns() - start_ns;
}

bool wait_tasks_of_thread(const struct wait_tasks *t, uint64_t *ret_took_ns)
{
        *ret_took_ns = t->took_ns;
        return t->section.n_tasks > t->n_tasks;
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
        python_stack_walk(t->process->runtime, &walked_thread, &t->process->memory, ret->frames,
                          PYTHON_MAX_FRAMES, &walked);
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

        if (!t->process || !thread->n_states || t->section.n_tasks == TASK_MAX_TASKS)
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

void wait_tasks_add_places(struct wait_tasks *t, struct python_places *places)
{
        task_section_add_places(&t->section, places);
}

const struct task_section *wait_tasks_get(const struct wait_tasks *t)
{
        return &t->section;
}
