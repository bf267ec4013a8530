/* SPDX-License-Identifier: BSD-3-Clause */
/* arm64: perf's registers (uapi asm/perf_regs.h) and DWARF numbers (Arm's aadwarf64). Both numberings are the
 * same up to SP. */
#include "arch.h"
#include "attributes.h"

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

static const char *const names[] = {
        "X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",  "X8",  "X9",  "X10",
        "X11", "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19", "X20", "X21",
        "X22", "X23", "X24", "X25", "X26", "X27", "X28", "X29", "LR",  "SP",  "PC",
};

static const uint8_t dwarf[] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
        17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, FP, LR, SP, PC,
};

const struct arch arch_arm64 = {
        .id = ARCH_ARM64,
        .machine = "aarch64",
        .reg_names = names,
        .n_regs = N_ELEMENTS(names),
        .regs_user_mask = (1ull << N_ELEMENTS(names)) - 1,
        .reg_ip = PC,
        .reg_sp = SP,
        .reg_fp = FP,
        .reg_call_arg = 0,
        .reg_lr = LR,
        .dwarf_regs = dwarf,
        .n_dwarf_regs = N_ELEMENTS(dwarf),
        .dwarf_return = LR,
        .return_back_bytes = 4,
        .inst_align_bytes = 4,
        /* Pointer authentication uses the bits above a 48-bit address. Bit 55 distinguishes user and
         * kernel. */
        .code_mask = (1ull << 48) - 1,
};
