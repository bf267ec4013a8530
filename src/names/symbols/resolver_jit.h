/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and lines of JIT code: of a jitdump, and of a perf map. */
#ifndef RESOLVER_JIT_H
#define RESOLVER_JIT_H

#include "resolver_internal.h"

/* Functions that are not in the jitdump may be in the perf map, up to the next function of the jitdump. */
enum symbol_status resolver_jit_find(struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit,
                                     bool *ret_is_of_jitdump);

/* False: only the range of addresses for which this is so is set. */
bool resolver_jit_find_in_dump(const struct symbol_module *module, uint64_t addr, struct symtab_hit *ret_hit);

/* Sets the line of an address in a load of the jitdump. */
void resolver_jit_add_line(struct resolver *resolver, struct symbol_module *module, size_t load,
                           uint64_t addr, struct resolver_frame *frame);

#endif
