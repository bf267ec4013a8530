/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the unwinding information of JIT code in a report: in its jitdump, by the bytes of the code, or,
 * for CPython's trampolines, by its name. */
#ifndef STACK_JIT_H
#define STACK_JIT_H

#include "map.h"
#include "module_source.h"
#include "unwind.h"

/* Zero-initialised but for `modules` is ready. */
struct stack_jit {
        struct module_source *modules;
        struct map by_function; /* module and start -> index + 1 */
        struct jit_function *functions;
        size_t n_functions, cap_functions;
};

void stack_jit_release(struct stack_jit *jit);

/* Code that a process made, at `addr`; the offset in the module as in struct place. */
struct stack_jit_place {
        module_id module;
        uint64_t offset, addr;
};

/* Adds the call-frame information of the code to *module, and limits the module's range to this code. */
void stack_jit_find(struct stack_jit *jit, const struct stack_jit_place *at, enum object_machine machine,
                    struct unwind_module *module);

bool stack_jit_read_code(struct stack_jit *jit, const struct stack_jit_place *at, uint8_t *ret_code,
                         size_t size);
bool stack_jit_is_trampoline(struct stack_jit *jit, const struct stack_jit_place *at);

#endif
