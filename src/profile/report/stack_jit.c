/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_jit.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "resolver_code.h"
#include "text.h"
#include "unwind_cfi.h"

enum { MAX_FUNCTIONS = 1 << 16 }; /* when there are that many, all are forgotten */

/* Prefix of the names of CPython's trampolines, in perf maps and jitdumps. */
#define TRAMPOLINE_PREFIX "py::"

struct jit_function {
        struct cfi *cfi; /* NULL: the jitdump's unwinding information can't be used */
};

void stack_jit_release(struct stack_jit *jit)
{
        for (size_t i = 0; i < jit->n_functions; i++)
                cfi_free(jit->functions[i].cfi);
        free(jit->functions);
        map_release(&jit->by_function);
        *jit = (struct stack_jit){.modules = jit->modules};
}

void stack_jit_find(struct stack_jit *jit, const struct stack_jit_place *at, enum object_machine machine,
                    struct unwind_module *module)
{
        struct resolver_jit_frames found;
        uint64_t *known;

        if (!resolver_find_jit_frames(module_source_resolver(jit->modules),
                                      module_source_get(jit->modules, at->module), at->offset, at->addr,
                                      &found))
                return;
        if (jit->n_functions == MAX_FUNCTIONS)
                stack_jit_release(jit);
        /* The address of a table is unique for its code. */
        known = map_put(&jit->by_function, (uint64_t)(uintptr_t)found.frames.at ^ map_mix(found.start), NULL);
        if (!*known) {
                const struct jit_function made = {
                        cfi_open_frames(found.frames, found.frames_addr, machine, found.budget)};

                ARRAY_PUSH(jit->functions, jit->n_functions, jit->cap_functions, made);
                *known = jit->n_functions;
        }
        module->cfi = jit->functions[*known - 1].cfi;
        module->start = found.start > module->start ? found.start : module->start;
        module->end = found.end < module->end ? found.end : module->end;
}

bool stack_jit_read_code(struct stack_jit *jit, const struct stack_jit_place *at, uint8_t *ret_code,
                         size_t size)
{
        const uint8_t *code;

        if (!resolver_read_code(module_source_resolver(jit->modules),
                                module_source_get(jit->modules, at->module), at->offset, size, &code))
                return false;
        memcpy(ret_code, code, size);
        return true;
}

bool stack_jit_is_trampoline(struct stack_jit *jit, const struct stack_jit_place *at)
{
        struct resolver *resolver = module_source_resolver(jit->modules);
        struct symbol symbol =
                resolver_find(resolver, module_source_get(jit->modules, at->module), at->offset);

        return symbol.status == SYMBOL_NAMED &&
               text_starts(resolver_text(resolver, symbol.name), TRAMPOLINE_PREFIX);
}
