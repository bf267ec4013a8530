/* SPDX-License-Identifier: BSD-3-Clause */
/* Drops data when a world is replayed for as long as a machine runs: processes that exited, and the modules
 * and names that only they used. */
#include <assert.h>
#include <stdlib.h>

#include "mem.h"
#include "world_internal.h"

void world_set_exited_limit(struct world *w, size_t n_exited)
{
        assert(!w->exited.pids);
        w->exited.pids = mem_new(n_exited, sizeof(*w->exited.pids));
        w->exited.max = n_exited;
}

static struct process *find_quietly(struct world *w, int32_t pid)
{
        const uint64_t *at = map_find(&w->process_of_pid, (uint32_t)pid);

        return at ? &w->processes[*at - 1] : NULL;
}

static void forget_process(struct world *w, int32_t pid)
{
        struct exited *exited = &w->exited;
        struct process *process = find_quietly(w, pid);

        world_forget_process(w, process);
        ARRAY_PUSH(exited->free_slots, exited->n_free, exited->cap_free, (uint32_t)(process - w->processes));
        map_remove(&w->process_of_pid, (uint32_t)pid);
        w->last_process = UINT32_MAX;
}

/* If the main thread exits first, the other threads go on and are sampled, so a process that was used since
 * is kept. */
static bool may_forget(struct process *process)
{
        return process && process->has_exited && !process->was_used;
}

static void push(struct world *w, int32_t pid)
{
        struct exited *exited = &w->exited;
        struct process *process = find_quietly(w, pid);

        exited->pids[(exited->oldest + exited->n++) % exited->max] = pid;
        process->has_exited = true;
        process->was_used = false;
}

/* Removes the oldest exited process from the ring. Adds it again if it was used since. */
static void pop(struct world *w)
{
        struct exited *exited = &w->exited;
        int32_t pid = exited->pids[exited->oldest];
        struct process *process = find_quietly(w, pid);

        exited->oldest = (exited->oldest + 1) % exited->max;
        exited->n--;
        if (may_forget(process))
                forget_process(w, pid);
        else if (process && process->has_exited)
                push(w, pid);
}

void world_forget_exited(struct world *w, const struct record_task *task)
{
        struct exited *exited = &w->exited;

        map_remove(&w->name_of_thread, world_thread_key(task->pid, task->tid));
        map_remove(&w->given_names, world_thread_key(task->pid, task->tid));
        if (task->pid != task->tid || !find_quietly(w, task->pid))
                return;
        /* After at most one turn of the ring, an entry is found that was not used since. */
        while (exited->n == exited->max)
                pop(w);
        push(w, task->pid);
}

/* --- modules --- */

static void mark_range(void *ctx, const struct range *range)
{
        bool *is_used = ctx;

        is_used[range->module] = true;
}

static void mark_process(bool *is_used, const struct process *process)
{
        ranges_each(process->maps, mark_range, is_used);
        ranges_each(process->images, mark_range, is_used);
        if (process->main_module != MODULE_NONE)
                is_used[process->main_module] = true;
        if (process->tells_code)
                is_used[process->code_module] = true;
}

static bool *find_used(const struct world *w)
{
        bool *is_used = mem_new(w->modules.n + 1, sizeof(*is_used));

        for (size_t i = 0; i < w->n_processes; i++)
                mark_process(is_used, &w->processes[i]);
        mark_process(is_used, &w->kernel);
        if (w->kernel_image.end)
                mark_range(is_used, &w->kernel_image);
        return is_used;
}

struct renaming {
        struct strpool *old_names, *names;
};

static void rename_thread(void *ctx, uint64_t key, uint64_t *name)
{
        const struct renaming *renaming = ctx;

        *name = strpool_add(renaming->names, strpool_get(renaming->old_names, (str_id)*name));
}

void world_forget_unmapped(struct world *w)
{
        struct renaming renaming = {w->names, strpool_new()};
        bool *is_used = find_used(w);

        assert(!w->modules.n_table_ids && !w->unmapped.n_used);
        w->names = renaming.names;
        modules_keep(w, is_used, renaming.old_names);
        map_each(&w->name_of_thread, rename_thread, &renaming);
        map_each(&w->given_names, rename_thread, &renaming);
        map_release(&w->image_sizes);
        strpool_free(renaming.old_names);
        free(is_used);
}

size_t world_n_known_modules(const struct world *w)
{
        return w->modules.n - w->modules.n_free;
}
