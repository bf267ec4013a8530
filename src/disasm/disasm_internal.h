/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of the disassembler: LLVM, or bytes without it, behind one call, the decoders of control flow, the cleaning of texts. */
#ifndef DISASM_INTERNAL_H
#define DISASM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "disasm.h"

/* The longest text that is taken from LLVM, with its NUL; a longer one is cut. */
enum { DISASM_MAX_TEXT_BYTES = 256 };

/* As disasm_open, of one library; NULL when it is not there or lacks the architecture. */
struct disasm *disasm_open_library(const char *name, enum disasm_arch arch, enum disasm_syntax syntax);

enum disasm_arch disasm_get_arch(const struct disasm *disasm);

/* The size of the instruction at the start of `size` bytes and LLVM's text for it; 0 when there is none.  `text_size` is
 * not 0. */
size_t disasm_decode(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr, char *text,
                     size_t text_size);

/* The same without LLVM: "bytes 48 89 c3", "call 0x401100". */
size_t disasm_bytes_decode(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr, char *text,
                           size_t text_size);

struct disasm_effect {
        enum disasm_flow flow;
        bool has_target;
        bool is_operand; /* as in struct disasm_insn */
        uint64_t target;
};

/* Of the `size` bytes of one instruction.  Any bytes may be asked about. */
struct disasm_effect disasm_effect_x86_64(const uint8_t *code, size_t size, uint64_t addr);
struct disasm_effect disasm_effect_arm64(uint32_t word, uint64_t addr);

/* How many of the `size` bytes the first instruction has; 0: not all of it is there, or it has a REX2 prefix.  Bytes that are no
 * instruction get some size. */
size_t disasm_size_x86_64(const uint8_t *code, size_t size);

/* Prefixes of old and REX. */
bool disasm_is_prefix_x86_64(uint8_t byte);

/* LLVM's text, which begins with a tab and has tabs in it, as struct disasm_insn promises it; instead of `out`'s content. */
void disasm_text_clean(struct buf *out, const char *text);

/* The same with the last operand replaced by an address. */
void disasm_text_clean_target(struct buf *out, const char *text, uint64_t target);

#endif
