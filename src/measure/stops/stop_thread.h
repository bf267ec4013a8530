/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that is stopped at its sample, for code that reads its memory. */
#ifndef STOP_THREAD_H
#define STOP_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "os.h"

/* Memory of a thread that is not stopped, as it was at its sample. */
struct stop_memory {
        bool (*read)(void *ctx, uint64_t addr, void *to, size_t size);
        void *ctx;
};

struct stop_thread {
        const struct stop_memory *memory; /* NULL: that of the thread itself is read */
        /* with `memory`: the number of the file that defines the interpreter, and its bias */
        uint32_t binary;
        uint64_t bias;
        /* with `memory`: the thread states, as struct python_thread has them */
        uint32_t n_states;
        const uint64_t *states;
        int32_t pid, tid;
        /* a new number for each traced program: a pid may execute another program or be reused */
        uint32_t image;
        uint64_t until_ns;            /* with `memory`: when it was copied completely */
        int32_t gil_holder;           /* with `memory`: as in struct wait_reading; 0: nobody, or not known */
        bool has_gil;                 /* with `memory`: it is this thread */
        uint64_t time_ns;             /* CLOCK_MONOTONIC, as in the thread's sample */
        uint64_t regs[ARCH_REGS_MAX]; /* by perf register number; those in arch.regs_user_mask */
        uint64_t pc;
        uint64_t tls;         /* x86-64: fs base; arm64: tpidr_el0; on Windows the thread's id */
        void *process;        /* on Windows a handle of its process */
        uint64_t stack_addr;  /* the stack pointer */
        const uint8_t *stack; /* a copy of the stack from stack_addr on; valid during the callback */
        size_t stack_bytes;
};

/* Reads memory of a stopped thread, from the stack copy if possible. Returns how many bytes could be read
 * from `addr` on. */
size_t stop_thread_read(const struct stop_thread *thread, uint64_t addr, void *to, size_t size);

enum { STOP_MAX_PIECES = 128 };

struct stop_piece {
        uint64_t addr;
        void *to;
        size_t size;
};

/* Reads up to STOP_MAX_PIECES pieces with one system call. Returns how many of them were read completely,
 * from the first on. */
size_t stop_thread_read_pieces(const struct stop_thread *thread, const struct stop_piece *pieces, size_t n);

/* The number by which the interpreter may know the thread, besides `tls`: gettid() in its PID namespace. */
uint64_t stop_thread_native_id(const struct stop_thread *thread);

/* Finds a source file as the process sees it, or, if that has ended, as wperf does. False if there is
 * none. */
bool stop_thread_find_source(int32_t pid, const char *path, struct os_stat *ret);

#endif
