/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a stop interrupts. A traced thread is woken by signals that the program ignores, and by
 * the tracer; some calls then return EINTR, which they would not do without tracing. On x86-64 they are
 * made to begin anew: the kernel does that for the result ERESTARTNOHAND, unless a handler of the program
 * runs first. Then it returns EINTR, as it should. A wait with a timeout would begin its time anew, so it
 * gets a deadline, at which the tracer interrupts it and sets what a timeout returns; the thread also stops
 * when the call begins and ends. The arguments of a call are never changed. */
#include <errno.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

#if defined(__x86_64__)
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

enum { CODE_SEGMENT_64 = 0x33 };

#define ERESTARTNOHAND 514 /* of the kernel, for its own code only */

/* A woken thread runs for less than this before it stops, if it has not left the kernel in between. */
#define MOST_RUN_NS 100000u

/* --- the calls --- */

/* Where the timeout of a call is. */
enum timeout {
        NO_TIMEOUT,
        MILLISECONDS, /* in the argument; negative: none */
        TIMESPEC,     /* at the address in the argument; NULL: none */
        RECEIVES,     /* SO_RCVTIMEO of the descriptor in the argument */
        SENDS,        /* SO_SNDTIMEO */
        RING_TIMEOUT, /* io_uring_enter */
};

struct call {
        uint16_t number;
        uint8_t timeout, argument;
        int16_t result; /* of a timeout */
};

/* Calls that return EINTR only if they have done nothing yet. close is none of them. */
static const struct call calls[] = {
        {SYS_epoll_wait, MILLISECONDS, 3, 0},   {SYS_epoll_pwait, MILLISECONDS, 3, 0},
        {SYS_epoll_pwait2, TIMESPEC, 3, 0},     {SYS_semop, NO_TIMEOUT, 0, 0},
        {SYS_semtimedop, TIMESPEC, 3, -EAGAIN}, {SYS_rt_sigtimedwait, TIMESPEC, 2, -EAGAIN},
        {SYS_io_getevents, TIMESPEC, 4, 0},     {SYS_io_uring_enter, RING_TIMEOUT, 4, -ETIME},
        {SYS_read, RECEIVES, 0, -EAGAIN},       {SYS_readv, RECEIVES, 0, -EAGAIN},
        {SYS_recvfrom, RECEIVES, 0, -EAGAIN},   {SYS_recvmsg, RECEIVES, 0, -EAGAIN},
        {SYS_recvmmsg, RECEIVES, 0, -EAGAIN},   {SYS_accept, RECEIVES, 0, -EAGAIN},
        {SYS_accept4, RECEIVES, 0, -EAGAIN},    {SYS_write, SENDS, 0, -EAGAIN},
        {SYS_writev, SENDS, 0, -EAGAIN},        {SYS_sendto, SENDS, 0, -EAGAIN},
        {SYS_sendmsg, SENDS, 0, -EAGAIN},       {SYS_sendmmsg, SENDS, 0, -EAGAIN},
        {SYS_connect, SENDS, 0, -EINPROGRESS},
};

static const struct call *find_call(const struct user_regs_struct *regs)
{
        if (regs->cs != CODE_SEGMENT_64)
                return NULL;
        for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
                if (calls[i].number == regs->orig_rax)
                        return &calls[i];
        }
        return NULL;
}

static uint64_t argument_of(const struct user_regs_struct *regs, unsigned i)
{
        const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};

        return arguments[i];
}

/* --- timeouts --- */

#define NO_END UINT64_MAX
#define MOST_S 1000000000ull

static uint64_t ns_of(int64_t s, int64_t ns)
{
        return s < 0 || ns < 0 || (uint64_t)s > MOST_S ? NO_END : (uint64_t)s * NS_PER_S + (uint64_t)ns;
}

static uint64_t timespec_at(int32_t tid, uint64_t addr)
{
        int64_t time[2];

        return stop_call_read_memory(tid, addr, time, sizeof(time)) ? ns_of(time[0], time[1]) : NO_END;
}

static uint64_t timeout_of_socket(int32_t pid, int fd, int option)
{
        int process = (int)syscall(SYS_pidfd_open, pid, 0), own;
        struct timeval time = {0};
        socklen_t size = sizeof(time);
        bool is_set;

        if (process < 0)
                return NO_END;
        own = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
        close(process);
        is_set = own >= 0 && !getsockopt(own, SOL_SOCKET, option, &time, &size) &&
                 (time.tv_sec || time.tv_usec);
        if (own >= 0)
                close(own);
        return is_set ? ns_of(time.tv_sec, (int64_t)time.tv_usec * 1000) : NO_END;
}

/* struct io_uring_getevents_arg; with an absolute time the wait does not begin its time anew. */
static uint64_t timeout_of_ring(int32_t tid, const struct user_regs_struct *regs)
{
        enum { EXT_ARG = 1 << 3, ABSOLUTE = 1 << 5 };
        uint64_t arg[3];

        if (!(regs->r10 & EXT_ARG) || regs->r10 & ABSOLUTE ||
            !stop_call_read_memory(tid, regs->r8, arg, sizeof(arg)))
                return NO_END;
        return timespec_at(tid, arg[2]);
}

static uint64_t timeout_of(const struct stop_task *task, const struct user_regs_struct *regs,
                           const struct call *call)
{
        uint64_t argument = argument_of(regs, call->argument);

        switch ((enum timeout)call->timeout) {
        case MILLISECONDS: return (int32_t)argument < 0 ? NO_END : (uint64_t)(uint32_t)argument * NS_PER_MS;
        case TIMESPEC: return timespec_at(task->tid, argument);
        case RECEIVES: return timeout_of_socket(task->process->pid, (int)argument, SO_RCVTIMEO);
        case SENDS: return timeout_of_socket(task->process->pid, (int)argument, SO_SNDTIMEO);
        case RING_TIMEOUT: return timeout_of_ring(task->tid, regs);
        case NO_TIMEOUT: break;
        }
        return NO_END;
}

/* --- a stop --- */

static bool get_regs(int32_t tid, struct user_regs_struct *ret)
{
        struct iovec all = {ret, sizeof(*ret)};

        return !ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) && all.iov_len == sizeof(*ret);
}

static void set_result(int32_t tid, struct user_regs_struct *regs, int64_t result)
{
        struct iovec all = {regs, sizeof(*regs)};

        regs->rax = (uint64_t)result;
        ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &all);
}

enum stop_standing stop_restart_standing(int32_t tid)
{
        enum { RESTARTS_FIRST = -516, RESTARTS_LAST = -512 }; /* results that only the kernel sees */
        struct user_regs_struct regs;
        int64_t result;

        if (!get_regs(tid, &regs))
                return STOP_STANDING_UNKNOWN;
        result = (int64_t)regs.rax;
        if ((int64_t)regs.orig_rax < 0)
                return STOP_IN_CODE;
        return result == -EINTR || (result >= RESTARTS_FIRST && result <= RESTARTS_LAST) ? STOP_IN_BROKEN_CALL
                                                                                         : STOP_IN_CALL;
}

static void forget(struct stop_task *task)
{
        task->restart = (struct stop_restart){0};
}

/* Whether the thread has not left the kernel since it was continued last. */
static bool is_same_stop(const struct stop_task *task)
{
        return stop_switch_n_waits(&task->switched, task->restart.continued_ns) <= 1;
}

static void add_deadline(struct stop_guardian *g, const struct stop_task *task)
{
        for (size_t i = 0; i < g->deadlines.n; i++) {
                if (g->deadlines.tids[i] == task->tid)
                        return;
        }
        ARRAY_PUSH(g->deadlines.tids, g->deadlines.n, g->deadlines.cap, task->tid);
}

static void set_deadline(struct stop_guardian *g, struct stop_task *task, const struct user_regs_struct *regs,
                         const struct call *call, uint64_t now_ns)
{
        uint64_t timeout_ns = timeout_of(task, regs, call);
        uint64_t began_ns = g->start.is_paced ? stop_pace_quiet_ns(task)
                                              : stop_switch_began_ns(&task->switched, MOST_RUN_NS);

        task->restart.is_followed = timeout_ns != NO_END;
        if (!task->restart.is_followed)
                return;
        task->restart.deadline_ns = (began_ns ? began_ns : now_ns) + timeout_ns;
        add_deadline(g, task);
}

/* The call returned EINTR, or is about to begin anew. */
static void begin_anew(struct stop_guardian *g, struct stop_task *task, struct user_regs_struct *regs,
                       const struct call *call)
{
        uint64_t now_ns = os_monotonic_ns();

        if (!task->restart.is_followed) {
                stop_switch_begin(g, task->process);
                set_deadline(g, task, regs, call, now_ns);
        }
        task->restart.is_inside = false;
        if (task->restart.is_followed && now_ns >= task->restart.deadline_ns) {
                forget(task);
                set_result(task->tid, regs, call->result);
        } else if ((int64_t)regs->rax != -ERESTARTNOHAND) {
                set_result(task->tid, regs, -ERESTARTNOHAND);
        }
}

/* A job's stop makes these calls return EINTR without tracing, too, also after other signals. */
static void see_job_stop(struct stop_guardian *g, struct stop_task *task, struct user_regs_struct *regs)
{
        stop_switch_begin(g, task->process);
        if (find_call(regs) && (int64_t)regs->rax == -ERESTARTNOHAND)
                set_result(task->tid, regs, -EINTR);
        forget(task);
        task->restart.was_job_stop = true;
}

static bool is_interrupted(const struct user_regs_struct *regs)
{
        int64_t result = (int64_t)regs->rax;

        return result == -EINTR || result == -ERESTARTNOHAND;
}

void stop_restart_see(struct stop_guardian *g, struct stop_task *task, enum stop_next next, int sig)
{
        struct user_regs_struct regs;
        const struct call *call;

        if (!get_regs(task->tid, &regs))
                return;
        call = find_call(&regs);
        stop_switch_drain(g);
        if (next == STOP_JOB_STOPS)
                see_job_stop(g, task, &regs);
        else if (!call || !is_interrupted(&regs) || (sig && stop_status_handles(task->tid, sig)))
                forget(task);
        else if (!task->restart.was_job_stop || !is_same_stop(task))
                begin_anew(g, task, &regs, call);
        task->restart.continued_ns = os_monotonic_ns();
}

/* If a signal follows, it is seen by stop_restart_see. It may as well be that another thread has received
 * it. */
void stop_restart_see_call(struct stop_guardian *g, struct stop_task *task)
{
        struct user_regs_struct regs;
        const struct call *call = get_regs(task->tid, &regs) ? find_call(&regs) : NULL;

        if (call && (int64_t)regs.rax == -ENOSYS && !task->restart.is_inside)
                task->restart.is_inside = true;
        else if (call && is_interrupted(&regs))
                begin_anew(g, task, &regs, call);
        else
                forget(task);
        task->restart.continued_ns = os_monotonic_ns();
}

bool stop_restart_follows(const struct stop_task *task)
{
        return task->restart.is_followed;
}

/* --- deadlines --- */

void stop_restart_look(struct stop_guardian *g)
{
        struct stop_deadlines *deadlines = &g->deadlines;
        uint64_t now_ns = deadlines->n ? os_monotonic_ns() : 0;
        size_t n_left = 0;

        for (size_t i = 0; i < deadlines->n; i++) {
                struct stop_task *task = stop_task_find(g, deadlines->tids[i]);

                if (!task || !task->restart.is_followed)
                        continue;
                deadlines->tids[n_left++] = task->tid; /* until its call has returned */
                if (now_ns < task->restart.deadline_ns || !task->restart.is_inside)
                        continue;
                ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL);
                task->restart.is_inside = false;
        }
        deadlines->n = n_left;
}

uint64_t stop_restart_wait_ns(const struct stop_guardian *g)
{
        uint64_t now_ns = g->deadlines.n ? os_monotonic_ns() : 0, least = 0;

        for (size_t i = 0; i < g->deadlines.n; i++) {
                const struct stop_task *task = stop_task_find(g, g->deadlines.tids[i]);
                uint64_t left_ns = task && task->restart.deadline_ns > now_ns + NS_PER_MS
                                           ? task->restart.deadline_ns - now_ns
                                           : NS_PER_MS;

                least = !least || left_ns < least ? left_ns : least;
        }
        return least;
}

bool stop_restart_can_once(void)
{
        return true;
}

/* A timeout begins anew, too: the thread has waited for less than the time that the stop took. */
void stop_restart_once(int32_t tid)
{
        struct user_regs_struct regs;

        if (get_regs(tid, &regs) && is_interrupted(&regs) && find_call(&regs))
                set_result(tid, &regs, -ERESTARTNOHAND);
}

#else

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

/* A call that begins anew is before its instruction, any other one behind it. */
enum stop_standing stop_restart_standing(int32_t tid)
{
        const uint32_t svc = 0xd4000001;
        struct user_regs_struct regs;
        struct iovec all = {&regs, sizeof(regs)};
        uint32_t code[2];

        if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) || all.iov_len != sizeof(regs))
                return STOP_STANDING_UNKNOWN;
        if (!stop_call_read_memory(tid, regs.pc - sizeof(code[0]), code, sizeof(code)))
                return STOP_IN_CODE;
        if (code[1] == svc || (code[0] == svc && (int64_t)regs.regs[0] == -EINTR))
                return STOP_IN_BROKEN_CALL;
        return code[0] == svc ? STOP_IN_CALL : STOP_IN_CODE;
}

/* On arm64 the kernel decides before the stop whether a call begins anew. */
void stop_restart_see(struct stop_guardian *g, struct stop_task *task, enum stop_next next, int sig)
{
        (void)g;
        (void)task;
        (void)next;
        (void)sig;
}

void stop_restart_see_call(struct stop_guardian *g, struct stop_task *task)
{
        (void)g;
        (void)task;
}

bool stop_restart_follows(const struct stop_task *task)
{
        (void)task;
        return false;
}

void stop_restart_look(struct stop_guardian *g)
{
        (void)g;
}

uint64_t stop_restart_wait_ns(const struct stop_guardian *g)
{
        (void)g;
        return 0;
}

bool stop_restart_can_once(void)
{
        return false;
}

void stop_restart_once(int32_t tid)
{
        (void)tid;
}

#endif
