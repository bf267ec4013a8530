/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes pieces of code into a list of instructions with text and control flow. LLVM, or our own decoder
 * without LLVM, determines where an instruction ends. Bytes that are not an instruction become data, so every
 * byte is shown. */
#include "disasm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "disasm_internal.h"
#include "mem.h"

enum { X86_64_MAX_INSN_BYTES = 15, ARM64_INSN_BYTES = 4 };

static uint32_t word_of(const uint8_t *code)
{
        return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

static void set_effect(struct disasm_insn *insn, struct disasm_effect effect)
{
        insn->flow = (uint8_t)effect.flow;
        insn->target = effect.target;
        insn->has_target = effect.has_target;
        insn->is_operand = effect.is_operand;
}

static bool is_only_prefixes(const uint8_t *code, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (!disasm_is_prefix_x86_64(code[i]))
                        return false;
        }
        return true;
}

/* LLVM decodes some prefixes as instructions, `lock` always. Puts them before the instruction that follows.
 * Returns 0 for prefixes alone. */
static size_t decode_x86_64(struct disasm *d, const uint8_t *code, size_t size, uint64_t addr,
                            char raw[DISASM_MAX_TEXT_BYTES])
{
        size_t at = 0, len = 0;

        while (at < size && len + 1 < DISASM_MAX_TEXT_BYTES) {
                size_t n = disasm_decode(d, code + at, size - at, addr + at, raw + len,
                                         DISASM_MAX_TEXT_BYTES - len);

                if (!n || !is_only_prefixes(code + at, n))
                        return n ? at + n : 0;
                at += n;
                len += strlen(raw + len);
                raw[len++] = '\t';
        }
        return 0;
}

static void add_x86_64(struct disasm *d, const uint8_t *code, size_t size, struct disasm_insn *insn,
                       struct buf *text)
{
        char raw[DISASM_MAX_TEXT_BYTES];
        size_t n = decode_x86_64(d, code, size < X86_64_MAX_INSN_BYTES ? size : X86_64_MAX_INSN_BYTES,
                                 insn->addr, raw);

        if (!n) {
                insn->size = 1;
                buf_clear(text);
                buf_printf(text, ".byte 0x%02x", code[0]);
                return;
        }
        insn->size = (uint8_t)n;
        insn->is_code = true;
        set_effect(insn, disasm_effect_x86_64(code, n, insn->addr));
        if (insn->has_target && !insn->is_operand)
                disasm_text_clean_target(text, raw, insn->target);
        else
                disasm_text_clean(text, raw);
}

static void add_arm64(struct disasm *d, const uint8_t *code, size_t size, struct disasm_insn *insn,
                      struct buf *text)
{
        char raw[DISASM_MAX_TEXT_BYTES];

        buf_clear(text);
        if (size < ARM64_INSN_BYTES) {
                insn->size = 1;
                buf_printf(text, ".byte 0x%02x", code[0]);
                return;
        }
        insn->size = ARM64_INSN_BYTES;
        insn->is_code =
                disasm_decode(d, code, ARM64_INSN_BYTES, insn->addr, raw, sizeof(raw)) == ARM64_INSN_BYTES;
        if (!insn->is_code) {
                buf_printf(text, ".word 0x%08x", word_of(code));
                return;
        }
        set_effect(insn, disasm_effect_arm64(word_of(code), insn->addr));
        if (insn->has_target)
                disasm_text_clean_target(text, raw, insn->target);
        else
                disasm_text_clean(text, raw);
}

uint64_t disasm_end(const struct disasm_code *code)
{
        const struct disasm_insn *last = code->n_insns ? &code->insns[code->n_insns - 1] : NULL;

        return last ? last->addr + last->size : 0;
}

void disasm_add(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr,
                struct disasm_code *ret)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t end = disasm_end(ret), skip = end > addr ? end - addr : 0;
        size_t n = size < DISASM_MAX_BYTES ? size : DISASM_MAX_BYTES;

        assert(code || !size);
        if (n > UINT64_MAX - addr)
                n = (size_t)(UINT64_MAX - addr);
        for (size_t off = skip < n ? (size_t)skip : n; off < n;) {
                struct disasm_insn insn = {.addr = addr + off};

                if (disasm_get_arch(disasm) == DISASM_X86_64)
                        add_x86_64(disasm, code + off, n - off, &insn, &text);
                else
                        add_arm64(disasm, code + off, n - off, &insn, &text);
                insn.text = arena_copy(&ret->texts, buf_text(&text), text.len);
                ARRAY_PUSH(ret->insns, ret->n_insns, ret->cap_insns, insn);
                off += insn.size;
        }
}

void disasm_add_known(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t addr,
                      const char *text, struct disasm_code *ret)
{
        struct disasm_insn insn = {.addr = addr, .size = (uint8_t)size, .is_code = true};

        assert(size && size <= UINT8_MAX && disasm_end(ret) <= addr);
        if (arch == DISASM_X86_64)
                set_effect(&insn, disasm_effect_x86_64(code, size, addr));
        else if (size == ARM64_INSN_BYTES)
                set_effect(&insn, disasm_effect_arm64(word_of(code), addr));
        insn.text = arena_copy(&ret->texts, text, strlen(text));
        ARRAY_PUSH(ret->insns, ret->n_insns, ret->cap_insns, insn);
}

void disasm_code_release(struct disasm_code *code)
{
        free(code->insns);
        arena_release(&code->texts);
        *code = (struct disasm_code){0};
}
