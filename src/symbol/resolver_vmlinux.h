/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own file with its debug information, for lines and code; names come from kallsyms.  The kernel runs at
 * another place than it was linked for: a function's address in both says how far off.  Code is as it was linked; what
 * the kernel patches when it starts is not in it. */
#ifndef RESOLVER_VMLINUX_H
#define RESOLVER_VMLINUX_H

#include "attributes.h"
#include "buf.h"
#include "kallsyms.h"
#include "object.h"
#include "resolver.h"
#include "resolver_debug.h"

struct resolver_vmlinux;

/* Looks for the file with the kernel's build id: where debug files are, and under the names that distributions give
 * it for the release that runs here.  Never fails; what is missing is said in `note`, which outlives it as `options`
 * do.  A kernel module has none. */
struct resolver_vmlinux *resolver_vmlinux_new(const struct resolver_module *kernel,
                                              const struct resolver_options *options, struct buf *note);
void resolver_vmlinux_free(struct resolver_vmlinux *vmlinux);

/* Finds out how far off the kernel runs, by the function at `addr`; false: it is not known, and nothing is to be asked. */
bool resolver_vmlinux_place(struct resolver_vmlinux *vmlinux, struct kallsyms *kallsyms, uint64_t addr);

/* After it has been placed: what to take from an address of the running kernel, the file, and its debug information. */
uint64_t resolver_vmlinux_slide(const struct resolver_vmlinux *vmlinux);
const struct object *resolver_vmlinux_object(const struct resolver_vmlinux *vmlinux);
struct resolver_debug *resolver_vmlinux_debug(struct resolver_vmlinux *vmlinux);

bool resolver_vmlinux_check(const struct resolver_vmlinux *vmlinux, struct err *err);

#endif
