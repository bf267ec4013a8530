/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps with Windows unwind codes: from a frame in a PE image for x64 or ARM64 to its caller. Undoes the
 * executed part of the prologue, or executes the rest of an epilogue.
 *
 * Sources: see unwind_xdata.h. */
#ifndef UNWIND_PE_H
#define UNWIND_PE_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"
#include "unwind.h"

enum unwind_pe {
        UNWIND_PE_DONE,
        UNWIND_PE_LEAF,    /* done for code without an entry: the return address is where the call put it */
        UNWIND_PE_NONE,    /* the image has no table, or it is for another machine */
        UNWIND_PE_NO_RULE, /* there is no entry, and the code is not a leaf function because it made a call */
        UNWIND_PE_MALFORMED,   /* the entry is malformed */
        UNWIND_PE_UNSUPPORTED, /* the version or a code is not supported */
        UNWIND_PE_NO_REGISTER, /* an unknown register is needed */
        UNWIND_PE_UNREAD,      /* memory can't be read; memory->is_cut says whether the copy is too short */
};

/* The pc in `regs` is a run-time address; `bias` is the object's. `is_exact`: pc is not a return address;
 * *ret_is_exact: the caller's pc is not one either. In the caller, only callee-saved registers are known.
 * *regs changes only for UNWIND_PE_DONE and UNWIND_PE_LEAF. */
enum unwind_pe unwind_pe_step(const struct object *object, uint64_t bias, bool is_exact,
                              struct unwind_regs *regs, struct unwind_memory *memory, bool *ret_is_exact);

#endif
