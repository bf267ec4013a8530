/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that Python programs give their threads, read from their memory while they run. Nothing is
 * stopped. */
#ifndef THREAD_NAMES_H
#define THREAD_NAMES_H

#include "attributes.h"
#include "stop_python.h"

enum {
        THREAD_NAME_MAX_BYTES = 100, /* longer names are cut */
        THREAD_NAMES_PART = 100,     /* reading takes this part of the time at most; */
        THREAD_NAMES_LIVE_PART = 400 /* in a live view, which reads for as long as it runs */
};

struct thread_names;

/* `binaries` must outlive the struct. */
struct thread_names *thread_names_new(struct stop_binaries *binaries, unsigned part_of_time);
void thread_names_free(struct thread_names *names);
AUTO_DEFINE(thread_names)

/* A thread has run Python. May be called by another thread than the other functions. */
void thread_names_see(struct thread_names *names, const struct stop_python_stack *stack);

/* Reads the names of new threads, and from time to time all names again, because a program may change them.
 * Call it often: it does nothing most of the time. */
void thread_names_read(struct thread_names *names);

/* The name of a thread if it is known and was not taken yet, else NULL; valid until the next call of
 * thread_names_read. Control characters are replaced. */
const char *thread_names_take(struct thread_names *names, uint32_t image, int32_t tid);

#endif
