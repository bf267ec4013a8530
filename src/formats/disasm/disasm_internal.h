/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the disassembler: decoding with or without LLVM, control flow, and cleaning
 * texts. */
#ifndef DISASM_INTERNAL_H
#define DISASM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "disasm.h"

/* The longest text used from LLVM, with its NUL. Longer ones are truncated. */
enum { DISASM_MAX_TEXT_BYTES = 256 };

/* As disasm_open() with a given library. NULL if the library is missing or does not support the
 * architecture. */
struct disasm *disasm_open_library(const char *name, enum disasm_arch arch, enum disasm_syntax syntax);

enum disasm_arch disasm_get_arch(const struct disasm *disasm);

/* Returns the size of the instruction at the start of `size` bytes and writes its text to `text`. Returns 0
 * if there is none. `text_size` must not be 0. */
size_t disasm_decode(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr, char *text,
                     size_t text_size);

/* The same without LLVM; texts such as "bytes 48 89 c3" or "call 0x401100". */
size_t disasm_bytes_decode(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr, char *text,
                           size_t text_size);

struct disasm_effect {
        enum disasm_flow flow;
        bool has_target;
        bool is_operand; /* as in struct disasm_insn */
        uint64_t target;
};

/* The effect of one instruction of `size` bytes. Any bytes are allowed. */
struct disasm_effect disasm_effect_x86_64(const uint8_t *code, size_t size, uint64_t addr);
struct disasm_effect disasm_effect_arm64(uint32_t word, uint64_t addr);

/* The size of the first instruction in `size` bytes. Returns 0 if it is truncated, or if REX2 precedes an
 * opcode that does not allow it. The size of invalid instructions is arbitrary. */
size_t disasm_size_x86_64(const uint8_t *code, size_t size);

/* The same, and the effect of the instruction; the opcode is looked for only once. */
size_t disasm_step_x86_64(const uint8_t *code, size_t size, uint64_t addr, struct disasm_effect *ret);

/* The parts of an instruction, as offsets in it; a part with size 0 does not exist. */
struct disasm_x86_fields {
        uint8_t size_bytes;
        uint8_t map_number; /* 0: one-byte opcodes, 1: 0f, 2: 0f38, 3: 0f3a */
        uint8_t opcode_off, opcode;
        bool has_modrm; /* follows the opcode */
        bool is_vector; /* a VEX, EVEX or XOP prefix precedes the opcode */
        bool has_rex2;
        uint8_t displacement_off, displacement_bytes;
        uint8_t number_off, number_bytes; /* an immediate or a relative target; the last one of two */
        bool is_absolute;                 /* no register is added to the displacement, or only an index */
        bool has_index;                   /* a register is added, maybe multiplied */
        bool is_nop;
        uint8_t load_bytes; /* size of a memory operand; 0: not known */
};

/* False if the first instruction in `size` bytes is truncated or invalid. */
bool disasm_fields_x86_64(const uint8_t *code, size_t size, struct disasm_x86_fields *ret);

/* Whether the first instruction has a REX2 prefix that raises an exception. Do not pass such bytes to LLVM:
 * it decodes some as instructions, and LLVM 18 reads out of bounds for a control register that does not
 * exist. */
bool disasm_is_invalid_x86_64(const uint8_t *code, size_t size);

/* Legacy prefixes and REX. */
bool disasm_is_prefix_x86_64(uint8_t byte);

/* Replaces the content of `out` by LLVM's text, which begins with a tab and contains tabs, in the format of
 * struct disasm_insn. */
void disasm_text_clean(struct buf *out, const char *text);

/* The same, but replaces the last operand by an address. */
void disasm_text_clean_target(struct buf *out, const char *text, uint64_t target);

#endif
