/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares instructions without the registers and stack slots that they name.  A compiler that needs one
 * register more renames many. */
#ifndef CODE_REGISTERS_H
#define CODE_REGISTERS_H

#include "code_body.h"

/* Sets the loose hashes of instructions and blocks. */
void code_registers_hash(struct code_body *body);

/* Whether one name in `b` stands for each name in `a`, and the other way round.  The blocks have equally
 * many instructions with equal loose hashes. */
bool code_registers_are_renamed(const struct code_body *a, const struct code_block *x,
                                const struct code_body *b, const struct code_block *y);

#endif
