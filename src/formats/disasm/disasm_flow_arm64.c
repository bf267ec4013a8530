/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes the control flow of AArch64 instructions and the addresses that they refer to: Arm ARM, C4.1,
 * "Branches, Exception Generating and System instructions", "PC-rel. addressing" and "Load register
 * (literal)". The result for unallocated encodings does not matter, because they are not code. */
#include "disasm_internal.h"

/* The `n_bits` bits from bit `low` on, sign-extended. */
static int64_t signed_field(uint32_t word, unsigned low, unsigned n_bits)
{
        uint64_t sign = 1ull << (n_bits - 1);
        uint64_t value = (word >> low) & (2 * sign - 1);

        return (int64_t)((value ^ sign) - sign);
}

static struct disasm_effect goes_to(enum disasm_flow flow, uint64_t addr, int64_t words)
{
        return (struct disasm_effect){flow, true, false, addr + (uint64_t)words * 4};
}

static struct disasm_effect names(uint64_t target)
{
        return (struct disasm_effect){DISASM_NEXT, true, true, target};
}

/* br, blr, ret, eret, drps and their variants with pointer authentication differ in bits 21 to 24. */
static enum disasm_flow flow_by_register(uint32_t word)
{
        switch ((word >> 21) & 15) {
        case 0:
        case 8: return DISASM_JUMP;
        case 1:
        case 9: return DISASM_CALL;
        case 2:
        case 4:
        case 5: return DISASM_RETURN;
        default: return DISASM_NEXT;
        }
}

/* b.al and b.nv are always taken. */
static enum disasm_flow flow_of_condition(uint32_t word)
{
        return (word & 14) == 14 ? DISASM_JUMP : DISASM_BRANCH;
}

static bool is_trap(uint32_t word)
{
        bool is_udf = word < 0x10000;
        bool is_brk = (word & 0xffe0001f) == 0xd4200000;
        bool is_hlt = (word & 0xffe0001f) == 0xd4400000;

        return is_udf || is_brk || is_hlt;
}

static uint64_t adr_target(uint32_t word, uint64_t addr)
{
        uint64_t low = (word >> 29) & 3;
        uint64_t off = (uint64_t)signed_field(word, 5, 19) * 4 + low;

        return word >> 31 ? (addr & ~0xfffull) + off * 4096 : addr + off;
}

struct disasm_effect disasm_effect_arm64(uint32_t word, uint64_t addr)
{
        if ((word & 0x7c000000) == 0x14000000) /* b, bl */
                return goes_to(word >> 31 ? DISASM_CALL : DISASM_JUMP, addr, signed_field(word, 0, 26));
        if ((word & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
                return goes_to(flow_of_condition(word), addr, signed_field(word, 5, 19));
        if ((word & 0x7e000000) == 0x34000000) /* cbz, cbnz */
                return goes_to(DISASM_BRANCH, addr, signed_field(word, 5, 19));
        if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
                return goes_to(DISASM_BRANCH, addr, signed_field(word, 5, 14));
        if ((word & 0xfe000000) == 0xd6000000)
                return (struct disasm_effect){.flow = flow_by_register(word)};
        if (is_trap(word))
                return (struct disasm_effect){.flow = DISASM_TRAP};
        if ((word & 0x1f000000) == 0x10000000) /* adr, adrp */
                return names(adr_target(word, addr));
        if ((word & 0x3b000000) == 0x18000000) /* ldr, ldrsw, prfm with a literal */
                return names(addr + (uint64_t)signed_field(word, 5, 19) * 4);
        return (struct disasm_effect){.flow = DISASM_NEXT};
}
