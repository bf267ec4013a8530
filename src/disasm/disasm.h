/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code to text by LLVM's C disassembler, which is loaded when it is first needed.  What an instruction does to the
 * flow of control is read from its bytes here, so that arrows and blocks do not depend on a text. */
#ifndef DISASM_H
#define DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "err.h"

enum disasm_arch { DISASM_X86_64, DISASM_AARCH64 };
enum disasm_syntax { DISASM_ATT, DISASM_INTEL }; /* of x86-64; AArch64 has one */

/* Raised when texts change that this room makes of LLVM's. */
enum { DISASM_TEXTS_VERSION = 1 };

struct disasm;

/* Loading the library is nearly all of the time that an annotated function takes.  ERR_MISSING when there is no libLLVM (19, 16, 15 or 14): the sentence names the package that has it. */
struct disasm *disasm_open(enum disasm_arch arch, enum disasm_syntax syntax, struct err *err);

/* Where that fails: instructions with their bytes instead of a text, and with their effect on the flow of control. */
struct disasm *disasm_open_bytes(enum disasm_arch arch);
bool disasm_has_texts(const struct disasm *disasm);
void disasm_free(struct disasm *disasm);
AUTO_DEFINE(disasm)

enum disasm_flow {
        DISASM_NEXT,   /* goes on with the next instruction */
        DISASM_CALL,   /* and comes back */
        DISASM_BRANCH, /* conditional */
        DISASM_JUMP,   /* never goes on */
        DISASM_RETURN,
        DISASM_TRAP, /* never goes on: ud2, int3, hlt, udf, brk */
};

/* `text` is "movq   %rax, %rbx": the name padded to 6 columns, never a tab, branches with their whole address.  `target` is
 * where a direct branch, jump or call goes, or what a pc-relative operand names (`is_operand`: a load's address, or the
 * place of the pointer to jump by); control does not go there. */
struct disasm_insn {
        uint64_t addr;
        const char *text;
        uint64_t target;
        uint8_t size;
        uint8_t flow; /* enum disasm_flow */
        bool has_target;
        bool is_operand;
        bool is_code; /* false: the bytes are no instruction; text is ".byte 0x06" or ".word 0xffffffff" */
};

/* Instructions of pieces of code, by address; texts stand in the arena.  Zero-initialised is empty and ready. */
struct disasm_code {
        struct disasm_insn *insns;
        size_t n_insns, cap_insns;
        struct arena texts;
};

enum { DISASM_MAX_BYTES = 16 << 20 };

/* Appends the instructions of `size` bytes of code at `addr`; of a longer piece only DISASM_MAX_BYTES.  Every byte
 * belongs to exactly one of them.  Pieces come in ascending order; what of a piece lies below the end of the last one is
 * left out. */
void disasm_add(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr,
                struct disasm_code *ret);

/* Where the last piece ends, 0 before the first. */
uint64_t disasm_end(const struct disasm_code *code);

/* Appends one instruction whose text is known from before: `size` bytes of code at `addr`, which is not below the end of
 * the last piece.  It was one then (is_code). */
void disasm_add_known(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr,
                      const char *text, struct disasm_code *ret);

void disasm_code_release(struct disasm_code *code);

/* The instruction at `addr` exactly, or that contains it; NULL: none. */
const struct disasm_insn *disasm_find(const struct disasm_code *code, uint64_t addr);

/* The first instruction of each basic block, by address, as indices: starts of pieces, targets inside, what follows a
 * branch, jump, return or trap (not a call).  *ret_n of them; the caller frees (free()). */
size_t *disasm_blocks(const struct disasm_code *code, size_t *ret_n);

#endif
