/* SPDX-License-Identifier: BSD-3-Clause */
/* The section: "WPTK", version u32, numbers of functions, frames, awaiters and tasks u32. Functions: first
 * line u32, name and file with their NULs. Frames: function u32, line u32, place u32. Awaiters: id u64.
 * Tasks: the fields in the order in which write_task() has them, and the name with its NUL. */
#include "task_section.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define MAGIC "WPTK"
enum {
        VERSION = 2,
        MAGIC_BYTES = 4,
        FUNCTION_BYTES = 6, /* at least */
        FRAME_BYTES = 12,
        AWAITER_BYTES = 8,
        TASK_BYTES = 45, /* at least */
};

void task_section_add_places(struct task_section *s, struct python_places *places)
{
        for (size_t i = 0; i < s->n_frames; i++) {
                const struct task_function *f = &s->functions[s->frames[i].function];
                uint64_t addr = python_places_add(places, f->name, f->file, f->first_line, s->frames[i].line);

                s->frames[i].place = addr ? (uint32_t)((addr - PYTHON_PLACES_BASE) / PYTHON_PLACE_BYTES) : 0;
        }
}

static void write_task(const struct task_reading *task, struct buf *out)
{
        buf_add_u64(out, task->id);
        buf_add_u64(out, task->time_ns);
        buf_add_u32(out, (uint32_t)task->pid);
        buf_add_u32(out, (uint32_t)task->tid);
        buf_add_u32(out, task->flags);
        buf_add_u32(out, task->first_frame);
        buf_add_u32(out, task->n_frames);
        buf_add_u32(out, task->first_awaiter);
        buf_add_u32(out, task->n_awaiters);
        buf_add(out, task->name, strlen(task->name) + 1);
}

void task_section_write(const struct task_section *s, struct buf *out)
{
        buf_add(out, MAGIC, MAGIC_BYTES);
        buf_add_u32(out, VERSION);
        buf_add_u32(out, (uint32_t)s->n_functions);
        buf_add_u32(out, (uint32_t)s->n_frames);
        buf_add_u32(out, (uint32_t)s->n_awaiters);
        buf_add_u32(out, (uint32_t)s->n_tasks);
        for (size_t i = 0; i < s->n_functions; i++) {
                buf_add_u32(out, s->functions[i].first_line);
                buf_add(out, s->functions[i].name, strlen(s->functions[i].name) + 1);
                buf_add(out, s->functions[i].file, strlen(s->functions[i].file) + 1);
        }
        for (size_t i = 0; i < s->n_frames; i++) {
                buf_add_u32(out, s->frames[i].function);
                buf_add_u32(out, s->frames[i].line);
                buf_add_u32(out, s->frames[i].place);
        }
        for (size_t i = 0; i < s->n_awaiters; i++)
                buf_add_u64(out, s->awaiters[i]);
        for (size_t i = 0; i < s->n_tasks; i++)
                write_task(&s->tasks[i], out);
}

static bool read_task(struct cursor *c, const struct task_section *s, struct task_reading *task)
{
        task->id = cursor_u64(c);
        task->time_ns = cursor_u64(c);
        task->pid = (int32_t)cursor_u32(c);
        task->tid = (int32_t)cursor_u32(c);
        task->flags = cursor_u32(c);
        task->first_frame = cursor_u32(c);
        task->n_frames = cursor_u32(c);
        task->first_awaiter = cursor_u32(c);
        task->n_awaiters = cursor_u32(c);
        task->name = cursor_str(c, NULL);
        return !c->failed && task->name && task->first_frame <= s->n_frames &&
               task->n_frames <= s->n_frames - task->first_frame && task->first_awaiter <= s->n_awaiters &&
               task->n_awaiters <= s->n_awaiters - task->first_awaiter;
}

static bool read_all(struct cursor *c, struct task_section *s)
{
        for (size_t i = 0; i < s->n_functions; i++) {
                s->functions[i].first_line = cursor_u32(c);
                s->functions[i].name = cursor_str(c, NULL);
                s->functions[i].file = cursor_str(c, NULL);
                if (c->failed)
                        return false;
        }
        for (size_t i = 0; i < s->n_frames; i++) {
                s->frames[i].function = cursor_u32(c);
                s->frames[i].line = cursor_u32(c);
                s->frames[i].place = cursor_u32(c);
                if (s->frames[i].function >= s->n_functions)
                        return false;
        }
        for (size_t i = 0; i < s->n_awaiters; i++)
                s->awaiters[i] = cursor_u64(c);
        for (size_t i = 0; i < s->n_tasks; i++) {
                if (!read_task(c, s, &s->tasks[i]))
                        return false;
        }
        return !c->failed;
}

static bool has_room(const struct cursor *c, const struct task_section *s)
{
        size_t left = cursor_left(c);

        return s->n_functions <= left / FUNCTION_BYTES && s->n_frames <= left / FRAME_BYTES &&
               s->n_awaiters <= left / AWAITER_BYTES && s->n_tasks <= left / TASK_BYTES;
}

struct task_section *task_section_new(struct cursor c)
{
        AUTO(task_section) s = NULL;
        const void *magic = cursor_bytes(&c, MAGIC_BYTES);
        uint32_t version = cursor_u32(&c);

        if (c.failed || memcmp(magic, MAGIC, MAGIC_BYTES) || version != VERSION)
                return NULL;
        s = mem_new(1, sizeof(*s));
        s->n_functions = cursor_u32(&c);
        s->n_frames = cursor_u32(&c);
        s->n_awaiters = cursor_u32(&c);
        s->n_tasks = cursor_u32(&c);
        if (c.failed || !has_room(&c, s))
                return NULL;
        s->functions = mem_new(s->n_functions + 1, sizeof(*s->functions));
        s->frames = mem_new(s->n_frames + 1, sizeof(*s->frames));
        s->awaiters = mem_new(s->n_awaiters + 1, sizeof(*s->awaiters));
        s->tasks = mem_new(s->n_tasks + 1, sizeof(*s->tasks));
        return read_all(&c, s) ? TAKE(s) : NULL;
}

void task_section_release(struct task_section *section)
{
        free(section->functions);
        free(section->frames);
        free(section->awaiters);
        free(section->tasks);
        *section = (struct task_section){0};
}

void task_section_free(struct task_section *section)
{
        if (!section)
                return;
        task_section_release(section);
        free(section);
}
