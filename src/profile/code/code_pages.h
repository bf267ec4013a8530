/* SPDX-License-Identifier: BSD-3-Clause */
/* AArch64: an address is a page (adrp) and the low bits, which another instruction adds.  This finds the
 * page that the register of that instruction holds, along all jumps of a function. */
#ifndef CODE_PAGES_H
#define CODE_PAGES_H

#include "code_body.h"
#include "code_page_state.h"

/* For each instruction with a DISASM_REF_LOW field, the page in its register, or CODE_NO_PAGE.  `shapes` are
 * those of the body's instructions.  The caller frees the array. */
uint64_t *code_pages_list(const struct code_body *body, const struct disasm_shape *shapes);

#endif
