/* SPDX-License-Identifier: BSD-3-Clause */
/* Intel's manual, volume 2, CMP and Jcc; Arm ARM, C6.2, "CMP (immediate)" and "B.cond". */
#include "disasm_bound.h"

#include "disasm_internal.h"

/* --- x86-64 --- */

static uint64_t last_number(const uint8_t *code, size_t size, unsigned n_bytes)
{
        uint64_t number = 0;

        for (unsigned i = 0; i < n_bytes; i++)
                number |= (uint64_t)code[size - n_bytes + i] << (8 * i);
        return number;
}

static bool compares_x86_64(const uint8_t *code, size_t size, uint64_t *ret_number)
{
        struct disasm_x86_fields fields;
        bool is_compare;

        if (!disasm_fields_x86_64(code, size, &fields) || fields.size_bytes != size || fields.map_number ||
            fields.is_vector || !fields.number_bytes)
                return false;
        is_compare = fields.opcode == 0x3c || fields.opcode == 0x3d;
        if (fields.opcode == 0x80 || fields.opcode == 0x81 || fields.opcode == 0x83)
                is_compare = (code[fields.opcode_off + 1] >> 3 & 7) == 7;
        *ret_number = last_number(code, size, fields.number_bytes);
        return is_compare && !(fields.opcode != 0x80 && fields.opcode != 0x3c && code[size - 1] & 0x80);
}

/* ja, jbe, jae, jb: the condition is the last four bits of the opcode. */
static bool branches_x86_64(const uint8_t *code, size_t size, uint64_t *ret_n_more)
{
        struct disasm_x86_fields fields;
        unsigned condition;

        if (!disasm_fields_x86_64(code, size, &fields) || fields.size_bytes != size || fields.is_vector)
                return false;
        if (fields.map_number ? fields.map_number != 1 || (fields.opcode & 0xf0) != 0x80
                              : (fields.opcode & 0xf0) != 0x70)
                return false;
        condition = fields.opcode & 15;
        *ret_n_more = condition >= 6;
        return condition == 2 || condition == 3 || condition == 6 || condition == 7;
}

/* --- AArch64 --- */

static uint32_t word_of(const uint8_t *code, size_t size)
{
        uint32_t word = 0;

        for (size_t i = 0; i < 4 && size == 4; i++)
                word |= (uint32_t)code[i] << (8 * i);
        return word;
}

static bool compares_arm64(uint32_t word, uint64_t *ret_number)
{
        *ret_number = (uint64_t)(word >> 10 & 0xfff) << (word & 1u << 22 ? 12 : 0);
        return (word & 0x7f80001f) == 0x7100001f;
}

/* b.hs and b.lo are 2 and 3, b.hi and b.ls are 8 and 9. */
static bool branches_arm64(uint32_t word, uint64_t *ret_n_more)
{
        unsigned condition = word & 15;

        *ret_n_more = condition >= 8;
        return (word & 0xff000010) == 0x54000000 &&
               (condition == 2 || condition == 3 || condition == 8 || condition == 9);
}

bool disasm_bound_compares(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t *ret_number)
{
        return arch == DISASM_X86_64 ? compares_x86_64(code, size, ret_number)
                                     : compares_arm64(word_of(code, size), ret_number);
}

bool disasm_bound_branches(enum disasm_arch arch, const uint8_t *code, size_t size, uint64_t *ret_n_more)
{
        return arch == DISASM_X86_64 ? branches_x86_64(code, size, ret_n_more)
                                     : branches_arm64(word_of(code, size), ret_n_more);
}
