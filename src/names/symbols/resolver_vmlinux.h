/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's file with debug information, for lines and code; names come from kallsyms.  The kernel runs
 * at another address than it was linked for: the address of a function in both gives the slide.  Code is as
 * linked, without the kernel's patches at boot. */
#ifndef RESOLVER_VMLINUX_H
#define RESOLVER_VMLINUX_H

#include "attributes.h"
#include "buf.h"
#include "kallsyms.h"
#include "object.h"
#include "resolver.h"
#include "resolver_debug.h"

struct resolver_vmlinux;

/* Looks for the file with the kernel's build id: in folders of debug files, and at the paths that
 * distributions use for the running release.  Never fails; `note` says what is missing.  `note` and
 * `options` must outlive the result.  A kernel module has none. */
struct resolver_vmlinux *resolver_vmlinux_new(const struct resolver_module *kernel,
                                              const struct resolver_options *options, struct buf *note);
void resolver_vmlinux_free(struct resolver_vmlinux *vmlinux);

/* Determines the slide of the running kernel by the function at `addr`; false: it is not known, and the
 * file cannot be used. */
bool resolver_vmlinux_place(struct resolver_vmlinux *vmlinux, struct kallsyms *kallsyms, uint64_t addr);

/* After resolver_vmlinux_place: the difference between addresses of the running kernel and the file; the
 * file; its debug information. */
uint64_t resolver_vmlinux_slide(const struct resolver_vmlinux *vmlinux);
const struct object *resolver_vmlinux_object(const struct resolver_vmlinux *vmlinux);
struct resolver_debug *resolver_vmlinux_debug(struct resolver_vmlinux *vmlinux);

bool resolver_vmlinux_check(const struct resolver_vmlinux *vmlinux, struct err *err);

#endif
