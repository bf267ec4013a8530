/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwind_sample.h"

bool unwind_regs_of_sample(const struct arch *arch, uint64_t mask, struct cursor values,
                           struct unwind_regs *ret)
{
        uint64_t by_number[ARCH_REGS_MAX];
        struct unwind_regs regs = {.machine = arch->id == ARCH_ARM64 ? OBJECT_MACHINE_ARM64
                                                                     : OBJECT_MACHINE_X86_64};

        for (unsigned i = 0; i < ARCH_REGS_MAX; i++) {
                if (mask >> i & 1)
                        by_number[i] = cursor_u64(&values);
        }
        if (values.failed)
                return false;
        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++) {
                unsigned number = arch_reg_from_dwarf(arch, reg);

                if (number < ARCH_REGS_MAX && mask >> number & 1)
                        unwind_set_reg(&regs, reg, by_number[number]);
        }
        *ret = regs;
        return true;
}
