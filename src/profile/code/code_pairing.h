/* SPDX-License-Identifier: BSD-3-Clause */
/* Which block of a function is which block of the other one. */
#ifndef CODE_PAIRING_H
#define CODE_PAIRING_H

#include "code_body.h"

struct code_pairing {
        size_t *to_b, *to_a; /* for each block the index of its pair, or SIZE_MAX */
        bool *is_reordered;  /* by blocks of `a`: the pair is in another order than most */
        bool has_loose;      /* the loose hashes of instructions are set */
        bool is_too_large;   /* parts were not aligned because they have too many blocks */
};

/* Sets the loose hashes, unless all blocks of one side are aligned without. */
void code_pairing_make(struct code_body *a, struct code_body *b, struct code_pairing *ret);
void code_pairing_release(struct code_pairing *pairing);

#endif
