/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread of wperf traces the stopped one. When the tracer ends, the kernel lets go what it traces, whether
 * it has stopped or not: so no thread remains traced that does not stop in time. */
#include "stop_once.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "linux_processes.h"
#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum { LOOK_NS = 10000, EVENT_SHIFT = 16 }; /* LOOK_NS: between two looks whether the thread has stopped */

struct stop_once {
        struct stop_thread *thread;
        uint64_t wait_ns;
        struct own_thread *tracer;
        sem_t has_tried, may_end;
        bool is_stopped;
};

/* *ret_signal: the signal that it is about to receive; 0: none. */
static bool wait_for_stop(const struct stop_once *once, int *ret_signal)
{
        const struct timespec pause = {.tv_nsec = LOOK_NS};
        uint64_t end_ns = os_monotonic_ns() + once->wait_ns;
        int32_t tid = once->thread->tid;
        int status;
        pid_t got;

        while (!(got = waitpid(tid, &status, __WALL | WNOHANG)) && os_monotonic_ns() < end_ns)
                nanosleep(&pause, NULL);
        if (got != tid || !WIFSTOPPED(status))
                return false;
        *ret_signal = status >> EVENT_SHIFT ? 0 : WSTOPSIG(status);
        return true;
}

static void wait_for(sem_t *sem)
{
        while (sem_wait(sem))
                continue;
}

static void *trace(void *ctx)
{
        struct stop_once *once = ctx;
        int32_t tid = once->thread->tid;
        int signal = 0;
        bool has_stopped = !ptrace(PTRACE_SEIZE, tid, NULL, NULL) &&
                           !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) && wait_for_stop(once, &signal);

        once->is_stopped = has_stopped && stop_sample_read_regs(once->thread);
        sem_post(&once->has_tried);
        wait_for(&once->may_end);
        if (has_stopped) {
                stop_restart_once(tid);
                ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
        }
        return NULL;
}

struct stop_once *stop_once_begin(uint64_t wait_ns, struct stop_thread *ret_thread)
{
        struct stop_once *once;

        if (!stop_restart_can_once())
                return NULL;
        once = mem_new(1, sizeof(*once));
        once->thread = ret_thread;
        once->wait_ns = wait_ns;
        sem_init(&once->has_tried, 0, 0);
        sem_init(&once->may_end, 0, 0);
        once->tracer = own_thread_start(trace, once);
        if (!once->tracer) {
                free(once);
                return NULL;
        }
        wait_for(&once->has_tried);
        if (once->is_stopped)
                return once;
        stop_once_end(once);
        return NULL;
}

void stop_once_end(struct stop_once *once)
{
        sem_post(&once->may_end);
        own_thread_join(once->tracer);
        sem_destroy(&once->has_tried);
        sem_destroy(&once->may_end);
        free(once);
}
