/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose system calls and waits are a row of their own: those of a thread, of a process, or of all threads
 * with the same name. */
#ifndef WAITERS_H
#define WAITERS_H

#include <stdint.h>

#include "buf.h"

enum waiters_by { WAITERS_ALL, WAITERS_BY_THREAD, WAITERS_BY_PROCESS, WAITERS_BY_COMM };

struct waiters {
        enum waiters_by by;
        const char *(*thread_name)(void *ctx, int32_t pid, int32_t tid); /* never NULL */
        void *ctx;
};

struct waiter {
        const char *name; /* of the thread; of a process that of its first thread; "": of all */
        int32_t pid, tid; /* 0: of several ones */
};

/* The name is that of thread_name. */
struct waiter waiters_find(const struct waiters *waiters, int32_t pid, int32_t tid);

/* The heading of a column: "thread", "process" or "comm"; "" for WAITERS_ALL. */
const char *waiters_word(enum waiters_by by);

/* Appends "worker (4711)", or the name alone. */
void waiters_add_text(enum waiters_by by, const struct waiter *waiter, struct buf *out);

#endif
