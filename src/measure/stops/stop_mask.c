/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that block SIGTRAP. The kernel then leaves the signal of an overflow pending on the thread, where
 * sigwait and signalfd would find it, so such a thread gets no event, or loses it, and a signal that came
 * before is taken out of its queue; it is stopped without events instead (stop_pace.c), or its samples stay
 * the ring's. C libraries block all signals for a moment when threads begin and end, so one reading does not
 * count. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

#define TRAP_BIT (1ull << (SIGTRAP - 1))

enum { SET_BYTES = 8 }; /* of a signal mask */

/* From the start of a thread to the first reading: it has then usually left the C library's clone. */
#define NEW_READING_NS 200000ull

/* Threads of a program that end with few samples before later ones have their event from the start. */
enum { SHORT_THREADS = 32 };

/* From the first reading that found SIGTRAP blocked to the second. */
#define SECOND_READING_NS 400000ull

/* From the first reading to the second if a signal waits, which the thread may find soon. */
#define PROMPT_READING_NS 100000ull

/* From the first reading that found SIGTRAP no longer blocked to the second. */
#define UNBLOCKED_READING_NS 5000000ull

/* --- overruns --- */

enum { N_FIRED = 256 };

/* Descriptors of events that overflowed, written by the signal handler, which runs on the tracer's thread.
 * If there are more, the next overflow of the same event tells again. */
static volatile int fired[N_FIRED];
static volatile unsigned n_written, n_taken;

static void see_overrun(int sig, siginfo_t *info, void *context)
{
        (void)sig;
        (void)context;
        if (n_written - n_taken >= N_FIRED)
                return;
        fired[n_written % N_FIRED] = info->si_fd;
        n_written = n_written + 1;
}

void stop_mask_init(void)
{
        struct sigaction action = {.sa_sigaction = see_overrun, .sa_flags = SA_SIGINFO};

        sigfillset(&action.sa_mask);
        n_written = n_taken = 0;
        sigaction(stop_tracer_overrun_signal(), &action, NULL);
}

/* --- a thread gets or loses its event --- */

static void keep(struct stop_guardian *g, struct stop_task *task)
{
        if (!task->is_kept)
                stop_channel_add(g->channel, STOP_KEPT_BEGIN, task->tid, task->stopped_ns, NULL, 0);
        task->is_kept = true;
}

/* The kernel refuses events of processes that are not dumpable, as a process may become (prctl) after it
 * was traced. */
static void see_refusal(struct stop_guardian *g, struct stop_task *task, int error)
{
        struct stop_process *process = task->process;

        if (error == EACCES || error == EPERM) {
                if (!process->is_hidden)
                        stop_refusal_note(g, process->pid);
                process->is_hidden = true;
        } else {
                g->facts->counts.n_not_opened += !task->is_counted;
                task->is_counted = true;
        }
}

static void end_keeping(struct stop_guardian *g, struct stop_task *task)
{
        if (task->is_kept)
                stop_channel_add(g->channel, STOP_KEPT_END, task->tid, os_monotonic_ns(), NULL, 0);
        task->is_kept = false;
}

static void give_event(struct stop_guardian *g, struct stop_task *task, bool may_block_soon)
{
        if (!stop_event_open(g, task, may_block_soon)) {
                see_refusal(g, task, errno);
                keep(g, task);
                return;
        }
        stop_pace_drop(g, task);
        end_keeping(g, task);
}

static void take_event(struct stop_guardian *g, struct stop_task *task)
{
        stop_event_close(g, task);
        task->was_blocked = task->process->has_blocked = true;
        if (stop_pace_add(g, task)) {
                g->facts->counts.n_paced += !task->is_counted;
                end_keeping(g, task);
        } else {
                g->facts->counts.n_blocking += !task->is_counted;
                keep(g, task);
        }
        task->is_counted = true;
}

/* No C library runs yet that would block it for a moment. */
bool stop_mask_at_exec(struct stop_guardian *g, struct stop_task *task)
{
        uint64_t mask = 0;

        task->stopped_ns = os_monotonic_ns();
        if (!ptrace(PTRACE_GETSIGMASK, task->tid, (void *)SET_BYTES, &mask) && mask & TRAP_BIT)
                take_event(g, task);
        else
                give_event(g, task, false);
        return task->event_fd >= 0 || task->was_blocked;
}

/* A thread may begin with SIGTRAP not blocked, block it, and look for signals before its mask is read. So
 * threads have their event from the start only in programs whose threads mostly end after a few periods,
 * and have not blocked SIGTRAP so far. The others lose the few samples of their first 0.2 ms, and all if
 * they end within the first period. */
static bool may_block_soon(const struct stop_process *process)
{
        return process->has_blocked || !process->has_short;
}

void stop_mask_at_end(struct stop_task *task)
{
        struct stop_process *process = task->process;

        if (task->n_samples == STOP_MANY_SAMPLES)
                process->n_long++;
        else
                process->n_short++;
        process->has_short |= process->n_short >= SHORT_THREADS && process->n_short > process->n_long;
}

void stop_mask_at_clone(struct stop_guardian *g, struct stop_task *task)
{
        enum stop_saved saved = stop_saved_at_clone(task);

        task->stopped_ns = os_monotonic_ns();
        if (saved == STOP_SAVED_OPEN && !may_block_soon(task->process))
                give_event(g, task, false);
        else
                keep(g, task);
        task->is_new = true;
        stop_mask_ask(g, task->tid, task->stopped_ns + NEW_READING_NS);
}

void stop_mask_at_call(struct stop_guardian *g, struct stop_task *task)
{
        if (stop_saved_at_call(task) == STOP_SAVED_OPEN && !may_block_soon(task->process))
                give_event(g, task, false);
        else if (!task->n_calls &&
                 task->event_fd < 0) /* it may have been stopped when its mask was to be read */
                stop_mask_ask(g, task->tid, os_monotonic_ns() + NEW_READING_NS);
}

void stop_mask_at_seize(struct stop_guardian *g, struct stop_task *task)
{
        task->stopped_ns = os_monotonic_ns();
        keep(g, task);
        stop_mask_ask(g, task->tid, 0);
}

void stop_mask_at_stop(struct stop_guardian *g, struct stop_task *task, uint64_t before_ns)
{
        task->n_blocked = 0;
        task->n_samples += task->n_samples < STOP_MANY_SAMPLES;
        if (task->event_fd >= 0) /* not if the process has hidden its memory */
                stop_steady_see_stop(g, task, before_ns);
}

/* --- readings --- */

void stop_mask_ask(struct stop_guardian *g, int32_t tid, uint64_t due_ns)
{
        os_lock_enter(g->lock);
        ARRAY_PUSH(g->readings, g->n_readings, g->cap_readings, ((struct stop_reading){tid, due_ns}));
        atomic_store(&g->has_readings, true);
        os_lock_leave(g->lock);
}

static bool next_due(struct stop_guardian *g, uint64_t now_ns, int32_t *ret_tid)
{
        bool is_found = false;

        os_lock_enter(g->lock);
        for (size_t i = 0; i < g->n_readings && !is_found; i++) {
                if (g->readings[i].due_ns > now_ns)
                        continue;
                *ret_tid = g->readings[i].tid;
                g->readings[i] = g->readings[--g->n_readings];
                is_found = true;
        }
        atomic_store(&g->has_readings, g->n_readings);
        os_lock_leave(g->lock);
        return is_found;
}

/* While a signal of the program's own waits, the kernel drops those of the event. */
static void take_pending(struct stop_task *task)
{
        if (task->taking == STOP_NOT_TAKING && !task->has_own_trap &&
            !ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL))
                task->taking = STOP_WAITS_FOR_STOP;
}

/* Whether the thread has left the code that blocked SIGTRAP at the first reading, if that was the C
 * library's: it waits, or it has run since. Time that passes does not tell, because it may wait for a CPU.
 * A thread that creates threads is in such code again and again: two readings in a row found a thread there
 * that starts 3,000 others, in 5 of 35 runs. */
static bool is_later(const struct stop_task *task, const struct stop_status *status)
{
        enum { MOMENTS_OF_LIBRARY = 20 };

        if (status->blocks_internal && task->n_blocked < MOMENTS_OF_LIBRARY)
                return false;
        if (task->event_fd < 0)
                return true;
        if (status->blocks_internal)
                return stop_event_has_run(task, task->first_blocked, MOMENTS_OF_LIBRARY);
        return status->state == 'S' || stop_event_has_run(task, task->first_blocked, 1);
}

/* A signal waits, and it is the program that blocks it, which may look for it soon. */
static bool is_urgent(const struct stop_status *status)
{
        return status->is_pending && !status->blocks_internal;
}

/* At the first reading of a new thread it has left the code of the C library that starts it, so that it is
 * the program that blocks SIGTRAP, and may soon look for signals. */
static bool is_own_from_start(struct stop_task *task, const struct stop_status *status)
{
        bool is_new = task->is_new;

        task->is_new = false;
        return is_new && task->event_fd >= 0 && !status->blocks_internal;
}

/* A thread that has just left sigtimedwait, and has not got a CPU yet, seems to block nothing, so a thread
 * that blocked SIGTRAP gets its event after two readings. */
static void see_unblocked(struct stop_guardian *g, struct stop_task *task)
{
        task->n_blocked = 0;
        if (task->process->is_hidden)
                return;
        if (task->event_fd < 0) {
                if (task->was_blocked && !task->n_unblocked++) {
                        stop_mask_ask(g, task->tid, os_monotonic_ns() + UNBLOCKED_READING_NS);
                        return;
                }
                task->n_unblocked = 0;
                give_event(g, task, true);
        }
        if (task->event_fd >= 0)
                stop_event_expect(g, task);
}

/* Reads the mask of a thread that runs or waits. */
static void read_mask(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_status status = stop_status_read(task->tid);
        bool is_own;

        /* A job may be stopped for hours; when it runs, an overrun asks again. */
        if (status.state == 't' || status.state == 'T') {
                if (task->n_calls)
                        stop_mask_ask(g, task->tid, os_monotonic_ns() + UNBLOCKED_READING_NS);
                return;
        }
        task->has_own_trap = task->has_own_trap && status.is_pending;
        if (!status.blocks) {
                task->is_new = false;
                see_unblocked(g, task);
                return;
        }
        task->n_unblocked = 0;
        is_own = is_own_from_start(task, &status);
        if (!is_own && !is_urgent(&status) && (!task->n_blocked || !is_later(task, &status))) {
                if (!task->n_blocked++)
                        task->first_blocked = stop_event_count(task);
                stop_mask_ask(g, task->tid,
                              os_monotonic_ns() +
                                      (status.is_pending ? PROMPT_READING_NS : SECOND_READING_NS));
                return;
        }
        take_event(g, task);
        if (status.is_pending)
                take_pending(task);
}

void stop_mask_read_due(struct stop_guardian *g)
{
        struct stop_task *task;
        int32_t tid;

        while (n_taken != n_written) {
                const uint64_t *owner = map_find(&g->overruns, (uint64_t)fired[n_taken % N_FIRED]);

                n_taken = n_taken + 1;
                task = owner ? stop_task_find(g, (int32_t)*owner) : NULL;
                if (task)
                        read_mask(g, task);
        }
        if (!atomic_load(&g->has_readings))
                return;
        for (uint64_t now_ns = os_monotonic_ns(); next_due(g, now_ns, &tid);) {
                task = stop_task_find(g, tid);
                if (task)
                        read_mask(g, task);
        }
}

/* --- taking the signal out --- */

/* Finds the SIGTRAP in the queue of a stopped thread. */
static bool find_trap(int32_t tid, siginfo_t *ret)
{
        struct __ptrace_peeksiginfo_args args = {.nr = 1};

        for (; ptrace(PTRACE_PEEKSIGINFO, tid, &args, ret) == 1; args.off++) {
                if (ret->si_signo == SIGTRAP)
                        return true;
        }
        return false;
}

static bool set_mask(int32_t tid, uint64_t mask)
{
        return !ptrace(PTRACE_SETSIGMASK, tid, (void *)SET_BYTES, &mask);
}

/* The kernel delivers a synchronous signal before all others, so no handler of the program sees the mask in
 * between. */
bool stop_mask_take_out(struct stop_guardian *g, struct stop_task *task, int sig, bool is_signal)
{
        siginfo_t info;

        if (task->taking == STOP_WAITS_FOR_STOP && !is_signal && sig == SIGTRAP) {
                bool is_found = find_trap(task->tid, &info), is_ours = is_found && stop_trace_is_ours(&info);

                task->taking = STOP_NOT_TAKING;
                task->has_own_trap = is_found && !is_ours;
                if (is_ours && !ptrace(PTRACE_GETSIGMASK, task->tid, (void *)SET_BYTES, &task->mask) &&
                    set_mask(task->tid, task->mask & ~TRAP_BIT))
                        task->taking = STOP_WAITS_FOR_SIGNAL;
                stop_trace_go_on(g, task->tid, 0);
                return true;
        }
        if (task->taking == STOP_WAITS_FOR_SIGNAL && is_signal) {
                bool is_ours = sig == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info) &&
                               stop_trace_is_ours(&info);

                set_mask(task->tid, task->mask);
                task->taking = STOP_NOT_TAKING;
                /* A signal that is blocked again goes back into the queue. */
                stop_trace_go_on(g, task->tid, is_ours ? 0 : sig);
                return true;
        }
        return false;
}

/* --- the end of tracing --- */

/* CPU time after which a thread has received a signal that was on its way. */
#define RAN_NS 100000ull

void stop_mask_begin_end(struct stop_guardian *g)
{
        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task; task = task->next)
                        task->ran_ns = stop_status_ran_ns(task->tid);
        }
}

static bool is_clear(struct stop_task *task)
{
        struct stop_status status = stop_status_read(task->tid);

        if (!status.state || status.state == 'Z' || status.state == 'X')
                return true;
        if (status.is_pending && status.blocks)
                take_pending(task);
        if ((status.is_pending && !task->has_own_trap) || task->taking != STOP_NOT_TAKING ||
            status.state == 't')
                return false;
        return status.state != 'R' || stop_status_ran_ns(task->tid) > task->ran_ns + RAN_NS;
}

bool stop_mask_is_clear(struct stop_guardian *g)
{
        bool all = true;

        for (struct stop_process *p = g->processes; p; p = p->next) {
                for (struct stop_task *task = p->tasks; task; task = task->next)
                        all &= is_clear(task);
        }
        return all;
}
