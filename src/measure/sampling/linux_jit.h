/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinding information that compilers write into jitdumps while their processes run. */
#ifndef LINUX_JIT_H
#define LINUX_JIT_H

#include "linux_internal.h"
#include "unwind.h"
#include "world.h"

/* Zero-initialize, except for `keeper` and `budget`, which belong to the caller. */
struct jit_dumps {
        const struct keeper *keeper;
        struct budget *budget;
        struct jit_dump *items; /* the newest; a ring buffer when full */
        size_t n, cap, n_replaced;
        uint64_t round;
};

/* Adds the jitdump that a process has mapped. */
void jit_dumps_add(struct jit_dumps *dumps, int32_t pid, const struct module *module, const char *path);

/* Forgets the jitdump of a process that executes another program. */
void jit_dumps_forget(struct jit_dumps *dumps, int32_t pid);

/* Starts a round: files that have grown may be read again. */
void jit_dumps_next_round(struct jit_dumps *dumps);

/* Sets the call-frame information of *module for the code at `addr`, and narrows its range to that code. */
void jit_dumps_find(struct jit_dumps *dumps, int32_t pid, uint64_t addr, struct unwind_module *module);
void jit_dumps_release(struct jit_dumps *dumps);

#endif
