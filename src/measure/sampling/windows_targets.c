/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows the processes and threads that are measured.  The command's descendants are told by its job;
 * those of processes that already ran are found by their parents. */
#include "windows_internal.h"

#include <windows.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "text.h"

struct target_process *targets_find(const struct targets *targets, uint32_t pid)
{
        const uint64_t *found = map_find(&targets->by_pid, pid);

        return found ? (struct target_process *)(uintptr_t)*found : NULL;
}

static struct windows_stamp stamp_of(const struct targets *targets, uint32_t pid, uint32_t tid)
{
        return (struct windows_stamp){.pid = pid, .tid = tid, .cpu = UINT32_MAX, .time_ns = targets->now_ns};
}

/* --- Threads --- */

static struct target_thread *find_thread(const struct target_process *process, uint32_t tid)
{
        for (size_t i = 0; i < process->n_threads; i++) {
                if (process->threads[i].tid == tid)
                        return &process->threads[i];
        }
        return NULL;
}

/* `is_new`: all its CPU time counts. */
static void add_thread(struct targets *targets, struct target_process *process, uint32_t tid, bool is_new)
{
        const DWORD rights =
                THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT | THREAD_QUERY_INFORMATION | SYNCHRONIZE;
        struct target_thread thread = {
                .handle = OpenThread(rights, FALSE, tid), .tid = tid, .is_there = true};
        const struct windows_stamp stamp = stamp_of(targets, process->pid, tid);
        struct timer_thread looked_at = {process->handle, thread.handle, process->pid, tid,
                                         process->image,  process->cpu};

        if (!thread.handle)
                return;
        if (!is_new)
                thread_clock_split(thread.handle, &thread.user_ns, &thread.kernel_ns);
        looked_at.stack_end = thread_stack_end(process->handle, thread.handle);
        ARRAY_PUSH(process->threads, process->n_threads, process->cap_threads, thread);
        windows_record_fork(targets->out, &stamp, process->pid);
        if (targets->timer)
                timer_add(targets->timer, &looked_at, is_new);
}

static void see_thread(void *ctx, const struct windows_thread *found)
{
        struct targets *targets = ctx;
        struct target_process *process = targets_find(targets, found->pid);
        struct target_thread *thread = process ? find_thread(process, found->tid) : NULL;

        if (!process || process->has_ended)
                return;
        if (thread)
                thread->is_there = true;
        else if (targets->is_list_all || targets->with_new_threads)
                add_thread(targets, process, found->tid, process->is_started || !targets->is_list_all);
}

/* `least_ns`: the CPU time that the timer has seen. wine does not tell the time of a thread that has
 * ended. */
static void add_time(const struct target_thread *thread, uint64_t least_ns, uint64_t *user_ns,
                     uint64_t *kernel_ns)
{
        uint64_t user, kernel;

        thread_clock_split(thread->handle, &user, &kernel);
        if (user + kernel < least_ns)
                user = least_ns - kernel;
        *user_ns += user > thread->user_ns ? user - thread->user_ns : 0;
        *kernel_ns += kernel > thread->kernel_ns ? kernel - thread->kernel_ns : 0;
}

static void end_thread(struct targets *targets, struct target_process *process, struct target_thread *thread)
{
        const struct windows_stamp stamp = stamp_of(targets, process->pid, thread->tid);
        uint64_t seen_ns = targets->timer ? timer_remove(targets->timer, thread->tid) : 0;

        add_time(thread, seen_ns, &targets->user_ns, &targets->kernel_ns);
        CloseHandle(thread->handle);
        windows_record_exit(targets->out, &stamp, process->pid);
        *thread = process->threads[--process->n_threads];
}

/* --- Processes --- */

static void put_process(struct targets *targets, const struct target_process *process)
{
        const struct windows_stamp stamp = stamp_of(targets, process->pid, process->pid);
        AUTO_RELEASE(buf) path = {0};

        windows_process_path(process->handle, &path);
        if (process->ppid)
                windows_record_fork(targets->out, &stamp, process->ppid);
        windows_record_comm(targets->out, &stamp, path.len ? text_base_name(path.data) : "unknown");
}

static struct target_process *add_process(struct targets *targets, const struct target_process *process)
{
        struct target_process *added = mem_new(1, sizeof(*added));

        *added = *process;
        added->is_there = true;
        added->image = ++targets->n_images;
        added->cpu = windows_cpus_only(added->handle);
        added->begin_ns = targets->now_ns;
        ARRAY_PUSH(targets->items, targets->n, targets->cap, added);
        *map_put(&targets->by_pid, added->pid, NULL) = (uintptr_t)added;
        put_process(targets, added);
        return added;
}

static void *open_process(uint32_t pid)
{
        return OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE, FALSE, pid);
}

bool targets_attach(struct targets *targets, uint32_t pid, struct err *err)
{
        struct target_process process = {.handle = open_process(pid), .pid = pid, .is_attached = true};

        if (!process.handle && GetLastError() == ERROR_ACCESS_DENIED)
                return err_set(
                        err, ERR_DENIED,
                        "Windows does not allow to sample process %" PRIu32
                        ", which belongs to another user or is protected; start wperf as administrator",
                        pid);
        if (!process.handle || WaitForSingleObject(process.handle, 0) == WAIT_OBJECT_0) {
                if (process.handle)
                        CloseHandle(process.handle);
                return err_set(err, ERR_MISSING, "there is no process %" PRIu32, pid);
        }
        add_process(targets, &process);
        return true;
}

void targets_add_command(struct targets *targets)
{
        struct target_process process = {.pid = targets->command.pid, .is_started = true}, *added;

        assert(targets->command.process);
        if (!DuplicateHandle(GetCurrentProcess(), targets->command.process, GetCurrentProcess(),
                             &process.handle, 0, FALSE, DUPLICATE_SAME_ACCESS))
                return;
        added = add_process(targets, &process);
        add_thread(targets, added, targets->command.tid, true);
}

/* Windows reuses the numbers of processes, so a parent must be older than its child. */
static bool is_older(void *parent, void *child)
{
        FILETIME begun, other, ended, kernel, user;

        return GetProcessTimes(parent, &begun, &ended, &kernel, &user) &&
               GetProcessTimes(child, &other, &ended, &kernel, &user) && CompareFileTime(&begun, &other) <= 0;
}

static void add_child(struct targets *targets, const struct windows_process *found, bool in_job)
{
        struct target_process *parent = targets_find(targets, found->ppid);
        struct target_process process = {.handle = open_process(found->pid),
                                         .pid = found->pid,
                                         .ppid = found->ppid,
                                         .is_started = !targets->is_list_all};

        if (!process.handle)
                return;
        if (in_job || is_older(parent->handle, process.handle))
                add_process(targets, &process);
        else
                CloseHandle(process.handle);
}

static void see_process(void *ctx, const struct windows_process *found)
{
        struct targets *targets = ctx;
        struct target_process *process = targets_find(targets, found->pid);
        struct target_process *parent = targets_find(targets, found->ppid);
        bool in_job = map_remove(&targets->expected, found->pid);

        if (process && !process->has_ended)
                process->is_there = true;
        else if (targets->with_children && (in_job || (parent && !parent->has_ended)) &&
                 found->pid != GetCurrentProcessId())
                add_child(targets, found, in_job);
}

static void end_process(struct targets *targets, struct target_process *process)
{
        const struct windows_stamp stamp = stamp_of(targets, process->pid, process->pid);

        while (process->n_threads)
                end_thread(targets, process, &process->threads[0]);
        windows_record_exit(targets->out, &stamp, process->ppid);
        process->has_ended = true;
}

/* --- All --- */

static void expect_children(struct targets *targets)
{
        uint32_t pid;

        while (windows_command_next_child(&targets->command, &pid))
                map_put(&targets->expected, pid, NULL);
}

static void end_threads(struct targets *targets, struct target_process *process)
{
        for (size_t i = process->n_threads; i-- > 0;) {
                if (!process->threads[i].is_there)
                        end_thread(targets, process, &process->threads[i]);
                else
                        process->threads[i].is_there = false;
        }
}

void targets_follow(struct targets *targets, uint64_t now_ns)
{
        const struct windows_listener listener = {see_process, see_thread, targets};

        targets->now_ns = now_ns;
        expect_children(targets);
        windows_list(&listener);
        for (size_t i = 0; i < targets->n; i++) {
                struct target_process *process = targets->items[i];

                if (process->has_ended)
                        continue;
                if (WaitForSingleObject(process->handle, 0) == WAIT_OBJECT_0)
                        end_process(targets, process);
                else
                        end_threads(targets, process);
        }
        targets->is_list_all = false;
}

static void process_free(struct target_process *process)
{
        for (size_t i = 0; i < process->n_threads; i++)
                CloseHandle(process->threads[i].handle);
        CloseHandle(process->handle);
        process_modules_release(&process->modules);
        free(process->threads);
        free(process);
}

void targets_forget_ended(struct targets *targets)
{
        size_t n = 0;

        for (size_t i = 0; i < targets->n; i++) {
                struct target_process *process = targets->items[i];

                if (!process->has_ended) {
                        targets->items[n++] = process;
                        continue;
                }
                if (targets_find(targets, process->pid) == process)
                        map_remove(&targets->by_pid, process->pid);
                process_free(process);
        }
        targets->n = n;
}

bool targets_run(const struct targets *targets)
{
        if (targets->command.process)
                return !windows_command_has_ended(&targets->command, NULL);
        for (size_t i = 0; i < targets->n; i++) {
                if (targets->items[i]->is_attached && !targets->items[i]->has_ended &&
                    WaitForSingleObject(targets->items[i]->handle, 0) != WAIT_OBJECT_0)
                        return true;
        }
        return false;
}

void targets_begin_time(struct targets *targets)
{
        targets->user_ns = targets->kernel_ns = 0;
        for (size_t i = 0; i < targets->n; i++) {
                struct target_process *process = targets->items[i];

                for (size_t k = 0; k < process->n_threads; k++)
                        thread_clock_split(process->threads[k].handle, &process->threads[k].user_ns,
                                           &process->threads[k].kernel_ns);
        }
}

void targets_get_time(const struct targets *targets, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
        uint64_t user_ns = targets->user_ns, kernel_ns = targets->kernel_ns;

        for (size_t i = 0; i < targets->n; i++) {
                for (size_t k = 0; k < targets->items[i]->n_threads; k++)
                        add_time(&targets->items[i]->threads[k], 0, &user_ns, &kernel_ns);
        }
        *ret_user_ns = user_ns;
        *ret_kernel_ns = kernel_ns;
}

void targets_release(struct targets *targets)
{
        for (size_t i = 0; i < targets->n; i++)
                process_free(targets->items[i]);
        free(targets->items);
        map_release(&targets->by_pid);
        map_release(&targets->expected);
        windows_command_release(&targets->command);
}
