/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that stands at its sample, as the stop engine shows it to those who read its memory. */
#ifndef STOP_THREAD_H
#define STOP_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "arch.h"

struct stop_thread {
        int32_t pid, tid;
        uint32_t
                image; /* another number for each program that was seized: a pid may exec, or be used again */
        uint64_t time_ns;             /* CLOCK_MONOTONIC, the same as in the thread's sample */
        uint64_t regs[ARCH_REGS_MAX]; /* by perf register number: those of arch.regs_user_mask */
        uint64_t tls;                 /* x86-64: fs base; arm64: tpidr_el0 */
        uint64_t stack_addr;          /* the stack pointer */
        const uint8_t *stack;         /* a copy of the stack from there on; valid during the callback */
        size_t stack_bytes;
};

/* Reads the memory of a thread that stands, from the copy of its stack where that has it.  Returns how many of the bytes from
 * `addr` on could be read. */
size_t stop_thread_read(const struct stop_thread *thread, uint64_t addr, void *to, size_t size);

enum { STOP_MAX_PIECES = 64 };

struct stop_piece {
        uint64_t addr;
        void *to;
        size_t size;
};

/* The same for several pieces by one system call, at most STOP_MAX_PIECES.  Returns how many were read, from the first on. */
size_t stop_thread_read_pieces(const struct stop_thread *thread, const struct stop_piece *pieces, size_t n);

#endif
