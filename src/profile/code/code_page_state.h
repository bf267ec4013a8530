/* SPDX-License-Identifier: BSD-3-Clause */
/* AArch64: which registers and stack slots hold the page of an address at a point of a function. */
#ifndef CODE_PAGE_STATE_H
#define CODE_PAGE_STATE_H

#include "disasm_shape.h"

#define CODE_NO_PAGE UINT64_MAX

enum { CODE_MAX_SPILLED_PAGES = 16 };

/* A page that the compiler stored on the stack because it had no register left. */
struct code_spilled_page {
        uint64_t page;
        unsigned off; /* from the stack pointer */
};

struct code_page_state {
        uint64_t page[ARM64_REGISTERS];
        uint32_t known; /* set of registers */
        unsigned n_spilled;
        struct code_spilled_page spilled[CODE_MAX_SPILLED_PAGES];
};

/* The page in a register, or CODE_NO_PAGE. */
uint64_t code_page_state_get(const struct code_page_state *state, unsigned reg);

/* Keeps what both have in common.  Returns whether anything was dropped. */
bool code_page_state_keep_common(struct code_page_state *state, const struct code_page_state *other);

/* The state after an instruction; `word` is its code. */
void code_page_state_execute(struct code_page_state *state, const struct disasm_shape *shape, uint32_t word);

#endif
