/* SPDX-License-Identifier: BSD-3-Clause */
/* In a child, locks that another thread held at the fork are held for ever. The C library mends its own, but
 * not those of a sanitizer's allocator or of other libraries. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_processes.h"
#include "mem.h"

struct own_thread {
        pthread_t id;
};

/* A program that uses libwperf measures with one thread at a time, but starts and joins may be in two. */
static atomic_uint n_running;

struct own_thread *own_thread_start(void *(*run)(void *ctx), void *ctx)
{
        struct own_thread *thread = mem_new(1, sizeof(*thread));
        sigset_t all, before;
        bool ok;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        ok = !pthread_create(&thread->id, NULL, run, ctx);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (ok) {
                atomic_fetch_add(&n_running, 1);
                return thread;
        }
        free(thread);
        return NULL;
}

void own_thread_join(struct own_thread *thread)
{
        if (!thread)
                return;
        pthread_join(thread->id, NULL);
        atomic_fetch_sub(&n_running, 1);
        free(thread);
}

/* The kernel's layout; C libraries may not know it. */
struct scheduling {
        uint32_t size_bytes, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
};

bool own_thread_be_prompt(void)
{
        enum { TURN_NS = 100000 }; /* the shortest that the kernel knows */
        const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_RR)};
        struct scheduling turns = {.size_bytes = sizeof(turns), .runtime_ns = TURN_NS};

        if (!sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest))
                return true;
        syscall(SYS_sched_setattr, 0, &turns, 0);
        return false;
}

pid_t own_thread_fork(void)
{
        assert(!atomic_load(&n_running));
        return fork();
}
