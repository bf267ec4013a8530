/* SPDX-License-Identifier: BSD-3-Clause */
/* Frame pointers: x86-64's rbp and AArch64's x29 point to the caller's frame pointer, which is followed by
 * the return address. */
#include "unwind_internal.h"

enum { WORD_BYTES = 8, RECORD_BYTES = 2 * WORD_BYTES, ALIGN_BYTES = 8, MAX_CALL_BYTES = 7 };

/* The size of an x86-64 `call` through a register or memory, without prefixes. */
static unsigned call_bytes(uint8_t modrm, uint8_t sib)
{
        unsigned mode = modrm >> 6, has_sib = mode != 3 && (modrm & 7) == 4;

        if (mode == 0)
                return 2 + has_sib + ((modrm & 7) == 5 || (has_sib && (sib & 7) == 5) ? 4 : 0);
        return 2 + has_sib + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

bool unwind_is_behind_call(const struct unwind_module *module, uint64_t pc)
{
        struct cursor c;
        const uint8_t *end;

        if (!module->object ||
            !object_read_addr(module->object, pc - module->bias - MAX_CALL_BYTES, MAX_CALL_BYTES, &c))
                return false;
        end = c.at + MAX_CALL_BYTES;
        if (end[-5] == 0xe8)
                return true;
        for (unsigned n = 2; n <= MAX_CALL_BYTES; n++) {
                const uint8_t *at = end - n;

                if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && call_bytes(at[1], n > 2 ? at[2] : 0) == n)
                        return true;
        }
        return false;
}

/* A caller without frame pointers may have any value in the register; then require a call before the return
 * address. */
static bool is_caller(const struct unwind_modules *modules, const struct unwind_regs *regs, uint64_t fp,
                      uint64_t caller_fp, uint64_t pc)
{
        struct unwind_module module;

        if (!pc || !modules->find(modules->ctx, pc - 1, &module))
                return false;
        return !caller_fp || caller_fp > fp ||
               (regs->machine == OBJECT_MACHINE_X86_64 && unwind_is_behind_call(&module, pc));
}

enum unwind_fp unwind_step_fp(const struct unwind_modules *modules, struct unwind_regs *regs,
                              struct unwind_memory *memory)
{
        unsigned fp_reg = unwind_reg_fp(regs), sp_reg = unwind_reg_sp(regs);
        uint64_t fp, caller_fp, pc;

        if (!unwind_has_reg(regs, fp_reg))
                return UNWIND_FP_NONE;
        fp = regs->values[fp_reg];
        if (!fp || fp % ALIGN_BYTES || fp < regs->values[sp_reg] || fp > UINT64_MAX - RECORD_BYTES)
                return UNWIND_FP_NONE;
        if (!unwind_read_word(memory, fp, &caller_fp) || !unwind_read_word(memory, fp + WORD_BYTES, &pc))
                return memory->is_cut ? UNWIND_FP_CUT : UNWIND_FP_NONE;
        pc = unwind_strip(regs, pc);
        if (!is_caller(modules, regs, fp, caller_fp, pc))
                return UNWIND_FP_NONE;
        unwind_set_reg(regs, fp_reg, caller_fp);
        unwind_set_reg(regs, sp_reg, fp + RECORD_BYTES);
        unwind_set_reg(regs, unwind_reg_pc(regs), pc);
        return UNWIND_FP_DONE;
}
