/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that is stopped at its sample, for code that reads its memory. */
#ifndef STOP_THREAD_H
#define STOP_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "arch.h"

struct stop_thread {
        int32_t pid, tid;
        /* a new number for each traced program: a pid may execute another program or be reused */
        uint32_t image;
        uint64_t time_ns;             /* CLOCK_MONOTONIC, as in the thread's sample */
        uint64_t regs[ARCH_REGS_MAX]; /* by perf register number; those in arch.regs_user_mask */
        uint64_t tls;                 /* x86-64: fs base; arm64: tpidr_el0 */
        uint64_t stack_addr;          /* the stack pointer */
        const uint8_t *stack;         /* a copy of the stack from stack_addr on; valid during the callback */
        size_t stack_bytes;
};

/* Reads memory of a stopped thread, from the stack copy if possible. Returns how many bytes could be read
 * from `addr` on. */
size_t stop_thread_read(const struct stop_thread *thread, uint64_t addr, void *to, size_t size);

enum { STOP_MAX_PIECES = 64 };

struct stop_piece {
        uint64_t addr;
        void *to;
        size_t size;
};

/* Reads up to STOP_MAX_PIECES pieces with one system call. Returns how many of them were read completely,
 * from the first on. */
size_t stop_thread_read_pieces(const struct stop_thread *thread, const struct stop_piece *pieces, size_t n);

#endif
