/* SPDX-License-Identifier: BSD-3-Clause */
/* One reading of a thread's state from /proc, without touching the thread. */
#ifndef WAIT_THREAD_H
#define WAIT_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wait_section.h"

/* What the kernel counts of a thread, as in /proc/PID/task/TID/schedstat. */
struct wait_times {
        uint64_t cpu_ns, queued_ns; /* on CPUs, and ready to run */
        uint64_t n_turns;           /* how often it got a CPU */
};

/* False if the thread has ended, or the kernel does not count this. */
bool wait_thread_parse_times(const char *text, struct wait_times *ret);
bool wait_thread_read_times(int32_t pid, int32_t tid, struct wait_times *ret);

struct wait_thread {
        char state;      /* as in /proc/PID/stat; 0 if the thread has ended */
        bool is_refused; /* its system call may not be read */
        bool is_running; /* on a CPU or ready to run, so that it has no saved registers */
        int32_t number;  /* of the system call; -1: it is in none */
        uint64_t args[WAIT_N_ARGS];
        uint64_t sp, pc;     /* valid unless is_running or is_refused */
        uint64_t n_switches; /* how often it has left a CPU */
        int32_t inner_tid;   /* its number in its own PID namespace */
        /* The system call was read between these times, by the clock of os_monotonic_ns. */
        uint64_t before_ns, after_ns;
};

/* Reads the state of a thread; false if it has ended. */
bool wait_thread_read(int32_t pid, int32_t tid, struct wait_thread *ret);

/* The parts of it: the text of /proc/PID/task/TID/status, false if the thread has ended, and that of syscall.
 */
bool wait_thread_parse_status(const char *text, struct wait_thread *ret);
void wait_thread_parse_call(const char *text, struct wait_thread *ret);

/* Whether a thread that waited has not run between two readings of its status: else it would be ready to run,
 * or have left a CPU once more. */
bool wait_thread_is_same(const struct wait_thread *before, const struct wait_thread *after);

/* The same for `before` and now. */
bool wait_thread_waits_on(int32_t pid, int32_t tid, const struct wait_thread *before);

/* Copies memory of a process; returns how many bytes could be read. */
size_t wait_read_some(int32_t pid, uint64_t addr, void *to, size_t size);

enum { WAIT_MAX_PIECES = 64 };

/* Copies n pieces of equal size, at most WAIT_MAX_PIECES, one after the other; returns the number of pieces
 * before the first one that can't be read. */
size_t wait_read_pieces(int32_t pid, const uint64_t *addrs, size_t n, void *to, size_t size);

/* False if part of it can't be read. */
bool wait_read_memory(int32_t pid, uint64_t addr, void *to, size_t size);

#endif
