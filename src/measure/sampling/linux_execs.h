/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes samples in execve after the kernel has freed the memory of the old program: its stack is gone,
 * the registers are still those of its call, and the new program has not begun. */
#ifndef LINUX_EXECS_H
#define LINUX_EXECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind.h"

enum { EXECS_MAX = 64 };

/* The processes that have executed a program and not yet run a sampled instruction of it; the oldest are
 * forgotten. Zero-initialize before use. */
struct execs {
        int32_t pids[EXECS_MAX]; /* 0: none */
        size_t n_begun;
};

/* The kernel has named the new program. */
void execs_begin(struct execs *execs, int32_t pid);

/* The process was seen in user code. */
void execs_end(struct execs *execs, int32_t pid);

/* Whether a sample in the kernel was taken in the middle of execve. Nothing could be unwound from `pc`, the
 * user code that called the kernel. `module` has the mapping at `pc`; NULL if there is none. */
bool execs_has(const struct execs *execs, int32_t pid, const struct unwind_module *module, uint64_t pc);

#endif
