/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of traced processes and threads. */
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

struct stop_task *stop_task_find(const struct stop_engine *e, int32_t tid)
{
        const uint64_t *found = map_find(&e->tasks, (uint64_t)tid);

        return found ? (struct stop_task *)(uintptr_t)*found : NULL;
}

struct stop_process *stop_process_find(const struct stop_engine *e, int32_t pid)
{
        struct stop_process *p = e->processes;

        while (p && p->pid != pid)
                p = p->next;
        return p;
}

struct stop_process *stop_process_new(struct stop_engine *e, int32_t pid)
{
        struct stop_process *p = mem_new(1, sizeof(*p));

        *p = (struct stop_process){.pid = pid, .image = ++e->n_images};
        os_lock_enter(e->lock);
        p->next = e->processes;
        e->processes = p;
        os_lock_leave(e->lock);
        return p;
}

struct stop_task *stop_task_new(struct stop_engine *e, struct stop_process *process, int32_t tid)
{
        struct stop_task *task = mem_new(1, sizeof(*task));

        os_lock_enter(e->lock);
        *task = (struct stop_task){.tid = tid, .process = process, .next = process->tasks};
        process->tasks = task;
        os_lock_leave(e->lock);
        *map_put(&e->tasks, (uint64_t)tid, NULL) = (uintptr_t)task;
        stop_seen_begin(e, tid);
        return task;
}

void stop_task_free(struct stop_engine *e, struct stop_task *task)
{
        struct stop_task **at = &task->process->tasks;

        os_lock_enter(e->lock);
        while (*at != task)
                at = &(*at)->next;
        *at = task->next;
        os_lock_leave(e->lock);
        map_remove(&e->tasks, (uint64_t)task->tid);
        stop_seen_end(e, task->tid);
        free(task);
}

void stop_process_free(struct stop_engine *e, struct stop_process *process)
{
        struct stop_process **at = &e->processes;

        stop_event_close(e, process);
        os_lock_enter(e->lock);
        while (*at != process)
                at = &(*at)->next;
        *at = process->next;
        os_lock_leave(e->lock);
        while (process->tasks)
                stop_task_free(e, process->tasks);
        if (e->request.on_end)
                e->request.on_end(e->request.ctx, process->image);
        free(process);
}
