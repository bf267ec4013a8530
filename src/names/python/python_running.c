/* SPDX-License-Identifier: BSD-3-Clause */
/* asyncio.tasks._current_tasks is a dict of loop and task (Lib/asyncio/tasks.py, Modules/_asynciomodule.c); a
 * loop has the number of its thread. No header has the layout of a task, but in each version its coroutine is
 * followed by its name and its context: a text or a number before the first context is the name. */
#include "python_running.h"

#include <stdlib.h>
#include <string.h>

#include "python_dict.h"

enum { TASK_WORDS = 32 };

/* --- The tables --- */

static uint64_t find_table(struct python_objects *objects, uint64_t interp)
{
        struct python_dict dict;

        return python_dict_begin_module(&dict, objects, interp, "asyncio.tasks")
                       ? python_dict_find(&dict, "_current_tasks")
                       : 0;
}

void python_running_find(const struct python_runtime *runtime, struct python_objects *objects,
                         struct python_running *ret)
{
        const struct python_layout *layout = &runtime->layout;
        uint64_t interp;

        ret->n = 0;
        if (layout->minor > 13 || layout->interp_modules == PYTHON_NO_FIELD ||
            layout->type_keys == PYTHON_NO_FIELD)
                return;
        interp = python_objects_word(objects, runtime->addr + layout->runtime_interpreters);
        for (unsigned i = 0; interp && i < PYTHON_MAX_INTERPRETERS && ret->n < PYTHON_MAX_RUNNING_TABLES;
             i++) {
                uint64_t table = find_table(objects, interp);

                if (table)
                        ret->tables[ret->n++] = table;
                interp = python_objects_word(objects, interp + layout->interp_next);
        }
}

/* --- A task --- */

static bool is_context(struct python_objects *objects, uint64_t addr)
{
        char name[PYTHON_TYPE_NAME_BYTES];
        uint64_t flags,
                type = addr && addr % sizeof(addr) == 0 ? python_objects_type(objects, addr, &flags) : 0;

        return type && python_objects_type_name(objects, type, name) &&
               (!strcmp(name, "Context") || !strcmp(name, "_contextvars.Context"));
}

/* Of a task that is written in Python the name is an attribute. */
static char *find_name(struct python_objects *objects, uint64_t task)
{
        uint64_t words[TASK_WORDS];
        struct python_slot slot = {0};

        if (!python_objects_read(objects, task, words, sizeof(words)))
                memset(words, 0, sizeof(words));
        for (size_t i = 1; i < TASK_WORDS; i++) {
                char *name = is_context(objects, words[i]) ? python_tasks_name(objects, words[i - 1]) : NULL;

                if (name)
                        return name;
        }
        return python_tasks_name(objects, python_objects_attribute(objects, task, "_name", &slot));
}

static void see_entry(struct python_objects *objects, uint64_t addr,
                      void (*see)(void *ctx, const struct python_task *task), void *ctx)
{
        struct python_task task = {
                .addr = addr, .name = find_name(objects, addr), .is_running = true, .is_alone = true};

        if (task.name)
                see(ctx, &task);
        python_task_release(&task);
}

void python_running_each(struct python_objects *objects, const struct python_running *running,
                         uint64_t pointer, void (*see)(void *ctx, const struct python_task *task), void *ctx)
{
        struct python_slot slot = {0};

        for (size_t i = 0; i < running->n; i++) {
                struct python_dict dict;
                uint64_t loop, task, owner;

                if (!python_dict_begin(&dict, objects, running->tables[i]))
                        continue;
                while (python_dict_next(&dict, &loop, &task)) {
                        uint64_t id = python_objects_attribute(objects, loop, "_thread_id", &slot);

                        if (python_objects_int(objects, id, &owner) && owner == pointer)
                                see_entry(objects, task, see, ctx);
                }
        }
}
