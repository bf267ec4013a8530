/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware's calls replace those of the chain, because code without frame pointers makes the chain skip
 * callers. The chain is used above the oldest call of the hardware. */
#include "unwind_lbr.h"

#include <string.h>

enum { LONGEST_CALL_BYTES = 15 }; /* on x86; 4 on AArch64 */

static void add(struct unwind_walked *walked, struct unwind_frame *frames, size_t max_frames,
                struct unwind_frame frame)
{
        if (walked->n_frames == max_frames) {
                walked->end = UNWIND_END_LIMIT;
                return;
        }
        frames[walked->n_frames++] = frame;
        walked->n_by_way[frame.way]++;
}

static size_t count_branches(const struct unwind_lbr *lbr)
{
        size_t n = 0;

        while (n < lbr->n_branches && lbr->branches[n].from)
                n++;
        return n;
}

static bool returns_behind(uint64_t addr, uint64_t call)
{
        return addr > call && addr - call <= LONGEST_CALL_BYTES;
}

/* The index in the chain of the return address of `call`, which is `level` calls above the start; 0 if it is
 * not there. A recursive function has several return addresses; lower indexes are tried first, because the
 * chain skips frames more often than it has extra ones. */
static size_t find_in_chain(const struct unwind_lbr *lbr, uint64_t call, size_t level)
{
        size_t from = level < lbr->n_chain ? level : lbr->n_chain - 1;

        for (size_t i = from; i > 0; i--) {
                if (returns_behind(lbr->chain[i], call))
                        return i;
        }
        for (size_t i = from + 1; i < lbr->n_chain; i++) {
                if (returns_behind(lbr->chain[i], call))
                        return i;
        }
        return 0;
}

void unwind_lbr_join(const struct unwind_lbr *lbr, struct unwind_frame *frames, size_t max_frames,
                     struct unwind_walked *ret_walked)
{
        size_t n_branches = count_branches(lbr), from = 1;

        memset(ret_walked, 0, sizeof(*ret_walked));
        ret_walked->end = UNWIND_END_ZERO;
        if (lbr->n_chain)
                add(ret_walked, frames, max_frames,
                    (struct unwind_frame){lbr->chain[0], true, UNWIND_WAY_REGS});
        else if (n_branches)
                add(ret_walked, frames, max_frames,
                    (struct unwind_frame){lbr->branches[0].to, true, UNWIND_WAY_LBR});
        for (size_t i = 0; i < n_branches; i++)
                add(ret_walked, frames, max_frames,
                    (struct unwind_frame){lbr->branches[i].from, true, UNWIND_WAY_LBR});
        if (n_branches && lbr->n_chain) {
                size_t at = find_in_chain(lbr, lbr->branches[n_branches - 1].from, n_branches);

                from = at ? at + 1 : lbr->n_chain;
        }
        if (n_branches && n_branches == lbr->depth && from >= lbr->n_chain)
                ret_walked->end = UNWIND_END_CUT;
        for (size_t i = from; i < lbr->n_chain; i++)
                add(ret_walked, frames, max_frames,
                    (struct unwind_frame){lbr->chain[i], false, UNWIND_WAY_FP});
}
