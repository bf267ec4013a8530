/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions without the registers and stack slots that they name: a compiler that keeps one value more
 * in a register renames many of them.  Decodes bytes, and does not need LLVM. */
#ifndef DISASM_REGISTERS_H
#define DISASM_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm_shape.h"

enum { DISASM_MAX_NAMES = 6, DISASM_MAX_FORM_BYTES = 32 };

struct disasm_registers {
        /* Equal in instructions that differ in nothing but what `names` has, and in the fields of their
         * shapes. */
        uint8_t form[DISASM_MAX_FORM_BYTES];
        uint8_t n_form;
        /* General and vector registers and stack slots in the order of the operands; equal names are the
         * same one.  The stack pointer and AArch64's zero register are part of the form. */
        uint64_t names[DISASM_MAX_NAMES];
        uint8_t n_names;
        int8_t slot_ref; /* the field of the shape that is the offset of a stack slot, so that names have it;
                            -1: none */
};

/* `shape` is that of the instruction at `code`.  False if wperf can't tell its registers: it has to be
 * compared as it is. */
bool disasm_registers_get(enum disasm_arch arch, const uint8_t *code, const struct disasm_shape *shape,
                          struct disasm_registers *ret);

#endif
