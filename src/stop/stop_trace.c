/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles each stop of a traced thread. The program and its parents must not notice the tracing: signals
 * arrive, job control works, exits are seen. New processes are never traced automatically, so that they keep
 * their privileges and can be debugged. */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "os.h"
#include "stop_internal.h"

enum {
        SI_CODE_PERF = 6, /* TRAP_PERF */
        SYSCALL_STOP = 0x80,
};

bool stop_trace_seize(int32_t tid)
{
        return !ptrace(PTRACE_SEIZE, tid, NULL,
                       (void *)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD));
}

void stop_trace_go_on(struct stop_engine *e, int32_t tid, int sig)
{
        ptrace(stop_again_is(e, tid) || stop_ignore_is(e, tid) ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL,
               (void *)(uintptr_t)sig);
}

void stop_trace_let_go(int32_t tid)
{
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

/* --- end of threads --- */

static void see_end(struct stop_engine *e, int32_t tid, int status, const struct rusage *usage)
{
        struct stop_task *task = stop_task_find(e, tid);

        if (task && task->process->pid == tid) {
                stop_span_end(e, tid);
                stop_process_free(e, task->process);
        } else if (task) {
                stop_task_free(e, task);
        }
        stop_again_end(e, tid);
        stop_ignore_end(e, tid);
        if (tid != e->request.child->pid)
                return;
        os_lock_enter(e->lock);
        e->child_ended = true;
        e->child_status = status;
        e->child_usage = *usage;
        os_lock_leave(e->lock);
}

/* --- exec --- */

static void begin_interpreter(struct stop_engine *e, int32_t pid)
{
        struct stop_process *process = stop_process_new(e, pid);

        stop_event_open(e, process, pid);
        if (!process->n_events) {
                stop_process_free(e, process);
                stop_trace_let_go(pid);
                return;
        }
        stop_task_new(e, process, pid);
        stop_span_begin(e, pid);
        stop_trace_go_on(e, pid, 0);
}

/* No code of the new program has run, and it has only one thread. */
static void see_exec(struct stop_engine *e, int32_t pid)
{
        struct stop_process *process = stop_process_find(e, pid);

        stop_ignore_end(e, pid);
        if (process) {
                stop_span_end(e, pid);
                stop_process_free(e, process);
        }
        switch (stop_again_privilege(e, pid)) {
        case STOP_PRIVILEGE: stop_again_begin(e, pid); return;
        case STOP_NOT_READABLE: stop_names_add(e, &e->unprivileged, pid); break;
        case STOP_NO_PRIVILEGE: break;
        }
        if (stop_interpreter_is(e, pid))
                begin_interpreter(e, pid);
        else
                stop_trace_let_go(pid);
}

/* --- stops without a signal --- */

/* The first stop of a task made by clone: a thread, which inherits the event, or a process whose exit signal
 * is not SIGCHLD, which is detached. */
static bool is_new_thread(struct stop_engine *e, int32_t tid)
{
        int32_t pid = stop_status_pid(tid);
        struct stop_process *process = pid && pid != tid ? stop_process_find(e, pid) : NULL;

        if (!process)
                return false;
        stop_task_new(e, process, tid);
        return true;
}

static bool stops_job(int sig)
{
        return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void see_event_stop(struct stop_engine *e, int32_t tid, int sig)
{
        if (!stop_task_find(e, tid) && !stop_again_is(e, tid) && !is_new_thread(e, tid))
                stop_trace_let_go(tid);
        else if (stops_job(sig))
                ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* it stays stopped until SIGCONT */
        else
                stop_trace_go_on(e, tid, 0);
}

/* --- signals --- */

/* A program that is not traced does not ignore the signal, and would have been killed. */
static void see_trap(struct stop_engine *e, int32_t tid)
{
        bool is_ignored = stop_status_ignores(tid, SIGTRAP);

        os_lock_enter(e->lock);
        e->counts.n_traps_ignored += is_ignored;
        os_lock_leave(e->lock);
}

static void see_signal(struct stop_engine *e, int32_t tid, int sig)
{
        struct stop_task *task = stop_task_find(e, tid);
        siginfo_t info;

        if (sig == (SIGTRAP | SYSCALL_STOP)) {
                if (stop_again_is(e, tid))
                        stop_again_see(e, tid);
                else
                        stop_ignore_see(e, tid);
                return;
        }
        if (sig == SIGTRAP && task && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info)) {
                if (info.si_code == SI_CODE_PERF) {
                        stop_sample_take(e, task);
                        stop_ignore_begin(e, task);
                        sig = 0;
                } else {
                        see_trap(e, tid);
                }
        }
        stop_trace_go_on(e, tid, sig);
}

void stop_trace_see(struct stop_engine *e, int32_t tid, int status, const struct rusage *usage)
{
        int event = status >> 16;

        if (WIFEXITED(status) || WIFSIGNALED(status))
                see_end(e, tid, status, usage);
        else if (!WIFSTOPPED(status))
                return;
        else if (event == PTRACE_EVENT_EXEC)
                see_exec(e, tid);
        else if (event == PTRACE_EVENT_STOP)
                see_event_stop(e, tid, WSTOPSIG(status));
        else if (event)
                stop_trace_go_on(e, tid, 0);
        else
                see_signal(e, tid, WSTOPSIG(status));
}
