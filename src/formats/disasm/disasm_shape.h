/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions without the addresses that they contain, to compare code of two builds.  Decodes bytes, and
 * does not need LLVM. */
#ifndef DISASM_SHAPE_H
#define DISASM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm.h"

enum disasm_ref_kind {
        DISASM_REF_CODE, /* pc-relative target of a branch, jump or call */
        DISASM_REF_PC,   /* pc-relative operand */
        DISASM_REF_PAGE, /* AArch64: the page of adrp, into register `reg` */
        DISASM_REF_LOW,  /* AArch64: a number that is added to register `reg`, maybe the low bits of an
                            address */
        /* x86-64: an immediate or a displacement of 4 or 8 bytes, which in some programs is an absolute
         * address */
        DISASM_REF_NUMBER,
};

/* A field of an instruction. */
struct disasm_ref {
        uint64_t value; /* the address; LOW and NUMBER: the number, sign-extended */
        uint8_t kind;   /* enum disasm_ref_kind */
        uint8_t off, size_bytes;
        uint8_t reg;
        bool has_register;  /* NUMBER: a displacement that is added to a register */
        bool has_index;     /* NUMBER: another register may be added */
        uint8_t load_bytes; /* the size of the memory operand at the address; 0: not known, or there is
                               none */
};

enum { DISASM_MAX_REFS = 2, DISASM_MAX_SHAPE_BYTES = 16, ARM64_REGISTERS = 31 };

struct disasm_shape {
        uint8_t size_bytes;
        uint8_t flow;      /* enum disasm_flow */
        bool is_padding;   /* does nothing: nop */
        bool is_trap_byte; /* x86-64: int3, which also fills gaps */
        uint8_t n_refs;
        struct disasm_ref refs[DISASM_MAX_REFS];
        /* The instruction's bytes without these fields.  The short and the long form of a jump are equal. */
        uint8_t bytes[DISASM_MAX_SHAPE_BYTES];
        uint8_t n_bytes;
        uint32_t written; /* AArch64: set of general registers that may be written */
};

/* The first instruction of `size` bytes of code at `addr`; `size` must not be 0.  False if there is none:
 * then the shape has the first byte (AArch64: up to four) and no fields. */
bool disasm_shape_get(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr,
                      struct disasm_shape *ret);

/* Where control goes after an instruction, and the address that is relative to it. */
struct disasm_step {
        uint8_t size_bytes;
        uint8_t flow;    /* enum disasm_flow */
        bool has_target; /* the shape's first field is DISASM_REF_CODE or DISASM_REF_PC */
        bool is_operand; /* it is DISASM_REF_PC */
        uint64_t target;
};

/* That part of the shape, for code of which every instruction is looked at: on x86-64 in 60 % of the time. */
struct disasm_step disasm_step_get(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr);

/* --- Jump tables of AArch64 ----------------------------------------------------------------------------- */

/* The size of the elements that a load with a register as offset (ldrb w0, [x1, w0, uxtw]) reads; 0:
 * another instruction. */
unsigned disasm_arm64_element_bytes(uint32_t word);

/* Whether it adds a register, extended by its sign (sxtb, sxth, sxtw) or not, times 4 to another one. */
bool disasm_arm64_adds_words(uint32_t word, bool *ret_is_signed);

#endif
