/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about processors: the registers of PERF_SAMPLE_REGS_USER, numbers in DWARF, return addresses. */
#ifndef ARCH_H
#define ARCH_H

#include <stddef.h>
#include <stdint.h>

enum arch_id { ARCH_X86_64 = 1, ARCH_ARM64 };

enum { ARCH_REG_NONE = 255, ARCH_REGS_MAX = 64 };

struct arch {
        enum arch_id id;
        const char *machine; /* as uname -m says and as perf.data's ARCH section does */

        /* By perf register number, which is also the bit in sample_regs_user; a NULL is a number without a
         * register. */
        const char *const *reg_names;
        size_t n_regs;
        uint64_t regs_user_mask; /* what a user-mode unwinder asks for, and the kernel gives */
        uint8_t reg_ip, reg_sp, reg_fp;
        uint8_t reg_lr; /* ARCH_REG_NONE: return addresses are on the stack alone */

        /* perf register number by DWARF number; ARCH_REG_NONE where the kernel gives none. */
        const uint8_t *dwarf_regs;
        size_t n_dwarf_regs;
        uint8_t dwarf_return; /* DWARF's column of the return address */

        /* From a return address back into the call instruction, as far as a look-up needs. */
        uint8_t return_back_bytes;
        uint8_t inst_align_bytes;
        /* The bits of a return address of user code that are address and not signature. */
        uint64_t code_mask;
};

extern const struct arch arch_x86_64;
extern const struct arch arch_arm64;

/* "x86_64", "aarch64" and their other spellings ("amd64", "AMD64", "arm64", "ARM64"); NULL when unknown. */
const struct arch *arch_from_machine(const char *machine);

/* perf's name of a register, or NULL. */
const char *arch_reg_name(const struct arch *arch, unsigned reg);

/* The perf number of a DWARF register, or ARCH_REG_NONE. */
unsigned arch_reg_from_dwarf(const struct arch *arch, uint64_t dwarf_reg);

#endif
