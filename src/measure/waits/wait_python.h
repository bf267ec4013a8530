/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter of a process that is read from outside: which thread state belongs to which thread, who has
 * the GIL, and which Python lock a thread waits for. */
#ifndef WAIT_PYTHON_H
#define WAIT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "stop_binary.h"
#include "wait_maps.h"
#include "wait_section.h"

struct wait_python;

/* Reads the list of thread states. NULL if the process does not run a CPython that wperf can read. */
struct wait_python *wait_python_new(struct stop_binaries *binaries, int32_t pid);
void wait_python_free(struct wait_python *python);
AUTO_DEFINE(wait_python)

/* Reads the list again, because threads come and go. */
void wait_python_update(struct wait_python *python);

/* A thread as its interpreter knows it. */
struct wait_python_thread {
        uint64_t pointer; /* pthread_self() */
        uint64_t states[PYTHON_MAX_STATES];
        uint32_t n_states; /* 0: it has no thread state */
        bool has_gil;
};

/* `inner_tid` is the thread's number in its own PID namespace, `stack` its stack from the stack pointer on,
 * with end 0 if that is not known. */
struct wait_python_stack {
        uint64_t start, end;
};
void wait_python_find(struct wait_python *python, int32_t inner_tid, struct wait_python_stack stack,
                      struct wait_python_thread *ret);

/* The name of a thread in its program (threading.Thread.name), valid until the interpreter is freed; "" for
 * none. The first call reads the names of all threads. */
const char *wait_python_name(struct wait_python *python, int32_t inner_tid);

/* Sets the part of the reading that is about Python; `stack` is a copy of the thread's stack, in
 * which a lock is searched for; it may be empty. Numbers of
 * threads are those of the process's own PID namespace. */
void wait_python_see(struct wait_python *python, const struct wait_python_thread *thread,
                     const struct wait_maps *maps, const uint8_t *stack, size_t stack_bytes,
                     struct wait_reading *reading);

int32_t wait_python_pid(const struct wait_python *python);
struct python_runtime *wait_python_runtime(struct wait_python *python);

uint32_t wait_python_binary(const struct wait_python *python, uint64_t *ret_bias);

#endif
