/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of traced processes and threads. */
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

struct stop_task *stop_task_find(const struct stop_guardian *g, int32_t tid)
{
        const uint64_t *found = map_find(&g->tasks, (uint64_t)tid);

        return found ? (struct stop_task *)(uintptr_t)*found : NULL;
}

struct stop_process *stop_process_find(const struct stop_guardian *g, int32_t pid)
{
        struct stop_process *p = g->processes;

        while (p && p->pid != pid)
                p = p->next;
        return p;
}

struct stop_process *stop_process_new(struct stop_guardian *g, int32_t pid)
{
        struct stop_process *p = mem_new(1, sizeof(*p));

        *p = (struct stop_process){.pid = pid, .image = ++g->n_images};
        os_lock_enter(g->lock);
        p->next = g->processes;
        g->processes = p;
        os_lock_leave(g->lock);
        return p;
}

struct stop_task *stop_task_new(struct stop_guardian *g, struct stop_process *process, int32_t tid)
{
        struct stop_task *task = mem_new(1, sizeof(*task));

        os_lock_enter(g->lock);
        *task = (struct stop_task){.tid = tid,
                                   .process = process,
                                   .next = process->tasks,
                                   .event_fd = -1,
                                   .overrun_fd = -1,
                                   .paced = {.schedstat_fd = -1, .stat_fd = -1, .sched_fd = -1}};
        process->tasks = task;
        os_lock_leave(g->lock);
        *map_put(&g->tasks, (uint64_t)tid, NULL) = (uintptr_t)task;
        stop_channel_add(g->channel, STOP_THREAD_BEGIN, tid, os_monotonic_ns(), NULL, 0);
        return task;
}

void stop_task_free(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_task **at = &task->process->tasks;

        stop_event_close(g, task);
        stop_pace_drop(g, task);
        os_lock_enter(g->lock);
        while (*at != task)
                at = &(*at)->next;
        *at = task->next;
        os_lock_leave(g->lock);
        map_remove(&g->tasks, (uint64_t)task->tid);
        stop_channel_add(g->channel, STOP_THREAD_END, task->tid, os_monotonic_ns(), NULL, 0);
        free(task);
}

void stop_process_free(struct stop_guardian *g, struct stop_process *process)
{
        struct stop_process **at = &g->processes;

        os_lock_enter(g->lock);
        while (*at != process)
                at = &(*at)->next;
        *at = process->next;
        os_lock_leave(g->lock);
        while (process->tasks)
                stop_task_free(g, process->tasks);
        stop_switch_end(g, process);
        if (g->start.is_paced) {
                map_remove(&g->pace.seen_forks, (uint64_t)process->pid);
                proc_maps_release(&process->maps);
        }
        stop_frames_end(g->frames, process->image);
        free(process);
}

bool stop_process_is_traced(struct stop_guardian *g, int32_t pid)
{
        bool is_traced;

        os_lock_enter(g->lock);
        is_traced = stop_process_find(g, pid);
        os_lock_leave(g->lock);
        return is_traced;
}

void stop_process_tell_begin(struct stop_guardian *g, int32_t pid)
{
        stop_channel_add(g->channel, STOP_SPAN_BEGIN, pid, os_monotonic_ns(), NULL, 0);
        g->facts->counts.n_processes++;
}

void stop_process_tell_end(struct stop_guardian *g, int32_t pid)
{
        stop_channel_add(g->channel, STOP_SPAN_END, pid, os_monotonic_ns(), NULL, 0);
}
