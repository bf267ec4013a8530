/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes run CPython, and by which pointer the interpreter knows each of their threads. What is not
 * known yet is looked up again later, after twice the time each time. */
#ifndef PEEK_PROCESS_H
#define PEEK_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "stop_binary.h"

struct peek_processes;

/* `binaries` belongs to the caller. `end` is called with the image of a program that has ended. */
struct peek_processes *peek_processes_new(struct stop_binaries *binaries,
                                          void (*end)(void *ctx, uint32_t image), void *ctx);
void peek_processes_free(struct peek_processes *processes);
AUTO_DEFINE(peek_processes)

struct peek_thread {
        uint32_t image;   /* a new number for each program */
        uint64_t pointer; /* pthread_self() */
};

/* False if the process runs no CPython, or if its interpreter does not know the thread. */
bool peek_processes_find(struct peek_processes *processes, int32_t pid, int32_t tid, uint64_t now_ns,
                         struct peek_thread *ret);

/* The process has ended, or executes another program. */
void peek_processes_forget(struct peek_processes *processes, int32_t pid);

/* The thread has ended. */
void peek_processes_forget_thread(struct peek_processes *processes, int32_t pid, int32_t tid);

#endif
