/* SPDX-License-Identifier: BSD-3-Clause */
/* A step by Windows unwind codes: from a frame in a PE image for x64 or ARM64 to its caller, undoing what the prologue has
 * done so far, or doing what is left of an epilogue.
 *
 * Sources: as unwind_xdata.h. */
#ifndef UNWIND_PE_H
#define UNWIND_PE_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"
#include "unwind.h"

enum unwind_pe {
        UNWIND_PE_DONE,
        UNWIND_PE_LEAF, /* done as for code without an entry, whose return address is where the call left it */
        UNWIND_PE_NONE,        /* the image has no table, or one for another machine */
        UNWIND_PE_NO_RULE,     /* it has no entry, and it is no leaf, since it called */
        UNWIND_PE_MALFORMED,   /* the entry */
        UNWIND_PE_UNSUPPORTED, /* its version, or one of its codes */
        UNWIND_PE_NO_REGISTER, /* it needs a register that is not known */
        UNWIND_PE_UNREAD,      /* memory is not there; memory->is_cut says whether the copy is too short */
};

/* The pc of `regs` is run-time, `bias` the object's.  `is_exact`: it is no return address; *ret_is_exact: neither is the
 * caller's.  Of the caller those registers are known that a callee keeps.  *regs is untouched unless UNWIND_PE_DONE or
 * UNWIND_PE_LEAF. */
enum unwind_pe unwind_pe_step(const struct object *object, uint64_t bias, bool is_exact,
                              struct unwind_regs *regs, struct unwind_memory *memory, bool *ret_is_exact);

#endif
