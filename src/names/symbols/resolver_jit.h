/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of JIT code: of a jitdump, and of a perf map. */
#ifndef RESOLVER_JIT_H
#define RESOLVER_JIT_H

#include "resolver_internal.h"

/* Sets the line of an address in a load of the jitdump. */
void resolver_jit_add_line(struct resolver *resolver, struct symbol_module *module, size_t load,
                           uint64_t addr, struct resolver_frame *frame);

#endif
