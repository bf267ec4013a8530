/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about processors: the registers of PERF_SAMPLE_REGS_USER, their DWARF numbers, and return
 * addresses. */
#ifndef ARCH_H
#define ARCH_H

#include <stddef.h>
#include <stdint.h>

enum arch_id { ARCH_X86_64 = 1, ARCH_ARM64 };

enum { ARCH_REG_NONE = 255, ARCH_REGS_MAX = 64 };

struct arch {
        enum arch_id id;
        const char *machine; /* as in `uname -m` and in the ARCH section of perf.data */

        /* Indexed by perf register number, which is also the bit in sample_regs_user. NULL for numbers
         * without a register. */
        const char *const *reg_names;
        size_t n_regs;
        /* the registers that the unwinder requests, all of which the kernel provides */
        uint64_t regs_user_mask;
        uint8_t reg_ip, reg_sp, reg_fp;
        uint8_t reg_call_arg; /* the first argument of a system call */
        uint8_t reg_lr;       /* link register; ARCH_REG_NONE if return addresses are only on the stack */

        /* DWARF register number to perf register number; ARCH_REG_NONE if the kernel does not provide the
         * register. */
        const uint8_t *dwarf_regs;
        size_t n_dwarf_regs;
        uint8_t dwarf_return; /* DWARF register number of the return address column */

        /* Subtract this from a return address to get an address within the call instruction. */
        uint8_t return_back_bytes;
        uint8_t inst_align_bytes;
        /* The bits of a user-space return address that are address bits, not a pointer authentication
         * code. */
        uint64_t code_mask;
};

extern const struct arch arch_x86_64;
extern const struct arch arch_arm64;

/* Accepts "x86_64", "aarch64" and their other spellings ("amd64", "AMD64", "arm64", "ARM64"). NULL if
 * unknown. */
const struct arch *arch_from_machine(const char *machine);

/* perf's name of a register, or NULL. */
const char *arch_reg_name(const struct arch *arch, unsigned reg);

/* The perf register number of a DWARF register, or ARCH_REG_NONE. */
unsigned arch_reg_from_dwarf(const struct arch *arch, uint64_t dwarf_reg);

#endif
