/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware's call stack (LBR in call-stack mode), joined with the chain that the kernel walked by frame
 * pointers. Other kinds of branch records are not call stacks and can't be used here. */
#ifndef UNWIND_LBR_H
#define UNWIND_LBR_H

#include "unwind.h"

struct unwind_branch {
        uint64_t from, to;
};

struct unwind_lbr {
        /* calls that have not returned, newest first; ends at a `from` of 0 */
        const struct unwind_branch *branches;
        size_t n_branches;
        size_t depth; /* number of entries of the hardware; 0 if unknown */
        /* user code by frame pointers, innermost first: the sampled address, then return addresses */
        const uint64_t *chain;
        size_t n_chain;
};

/* Writes the user frames, innermost first, at most `max_frames`: the first address of the chain, or else the
 * function that was called last; the call instructions of the branches; and the callers of the oldest branch,
 * which only the chain has. Without branches the result is the chain. Never fails. end: CUT if the hardware
 * was full and the chain has no further callers, LIMIT if there was no room, ZERO otherwise. */
void unwind_lbr_join(const struct unwind_lbr *lbr, struct unwind_frame *frames, size_t max_frames,
                     struct unwind_walked *ret_walked);

#endif
