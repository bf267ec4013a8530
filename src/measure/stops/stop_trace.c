/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles each stop of a traced thread. The program and its parents must not notice the tracing: signals
 * arrive, job control works, exits are seen. New processes are never traced automatically, so that they keep
 * their privileges and can be debugged. */
#include <errno.h>
#include <signal.h>
#include <string.h>
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

void stop_trace_go_on(struct stop_guardian *g, int32_t tid, int sig)
{
        const struct stop_task *task = stop_task_find(g, tid);
        bool at_call = task ? task->n_calls || stop_restart_follows(task) || stop_rest_moves(task)
                            : stop_again_is(g, tid);

        ptrace(at_call ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL, (void *)(uintptr_t)sig);
}

void stop_trace_let_go(int32_t tid)
{
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

/* --- end of threads --- */

static void see_end(struct stop_guardian *g, int32_t tid, int status, const struct rusage *usage)
{
        struct stop_task *task = stop_task_find(g, tid);

        if (task && task->process->pid == tid) {
                if (g->start.is_paced)
                        stop_records_end(g, task->process);
                stop_process_tell_end(g, tid);
                stop_process_free(g, task->process);
        } else if (task) {
                stop_mask_at_end(task);
                stop_task_free(g, task);
        }
        stop_again_end(g, tid);
        if (tid == g->command)
                spawn_tell_end(g->command_end, status, usage);
}

/* --- exec --- */

static void begin_program(struct stop_guardian *g, int32_t pid)
{
        struct stop_task *task = stop_task_new(g, stop_process_new(g, pid), pid);

        if (g->start.is_paced) {
                stop_records_exec(g, pid);
                stop_pace_add(g, task);
        } else if (!stop_mask_at_exec(g, task)) {
                stop_process_free(g, task->process);
                stop_trace_let_go(pid);
                return;
        }
        stop_process_tell_begin(g, pid);
        stop_trace_go_on(g, pid, 0);
}

/* No code of the new program has run, and it has only one thread. */
static void see_exec(struct stop_guardian *g, int32_t pid)
{
        struct stop_process *process = stop_process_find(g, pid);

        if (process) {
                stop_process_tell_end(g, pid);
                stop_process_free(g, process);
        }
        switch (stop_again_privilege(g, pid)) {
        case STOP_PRIVILEGE: stop_again_begin(g, pid); return;
        case STOP_NOT_READABLE: stop_names_add(&g->facts->unprivileged, pid); break;
        case STOP_NO_PRIVILEGE: break;
        }
        if (g->start.is_paced || stop_interpreter_is(g, pid))
                begin_program(g, pid);
        else
                stop_trace_let_go(pid);
}

/* --- stops without a signal --- */

/* The first stop of a task made by clone: a thread, or a process whose exit signal is not SIGCHLD, which is
 * detached. */
static bool is_new_thread(struct stop_guardian *g, int32_t tid)
{
        int32_t pid = target_process_of(tid);
        struct stop_process *process = pid && pid != tid ? stop_process_find(g, pid) : NULL;

        if (!process)
                return false;
        if (g->start.is_paced)
                stop_pace_add(g, stop_task_new(g, process, tid));
        else
                stop_mask_at_clone(g, stop_task_new(g, process, tid));
        return true;
}

static bool stops_job(int sig)
{
        return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void see_event_stop(struct stop_guardian *g, int32_t tid, int sig)
{
        struct stop_task *task = stop_task_find(g, tid);

        if (task && task->paced.is_asked)
                stop_pace_see(g, task, stops_job(sig));
        if (task)
                stop_restart_see(g, task, stops_job(sig) ? STOP_JOB_STOPS : STOP_GOES_ON, 0);
        if (task && stop_mask_take_out(g, task, sig, false))
                return;
        if (!task && !stop_again_is(g, tid) && !is_new_thread(g, tid))
                stop_trace_let_go(tid);
        else if (stops_job(sig))
                ptrace(PTRACE_LISTEN, tid, NULL, NULL); /* it stays stopped until SIGCONT */
        else
                stop_trace_go_on(g, tid, 0);
        stop_sample_give(g);
}

/* --- signals --- */

/* The kernel's layout of the signal of an event; C libraries may not know it. */
struct perf_siginfo {
        int32_t signo, error, code, pad;
        uint64_t addr, data;
};

bool stop_trace_is_ours(const siginfo_t *info)
{
        struct perf_siginfo perf;

        memcpy(&perf, info, sizeof(perf));
        return perf.signo == SIGTRAP && perf.code == SI_CODE_PERF && perf.data == STOP_SIG_DATA;
}

static void see_call(struct stop_guardian *g, int32_t tid, struct stop_task *task)
{
        if (!task) {
                stop_again_see(g, tid);
                return;
        }
        if (stop_rest_moves(task))
                stop_rest_see_call(task);
        else if (stop_restart_follows(task))
                stop_restart_see_call(g, task);
        if (task->n_calls)
                stop_mask_at_call(g, task);
        stop_trace_go_on(g, tid, 0);
}

static void see_overflow(struct stop_guardian *g, struct stop_task *task)
{
        uint64_t before_ns = task->stopped_ns;

        if (!stop_event_is_due(g, task)) {
                g->facts->counts.n_repeats++;
                return;
        }
        stop_sample_take(g, task);
        stop_mask_at_stop(g, task, before_ns);
}

static void see_signal(struct stop_guardian *g, int32_t tid, int sig)
{
        struct stop_task *task = stop_task_find(g, tid);
        siginfo_t info;
        bool is_ours;

        if (sig == (SIGTRAP | SYSCALL_STOP)) {
                see_call(g, tid, task);
                return;
        }
        is_ours = sig == SIGTRAP && task && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) &&
                  stop_trace_is_ours(&info);
        if (task && !is_ours)
                stop_restart_see(g, task, STOP_GOES_ON, sig);
        if (task && stop_mask_take_out(g, task, sig, true))
                return;
        if (is_ours && task->event_fd >= 0)
                see_overflow(g, task);
        stop_trace_go_on(g, tid, is_ours ? 0 : sig);
        stop_sample_give(g);
}

void stop_trace_see(struct stop_guardian *g, int32_t tid, int status, const struct rusage *usage)
{
        int event = status >> 16;

        if (WIFEXITED(status) || WIFSIGNALED(status))
                see_end(g, tid, status, usage);
        else if (!WIFSTOPPED(status))
                return;
        else if (event == PTRACE_EVENT_EXEC)
                see_exec(g, tid);
        else if (event == PTRACE_EVENT_STOP)
                see_event_stop(g, tid, WSTOPSIG(status));
        else if (event)
                stop_trace_go_on(g, tid, 0);
        else
                see_signal(g, tid, WSTOPSIG(status));
}
