/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds check before a jump table: a comparison with a number and a conditional branch.  Decodes bytes,
 * and does not need LLVM. */
#ifndef DISASM_BOUND_H
#define DISASM_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm.h"

/* Whether an instruction (its `size` bytes) compares something with a number that is not negative. */
bool disasm_bound_compares(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t *ret_number);

/* Whether a conditional branch compares unsigned numbers.  `ret_n_more` is 1 if the number itself is one of
 * the smaller ones (ja, jbe, b.hi, b.ls), otherwise 0. */
bool disasm_bound_branches(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t *ret_n_more);

#endif
