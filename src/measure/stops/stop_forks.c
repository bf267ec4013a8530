/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that a traced process has forked. One that continues in its parent's program is traced after it
 * has used some CPU time, and never while it shares its parent's memory: before that it may execute another
 * program, which must not be slowed down or lose its privilege, or it may start a debugger. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

/* CPU time within which most children execute another program. Not elapsed time, which could pass on a busy
 * machine before the child runs. */
#define GRACE_NS 2000000ull

/* Shortest time between two checks of a child, and the longest: of one that waits. */
#define LEAST_PAUSE_NS 500000ull
#define MOST_PAUSE_NS  8000000ull

void stop_forks_add(struct stop_forks *forks, int32_t pid, int32_t parent)
{
        const struct stop_fork child = {pid, parent, os_monotonic_ns() + GRACE_NS, 0, 0};

        ARRAY_PUSH(forks->items, forks->n, forks->cap, child);
}

void stop_forks_drop(struct stop_forks *forks, int32_t pid)
{
        for (size_t i = 0; i < forks->n; i++) {
                if (forks->items[i].pid == pid)
                        forks->items[i--] = forks->items[--forks->n];
        }
}

bool stop_forks_have(const struct stop_forks *forks, int32_t pid)
{
        for (size_t i = 0; i < forks->n; i++) {
                if (forks->items[i].pid == pid)
                        return true;
        }
        return false;
}

void stop_forks_release(struct stop_forks *forks)
{
        free(forks->items);
        *forks = (struct stop_forks){0};
}

/* --- looking at them --- */

enum memory { SHARED, OWN, NOT_ALLOWED, NOT_KNOWN };

/* The parent of a vfork child waits for it, so if the parent has ended, the memory is not shared. */
static enum memory memory_of(const struct stop_fork *child)
{
        enum { KCMP_VM = 1 };
        long r = syscall(SYS_kcmp, child->pid, child->parent, KCMP_VM, 0, 0);

        if (r < 0)
                return errno == ESRCH ? OWN : errno == EPERM ? NOT_ALLOWED : NOT_KNOWN;
        return r ? OWN : SHARED;
}

/* False if the process has ended. */
static bool cpu_time_of(int32_t pid, uint64_t *ret_ns)
{
        struct timespec time;
        clockid_t clock;

        if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
                return false;
        *ret_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
        return true;
}

/* One that runs is checked when it may have used the time; the pauses of one that waits become longer. */
static void set_pause(struct stop_fork *child, uint64_t used_ns)
{
        uint64_t left_ns = used_ns < GRACE_NS ? GRACE_NS - used_ns : GRACE_NS;

        child->pause_ns = used_ns > child->used_ns ? left_ns : 2 * child->pause_ns;
        if (child->pause_ns < LEAST_PAUSE_NS)
                child->pause_ns = LEAST_PAUSE_NS;
        if (child->pause_ns > MOST_PAUSE_NS)
                child->pause_ns = MOST_PAUSE_NS;
        child->used_ns = used_ns;
}

/* True if the child has ended, or the tracer was asked to trace it. */
static bool look_at(struct stop_guardian *g, struct stop_fork *child)
{
        enum memory memory = memory_of(child);
        uint64_t used_ns;

        if (memory == NOT_KNOWN || !cpu_time_of(child->pid, &used_ns))
                return true;
        /* Without privilege to compare memory there is none to trace; the tracer then counts the process as
         * refused. */
        if ((memory == OWN || memory == NOT_ALLOWED) && used_ns >= GRACE_NS) {
                stop_late_ask(g, child->pid);
                return true;
        }
        set_pause(child, used_ns);
        return false;
}

void stop_forks_look(struct stop_guardian *g, struct stop_forks *forks)
{
        uint64_t now_ns = os_monotonic_ns();

        for (size_t i = 0; i < forks->n; i++) {
                struct stop_fork *child = &forks->items[i];

                if (child->due_ns > now_ns)
                        continue;
                if (look_at(g, child))
                        forks->items[i--] = forks->items[--forks->n];
                else
                        child->due_ns = now_ns + child->pause_ns;
        }
}

uint64_t stop_forks_due_ns(const struct stop_forks *forks)
{
        uint64_t due_ns = UINT64_MAX;

        for (size_t i = 0; i < forks->n; i++)
                due_ns = forks->items[i].due_ns < due_ns ? forks->items[i].due_ns : due_ns;
        return due_ns;
}
