/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as code: the first byte selects architecture and syntax, the second the address, the rest is
 * the code.  Every byte belongs to one instruction, in order; texts have one line; blocks are inside the
 * code.  Without libLLVM the same holds for the replacement texts. */
#include <stdlib.h>
#include <string.h>

#include "disasm_form.h"
#include "disasm_internal.h"
#include "disasm_registers.h"
#include "disasm_shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT_BYTES = 320, N_DISASMS = 3 };

static void check(bool holds)
{
        if (!holds)
                abort();
}

/* Opened once, because starting LLVM takes longer than thousands of inputs. */
static struct disasm *disasm_of(unsigned which)
{
        static struct disasm *disasms[N_DISASMS];
        static bool is_tried[N_DISASMS];

        if (!is_tried[which]) {
                is_tried[which] = true;
                disasms[which] = disasm_open(which == 2 ? DISASM_AARCH64 : DISASM_X86_64,
                                             which == 1 ? DISASM_INTEL : DISASM_ATT, NULL);
        }
        return disasms[which];
}

static void check_text(const char *text)
{
        size_t len = strlen(text);

        check(len > 0 && len < MAX_TEXT_BYTES && text[len - 1] != ' ');
        for (size_t i = 0; i < len; i++)
                check(text[i] >= ' ' && text[i] < 0x7f);
}

static void check_insn(const struct disasm_code *code, size_t i)
{
        const struct disasm_insn *insn = &code->insns[i];

        check(insn->size >= 1 && insn->size <= 15 && insn->flow <= DISASM_TRAP);
        check(!i || insn->addr == code->insns[i - 1].addr + code->insns[i - 1].size);
        check(insn->is_code || (insn->flow == DISASM_NEXT && !insn->has_target));
        check(insn->has_target || (!insn->is_operand && insn->target == 0));
        check(insn->flow != DISASM_BRANCH || insn->has_target);
        check(disasm_find(code, insn->addr) == insn);
        check(disasm_find(code, insn->addr + insn->size - 1) == insn);
        check_text(insn->text);
}

static void check_blocks(const struct disasm_code *code)
{
        size_t n, *blocks = disasm_blocks(code, &n);

        check(n <= code->n_insns && (n > 0) == (code->n_insns > 0));
        for (size_t i = 0; i < n; i++)
                check(i ? blocks[i] > blocks[i - 1] && blocks[i] < code->n_insns : blocks[i] == 0);
        free(blocks);
}

static void check_effects(const uint8_t *code, size_t size)
{
        uint32_t word = 0;

        for (size_t off = 0; off < size; off++) {
                check(disasm_effect_x86_64(code + off, size - off, off).flow <= DISASM_TRAP);
                word = word >> 8 | (uint32_t)code[off] << 24;
                check(disasm_effect_arm64(word, off).flow <= DISASM_TRAP);
        }
}

/* Reads no byte behind the instruction. */
static void check_registers(enum disasm_arch arch, const uint8_t *code, const struct disasm_shape *shape)
{
        uint8_t *copy = malloc(shape->size_bytes);
        struct disasm_registers registers;
        struct disasm_form form;

        if (!copy)
                abort();
        memcpy(copy, code, shape->size_bytes);
        if (disasm_registers_get(arch, copy, shape, &registers))
                check(registers.n_form && registers.slot_ref < shape->n_refs);
        check(disasm_form_get(arch, copy, shape->size_bytes, true, &form));
        free(copy);
}

/* Each byte of an instruction is in a field or in the shape. */
static void check_shapes(enum disasm_arch arch, const uint8_t *code, size_t size)
{
        for (size_t off = 0; off < size; off++) {
                struct disasm_shape shape;
                bool is_insn = disasm_shape_get(arch, code + off, size - off, off, &shape);

                check(shape.size_bytes >= 1 && shape.size_bytes <= size - off && shape.size_bytes <= 15);
                check(shape.n_bytes >= 1 && shape.n_bytes <= DISASM_MAX_SHAPE_BYTES);
                check(shape.n_refs <= DISASM_MAX_REFS && (is_insn || !shape.n_refs));
                for (size_t i = 0; i < shape.n_refs; i++)
                        check(shape.refs[i].size_bytes &&
                              shape.refs[i].off + shape.refs[i].size_bytes <= shape.size_bytes);
                if (is_insn)
                        check_registers(arch, code + off, &shape);
        }
}

static void check_code(struct disasm *disasm, const uint8_t *bytes, size_t size, uint64_t addr)
{
        AUTO_RELEASE(disasm_code) code = {0};

        disasm_add(disasm, bytes, size, addr, &code);
        for (size_t i = 0; i < code.n_insns; i++)
                check_insn(&code, i);
        if (size <= UINT64_MAX - addr)
                check((code.n_insns ? code.insns[code.n_insns - 1].addr + code.insns[code.n_insns - 1].size
                                    : addr) == addr + size);
        check_blocks(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const uint64_t addrs[] = {0, 0x401000, 0xffffffff81000000, UINT64_MAX - 64};
        struct disasm *disasm;
        uint64_t addr;

        if (size < 2)
                return 0;
        check_effects(data + 2, size - 2);
        check_shapes(DISASM_X86_64, data + 2, size - 2);
        check_shapes(DISASM_AARCH64, data + 2, size - 2);
        addr = addrs[data[1] % N_ELEMENTS(addrs)];
        {
                AUTO(disasm)
                bytes = disasm_open_bytes(data[0] % N_DISASMS == 2 ? DISASM_AARCH64 : DISASM_X86_64);

                check_code(bytes, data + 2, size - 2, addr);
        }
        disasm = disasm_of(data[0] % N_DISASMS);
        if (disasm)
                check_code(disasm, data + 2, size - 2, addr);
        return 0;
}
