/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that a process generates and may replace while it runs. A place is the offset of the code in the
 * jitdump. So two functions that were at one address at different times are two places, and a function that
 * was moved is one place. */
#include "world_internal.h"

void world_set_code(struct world *w, const struct world_code_source *source)
{
        w->code = *source;
}

bool world_has_code(const struct world *w)
{
        return w->has_code;
}

/* Does not open the file before the process has a sample: code_to is 0, so world_code_is_at() fails until
 * world_set_code_time() is called. */
void code_map(struct world *w, struct process *process, module_id id)
{
        if (!w->code.open)
                return;
        process->tells_code = true;
        process->code = NULL;
        process->code_module = id;
        process->code_from = process->code_to = 0;
        w->has_code = true;
}

static struct process *find_telling(struct world *w, int32_t pid)
{
        struct process *process = pid == -1 ? NULL : world_find_process(w, pid);

        return process && process->tells_code ? process : NULL;
}

bool world_code_is_at(struct world *w, int32_t pid, uint64_t time)
{
        const struct process *process = find_telling(w, pid);

        return !process || (time >= process->code_from && time < process->code_to);
}

static const void *open_code(struct world *w, const struct process *process)
{
        const struct module *module = w->modules.items[process->code_module];

        return w->code.open(w->code.ctx, module, strpool_get(w->names, module->path));
}

void world_set_code_time(struct world *w, int32_t pid, uint64_t time)
{
        struct process *process = find_telling(w, pid);

        if (!process)
                return;
        if (!process->code)
                process->code = open_code(w, process);
        process->tells_code = process->code;
        if (!process->code)
                return;
        process->code_time = time;
        w->code.span(process->code, time, &process->code_from, &process->code_to);
        process->version = ++w->last_version;
}

void code_find(const struct world *w, const struct process *process, uint64_t addr, struct place *place)
{
        uint64_t offset;

        if (!w->code.find(process->code, addr, process->code_time, &offset))
                return;
        place->module = process->code_module;
        place->offset = offset;
}
