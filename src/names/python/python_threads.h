/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a Python program gives its threads (threading.Thread.name). */
#ifndef PYTHON_THREADS_H
#define PYTHON_THREADS_H

#include "python_objects.h"
#include "python_runtime.h"

struct python_named_thread {
        uint64_t pointer;   /* pthread_self() */
        uint64_t native_id; /* gettid() in its PID namespace; 0: not known */
        const char *name;
};

/* Calls `see` for each thread that the module threading knows in any interpreter, the main interpreter last;
 * `see` must copy the name. Threads may begin and end meanwhile: entries that do not agree with themselves
 * are left out. `objects` is of the same runtime. */
void python_threads_each_name(const struct python_runtime *runtime, struct python_objects *objects,
                              void (*see)(void *ctx, const struct python_named_thread *thread), void *ctx);

#endif
