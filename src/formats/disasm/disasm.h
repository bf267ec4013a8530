/* SPDX-License-Identifier: BSD-3-Clause */
/* Disassembles machine code with LLVM's C disassembler, which is loaded at run time. The effect of an
 * instruction on control flow is decoded from its bytes here, so arrows and blocks do not depend on LLVM's
 * text. */
#ifndef DISASM_H
#define DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "err.h"

enum disasm_arch { DISASM_X86_64, DISASM_AARCH64 };
enum disasm_syntax { DISASM_ATT, DISASM_INTEL }; /* of x86-64; AArch64 has only one */

/* To be increased when the texts made from LLVM's output change. */
enum { DISASM_TEXTS_VERSION = 1 };

struct disasm;

/* Loading the library takes most of the time of annotating a function. ERR_MISSING if there is no libLLVM,
 * versions 11 to 23; the message names the package to install. */
struct disasm *disasm_open(enum disasm_arch arch, enum disasm_syntax syntax, struct err *err);

/* A disassembler without LLVM, for use if disasm_open() fails: the text of an instruction shows its bytes.
 * Control flow is decoded as usual. */
struct disasm *disasm_open_bytes(enum disasm_arch arch);
bool disasm_has_texts(const struct disasm *disasm);
void disasm_free(struct disasm *disasm);
AUTO_DEFINE(disasm)

enum disasm_flow {
        DISASM_NEXT,   /* continues with the next instruction */
        DISASM_CALL,   /* continues with the next instruction after the call returns */
        DISASM_BRANCH, /* conditional */
        DISASM_JUMP,   /* unconditional */
        DISASM_RETURN,
        DISASM_TRAP, /* does not continue: ud2, int3, hlt, udf, brk */
};

/* `text` is such as "movq   %rax, %rbx": the name padded to 6 columns, no tabs, branch targets as full
 * addresses. `target` is the destination of a direct branch, jump or call; or, if `is_operand`, the address
 * that a pc-relative operand refers to (data, or the pointer for an indirect jump), to which control does not
 * go. */
struct disasm_insn {
        uint64_t addr;
        const char *text;
        uint64_t target;
        uint8_t size;
        uint8_t flow; /* enum disasm_flow */
        bool has_target;
        bool is_operand;
        /* false if the bytes are not an instruction; text is then ".byte 0x06" or ".word 0xffffffff" */
        bool is_code;
};

/* The instructions of pieces of code, sorted by address. The arena owns the texts. Zero-initialize before
 * use. */
struct disasm_code {
        struct disasm_insn *insns;
        size_t n_insns, cap_insns;
        struct arena texts;
};

enum { DISASM_MAX_BYTES = 16 << 20 };

/* Appends the instructions of `size` bytes of code at `addr`, at most DISASM_MAX_BYTES. Each byte belongs to
 * exactly one instruction. Add pieces in ascending order; bytes below the end of the last piece are
 * skipped. */
void disasm_add(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr,
                struct disasm_code *ret);

/* The end of the last piece; 0 if there is none. */
uint64_t disasm_end(const struct disasm_code *code);

/* Appends one instruction whose text is already known: `size` bytes of code at `addr`, which must not be
 * below the end of the last piece. The instruction gets is_code. */
void disasm_add_known(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr,
                      const char *text, struct disasm_code *ret);

void disasm_code_release(struct disasm_code *code);

/* The instruction that contains `addr`; NULL if there is none. */
const struct disasm_insn *disasm_find(const struct disasm_code *code, uint64_t addr);

/* The index of the first instruction of each basic block, in ascending order: starts of pieces, targets
 * within the code, and instructions after a branch, jump, return or trap, but not after a call. Returns
 * *ret_n indexes; the caller frees the array. */
size_t *disasm_blocks(const struct disasm_code *code, size_t *ret_n);

#endif
