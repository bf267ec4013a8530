/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells at the start of a thread whether it blocks SIGTRAP. C libraries start threads with all signals
 * blocked, and keep the mask that the thread sets first in a place that has the same distance from the
 * thread pointer in each thread of a program. The distance is learned from the system call by which the
 * first new thread of a program sets that mask. */
#include <signal.h>
#include <sys/ptrace.h>

#include "os.h"
#include "stop_internal.h"

#define TRAP_BIT (1ull << (SIGTRAP - 1))

enum {
        MASK_BYTES = 8,
        MOST_CALLS = 16, /* system calls of a new thread until it sets its mask */
        LONGEST = 65536, /* distance between the thread pointer and the mask */
};

static enum stop_saved of_mask(uint64_t mask)
{
        return mask & TRAP_BIT ? STOP_SAVED_BLOCKS : STOP_SAVED_OPEN;
}

enum stop_saved stop_saved_at_clone(struct stop_task *task)
{
        struct stop_process *process = task->process;
        uint64_t mask;

        if (ptrace(PTRACE_GETSIGMASK, task->tid, (void *)MASK_BYTES, &mask))
                return STOP_SAVED_NOT_KNOWN;
        if (!(mask & TRAP_BIT))
                return STOP_SAVED_OPEN;
        if (process->saved == STOP_SAVED_FOUND)
                return stop_call_read_memory(task->tid, stop_sample_tls(task->tid) + process->saved_off,
                                             &mask, sizeof(mask))
                               ? of_mask(mask)
                               : STOP_SAVED_NOT_KNOWN;
        if (process->saved == STOP_SAVED_NOT_SEARCHED)
                task->n_calls = MOST_CALLS;
        return STOP_SAVED_NOT_KNOWN;
}

/* No code of the program runs before, so the first call that sets the mask is the C library's. */
enum stop_saved stop_saved_at_call(struct stop_task *task)
{
        struct stop_process *process = task->process;
        struct stop_call call;
        uint64_t mask, off;

        if (!stop_call_read(task->tid, &call))
                return STOP_SAVED_NOT_KNOWN; /* the call returns */
        if (!stop_call_sets_mask(&call) ||
            !stop_call_read_memory(task->tid, call.args[1], &mask, sizeof(mask))) {
                if (!--task->n_calls)
                        process->saved = STOP_SAVED_NOWHERE;
                return STOP_SAVED_NOT_KNOWN;
        }
        task->n_calls = 0;
        off = call.args[1] - stop_sample_tls(task->tid);
        process->saved_off = off;
        process->saved = off + LONGEST < 2 * LONGEST ? STOP_SAVED_FOUND : STOP_SAVED_NOWHERE;
        return of_mask(mask);
}
