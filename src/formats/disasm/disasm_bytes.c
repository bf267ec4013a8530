/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of instructions without LLVM: bytes and control flow. They have the format of LLVM's texts, so
 * that the same code cleans them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "disasm_internal.h"

static const char *flow_name(const struct disasm_effect *effect, const char *otherwise)
{
        switch (effect->flow) {
        case DISASM_CALL: return "call";
        case DISASM_BRANCH: return "branch";
        case DISASM_JUMP: return "jump";
        case DISASM_RETURN: return "return";
        case DISASM_TRAP: return "trap";
        default: return otherwise;
        }
}

static size_t text_x86_64(const uint8_t *code, size_t size, uint64_t addr, char *text, size_t text_size)
{
        size_t n = disasm_size_x86_64(code, size);
        struct disasm_effect effect = disasm_effect_x86_64(code, n, addr);
        size_t len = (size_t)snprintf(text, text_size, "\t%s\t", flow_name(&effect, "bytes"));

        for (size_t i = 0; i < n && len < text_size; i++)
                len += (size_t)snprintf(text + len, text_size - len, i ? " %02x" : "%02x", code[i]);
        return n;
}

static size_t text_arm64(const uint8_t *code, size_t size, uint64_t addr, char *text, size_t text_size)
{
        struct disasm_effect effect;
        uint32_t word;

        if (size < 4)
                return 0;
        word = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
        effect = disasm_effect_arm64(word, addr);
        snprintf(text, text_size, "\t%s\t0x%08" PRIx32 "%s", flow_name(&effect, "word"), word,
                 effect.has_target && effect.is_operand ? ", 0" : "");
        return 4;
}

size_t disasm_bytes_decode(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr, char *text,
                           size_t text_size)
{
        assert(text_size);
        return arch == DISASM_X86_64 ? text_x86_64(code, size, addr, text, text_size)
                                     : text_arm64(code, size, addr, text, text_size);
}
