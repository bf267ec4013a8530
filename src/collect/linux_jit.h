/* SPDX-License-Identifier: BSD-3-Clause */
/* The unwinding information that compilers write into their jitdumps while their processes run. */
#ifndef LINUX_JIT_H
#define LINUX_JIT_H

#include "linux_internal.h"
#include "unwind.h"
#include "world.h"

/* Zero-initialised but for `keeper` and `budget`, which are kept by the caller, is empty and ready. */
struct jit_dumps {
        const struct keeper *keeper;
        struct budget *budget;
        struct jit_dump *items; /* the newest: a ring when it is full */
        size_t n, cap, n_replaced;
        uint64_t round;
};

/* A process has mapped its jitdump. */
void jit_dumps_add(struct jit_dumps *dumps, int32_t pid, const struct module *module, const char *path);

/* The process executes another program. */
void jit_dumps_forget(struct jit_dumps *dumps, int32_t pid);

/* Files may be longer from now on. */
void jit_dumps_next_round(struct jit_dumps *dumps);

/* Adds the call-frame information of the code at `addr` to *module, and makes it as narrow as that code. */
void jit_dumps_find(struct jit_dumps *dumps, int32_t pid, uint64_t addr, struct unwind_module *module);
void jit_dumps_release(struct jit_dumps *dumps);

#endif
