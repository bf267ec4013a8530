/* SPDX-License-Identifier: BSD-3-Clause */
/* x86-64: perf's registers (uapi asm/perf_regs.h) and DWARF numbers (System V ABI, figure 3.36). */
#include "arch.h"
#include "attributes.h"

enum {
        AX,
        BX,
        CX,
        DX,
        SI,
        DI,
        BP,
        SP,
        IP,
        FLAGS,
        CS,
        SS,
        DS,
        ES,
        FS,
        GS,
        R8,
        R9,
        R10,
        R11,
        R12,
        R13,
        R14,
        R15,
};

static const char *const names[] = {
        [AX] = "AX",   [BX] = "BX",   [CX] = "CX",   [DX] = "DX",       [SI] = "SI",   [DI] = "DI",
        [BP] = "BP",   [SP] = "SP",   [IP] = "IP",   [FLAGS] = "FLAGS", [CS] = "CS",   [SS] = "SS",
        [DS] = "DS",   [ES] = "ES",   [FS] = "FS",   [GS] = "GS",       [R8] = "R8",   [R9] = "R9",
        [R10] = "R10", [R11] = "R11", [R12] = "R12", [R13] = "R13",     [R14] = "R14", [R15] = "R15",
};

static const uint8_t dwarf[] = {
        AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15, IP,
};

const struct arch arch_x86_64 = {
        .id = ARCH_X86_64,
        .machine = "x86_64",
        .reg_names = names,
        .n_regs = N_ELEMENTS(names),
        /* The kernel does not provide DS, ES, FS and GS for 64-bit code. */
        .regs_user_mask =
                ((1ull << N_ELEMENTS(names)) - 1) & ~(1ull << DS | 1ull << ES | 1ull << FS | 1ull << GS),
        .reg_ip = IP,
        .reg_sp = SP,
        .reg_fp = BP,
        .reg_call_arg = DI,
        .reg_lr = ARCH_REG_NONE,
        .dwarf_regs = dwarf,
        .n_dwarf_regs = N_ELEMENTS(dwarf),
        .dwarf_return = 16,
        .return_back_bytes = 1,
        .inst_align_bytes = 1,
        .code_mask = UINT64_MAX,
};
