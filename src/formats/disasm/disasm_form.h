/* SPDX-License-Identifier: BSD-3-Clause */
/* What an instruction does, without its registers and numbers, to tell in which way code was changed.
 * Decodes bytes, and does not need LLVM. */
#ifndef DISASM_FORM_H
#define DISASM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm.h"

struct disasm_form {
        uint64_t operation; /* equal for equal operations; a condition is no part of it */
        int64_t number;     /* an immediate, or the displacement of an address that is not on the stack */
        uint8_t condition;  /* of a jump, a move or a set */
        bool has_number;
        bool is_encoded; /* `number` only tells it from others, as a floating-point number */
        bool compares;
        bool is_condition; /* depends on `condition` */
        bool is_stack;     /* loads or stores relative to the stack pointer or the frame pointer */
        bool is_move;      /* of registers, of the stack pointer, push and pop: what goes with a stack slot */
        bool is_vector;    /* computes with several elements */
};

/* The first instruction in `size` bytes.  `frame_pointer`: x86-64's rbp, or AArch64's x29, points to the
 * stack.  False if there is none: then the operation is its first byte. */
bool disasm_form_get(enum disasm_arch arch, const uint8_t *code, size_t size, bool frame_pointer,
                     struct disasm_form *ret);

#endif
