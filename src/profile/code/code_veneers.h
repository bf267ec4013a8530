/* SPDX-License-Identifier: BSD-3-Clause */
/* Linkers for AArch64 replace instructions that a processor may execute wrongly (Cortex-A53: errata 835769
 * and 843419) by a jump to a veneer: the instruction, and a jump back.  Whether they do depends on where the
 * code is in its page, so it is no change of the function. */
#ifndef CODE_VENEERS_H
#define CODE_VENEERS_H

#include "code_image_internal.h"

/* If `jump`, the instruction at `addr`, leads to a veneer: replaces it by the veneer's instruction, and
 * returns the bytes of this.  Otherwise NULL. */
const uint8_t *code_veneers_follow(const struct code_image *image, uint64_t addr, struct disasm_shape *jump);

/* Marks veneers that have a symbol as parts, so that they are not listed as functions. */
void code_veneers_join(struct code_image *image);

#endif
