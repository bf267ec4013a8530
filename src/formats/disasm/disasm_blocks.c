/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds instructions by address, and the starts of basic blocks. */
#include <stdlib.h>

#include "disasm.h"
#include "mem.h"
#include "search.h"

const struct disasm_insn *disasm_find(const struct disasm_code *code, uint64_t addr)
{
        size_t low = 0, high = code->n_insns;

        SEARCH_FIRST(low, high, middle, code->insns[middle].addr <= addr);
        if (!low || addr - code->insns[low - 1].addr >= code->insns[low - 1].size)
                return NULL;
        return &code->insns[low - 1];
}

static bool ends_block(const struct disasm_insn *insn)
{
        return insn->flow != DISASM_NEXT && insn->flow != DISASM_CALL;
}

static bool begins_piece(const struct disasm_code *code, size_t i)
{
        return !i || code->insns[i - 1].addr + code->insns[i - 1].size != code->insns[i].addr;
}

size_t *disasm_blocks(const struct disasm_code *code, size_t *ret_n)
{
        bool *begins = mem_new(code->n_insns, sizeof(*begins));
        size_t *blocks = mem_new(code->n_insns, sizeof(*blocks));
        size_t n = 0;

        for (size_t i = 0; i < code->n_insns; i++) {
                const struct disasm_insn *insn = &code->insns[i], *target = NULL;

                if (begins_piece(code, i) || ends_block(insn - 1))
                        begins[i] = true;
                if (insn->has_target && !insn->is_operand)
                        target = disasm_find(code, insn->target);
                if (target)
                        begins[target - code->insns] = true;
        }
        for (size_t i = 0; i < code->n_insns; i++) {
                if (begins[i])
                        blocks[n++] = i;
        }
        free(begins);
        *ret_n = n;
        return blocks;
}
