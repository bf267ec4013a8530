/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracing of processes that already run: the watching thread asks for it, the tracer does it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

/* A recorder in an interpreter, by way of the library, would wait for itself. */
static bool is_wanted(const struct stop_guardian *g, int32_t pid)
{
        const char *cgroup = g->attach ? g->attach->cgroup : NULL;

        return pid != g->recorder && (!cgroup || cgroup_has(cgroup, pid));
}

void stop_late_ask(struct stop_guardian *g, int32_t pid)
{
        if (!is_wanted(g, pid))
                return;
        os_lock_enter(g->lock);
        ARRAY_PUSH(g->late.asked, g->late.n_asked, g->late.cap_asked, pid);
        os_lock_leave(g->lock);
        atomic_store(&g->late.is_busy, true);
}

static void ask_wanted(struct stop_guardian *g, const int32_t *pids, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (g->start.is_paced || stop_interpreter_is(g, pids[i]))
                        stop_late_ask(g, pids[i]);
        }
}

void stop_late_ask_all(struct stop_guardian *g)
{
        const struct target *target = g->attach;
        int32_t *all = NULL;
        size_t n = 0;

        if (target->system_wide)
                all = proc_all(&n);
        ask_wanted(g, target->pids, target->n_pids);
        ask_wanted(g, all, n);
        free(all);
}

bool stop_late_is_busy(struct stop_guardian *g)
{
        return atomic_load(&g->late.is_busy) && !atomic_load(&g->has_ended);
}

static bool take_asked(struct stop_guardian *g, int32_t *ret_pid)
{
        bool is_any;

        os_lock_enter(g->lock);
        is_any = g->late.n_asked;
        if (is_any)
                *ret_pid = g->late.asked[--g->late.n_asked];
        else
                atomic_store(&g->late.is_busy, false);
        os_lock_leave(g->lock);
        return is_any;
}

/* --- the tracer --- */

/* Returns 0 if the thread is now traced, else an errno. */
static int seize_thread(struct stop_guardian *g, int32_t pid, int32_t tid)
{
        struct stop_process *process;
        int error;

        atomic_store(&g->late.pid, pid);
        error = stop_trace_seize(tid) ? 0 : errno;
        atomic_store(&g->late.pid, 0);
        if (error)
                return error;
        process = stop_process_find(g, pid);
        stop_task_new(g, process ? process : stop_process_new(g, pid), tid);
        return 0;
}

/* Repeat until there are no new threads. Threads created by traced ones are traced automatically. */
static size_t seize_new_threads(struct stop_guardian *g, int32_t pid, int *ret_error)
{
        int32_t *tids = NULL;
        size_t n = 0, n_seized = 0;

        proc_threads(pid, &tids, &n);
        for (size_t i = 0; i < n; i++) {
                int error = stop_task_find(g, tids[i]) ? EEXIST : seize_thread(g, pid, tids[i]);

                if (!error)
                        n_seized++;
                else if (error != EEXIST)
                        *ret_error = error;
        }
        free(tids);
        return n_seized;
}

/* A debugger may trace some of the threads. The ring's samples of these are kept. */
static void keep_foreign_threads(struct stop_guardian *g, int32_t pid)
{
        int32_t *tids = NULL;
        size_t n = 0;

        proc_threads(pid, &tids, &n);
        for (size_t i = 0; i < n; i++) {
                if (stop_task_find(g, tids[i]))
                        continue;
                stop_channel_add(g->channel, STOP_THREAD_BEGIN, tids[i], 0, NULL, 0);
                stop_channel_add(g->channel, STOP_KEPT_BEGIN, tids[i], 0, NULL, 0);
        }
        free(tids);
}

static void seize_process(struct stop_guardian *g, int32_t pid)
{
        struct stop_process *process = stop_process_find(g, pid);
        int error = 0;

        if (process) {
                stop_switch_begin(g, process);
                return;
        }
        while (seize_new_threads(g, pid, &error))
                ;
        process = stop_process_find(g, pid);
        /* The kernel also returns EPERM for a process that has ended. */
        if (error == EPERM && stop_status_runs(pid))
                stop_refusal_note(g, pid);
        atomic_fetch_add(process ? &g->facts->n_attached : &g->facts->n_not_attached, 1);
        if (!process)
                return;
        if (error == EPERM)
                keep_foreign_threads(g, pid);
        for (struct stop_task *task = process->tasks; task; task = task->next) {
                if (g->start.is_paced)
                        stop_pace_add(g, task);
                else
                        stop_mask_at_seize(g, task);
        }
        stop_process_tell_begin(g, pid);
}

void stop_late_seize(struct stop_guardian *g)
{
        int32_t pid;

        if (!atomic_load(&g->late.is_busy))
                return;
        while (take_asked(g, &pid))
                seize_process(g, pid);
        stop_late_see_ended(g);
}

/* --- reaping for the tracer --- */

static bool next_ended(struct stop_guardian *g, struct stop_ended *ret)
{
        bool is_any;

        os_lock_enter(g->lock);
        is_any = g->late.n_ended;
        if (is_any)
                *ret = g->late.ended[--g->late.n_ended];
        os_lock_leave(g->lock);
        return is_any;
}

void stop_late_see_ended(struct stop_guardian *g)
{
        struct stop_ended ended;

        while (next_ended(g, &ended))
                stop_trace_see(g, ended.tid, ended.status, &ended.usage);
}

static bool has_ended(int32_t tid)
{
        siginfo_t info = {0};

        return !waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) && info.si_pid == tid &&
               (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

void stop_late_reap(struct stop_guardian *g)
{
        int32_t pid = atomic_load(&g->late.pid);
        struct stop_process *process;

        if (!pid)
                return;
        os_lock_enter(g->lock);
        process = stop_process_find(g, pid);
        for (struct stop_task *task = process ? process->tasks : NULL; task; task = task->next) {
                struct stop_ended ended = {.tid = task->tid};

                if (has_ended(task->tid) &&
                    wait4(task->tid, &ended.status, WNOHANG | __WALL, &ended.usage) > 0)
                        ARRAY_PUSH(g->late.ended, g->late.n_ended, g->late.cap_ended, ended);
        }
        os_lock_leave(g->lock);
}
