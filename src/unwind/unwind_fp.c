/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame pointer: x86-64's rbp and AArch64's x29 point to the caller's one and the return address behind it. */
#include "unwind_internal.h"

enum { WORD_BYTES = 8, RECORD_BYTES = 2 * WORD_BYTES, ALIGN_BYTES = 8 };

enum unwind_fp unwind_step_fp(const struct unwind_modules *modules, struct unwind_regs *regs,
                              struct unwind_memory *memory)
{
        unsigned fp_reg = unwind_reg_fp(regs), sp_reg = unwind_reg_sp(regs);
        struct unwind_module module;
        uint64_t fp, caller_fp, pc;

        if (!unwind_has_reg(regs, fp_reg))
                return UNWIND_FP_NONE;
        fp = regs->values[fp_reg];
        if (!fp)
                return UNWIND_FP_ZERO;
        if (fp % ALIGN_BYTES || fp < regs->values[sp_reg] || fp > UINT64_MAX - RECORD_BYTES)
                return UNWIND_FP_NONE;
        if (!unwind_read_word(memory, fp, &caller_fp) || !unwind_read_word(memory, fp + WORD_BYTES, &pc))
                return memory->is_cut ? UNWIND_FP_CUT : UNWIND_FP_NONE;
        pc = unwind_strip(regs, pc);
        if (!pc && !caller_fp)
                return UNWIND_FP_ZERO;
        /* The register may hold anything where the code does not keep to it. */
        if (!pc || (caller_fp && caller_fp <= fp) || !modules->find(modules->ctx, pc - 1, &module))
                return UNWIND_FP_NONE;
        unwind_set_reg(regs, fp_reg, caller_fp);
        unwind_set_reg(regs, sp_reg, fp + RECORD_BYTES);
        unwind_set_reg(regs, unwind_reg_pc(regs), pc);
        return UNWIND_FP_DONE;
}
