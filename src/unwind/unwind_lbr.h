/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware's own stack of calls (LBR in call-stack mode), joined with the chain that the kernel walked by frame
 * pointers.  Branches of any other kind are no stack: nothing here is for them. */
#ifndef UNWIND_LBR_H
#define UNWIND_LBR_H

#include "unwind.h"

struct unwind_branch {
        uint64_t from, to;
};

struct unwind_lbr {
        const struct unwind_branch
                *branches; /* calls that have not returned, newest first; a `from` of 0 ends them */
        size_t n_branches;
        size_t depth; /* as many as the hardware keeps; 0: not known */
        const uint64_t *
                chain; /* user code by frame pointers, innermost first: where it was, then return addresses */
        size_t n_chain;
};

/* User frames, innermost first: where the chain begins, else the function that was called last; the call instructions of the
 * branches; and from the oldest branch on the callers that only the chain has.  With no branch it is the chain.  At most
 * `max_frames`; never fails.  end: CUT when the hardware was full and the chain does not go on, LIMIT when there was no room,
 * ZERO otherwise. */
void unwind_lbr_join(const struct unwind_lbr *lbr, struct unwind_frame *frames, size_t max_frames,
                     struct unwind_walked *ret_walked);

#endif
