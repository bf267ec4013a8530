/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of AArch64 instructions, by the groups of the Arm Architecture Reference Manual, C4.1.  Of
 * SIMD only the forms whose operands are all vector or floating-point registers, and conversions; SVE and
 * system instructions are left as they are. */
#include "disasm_registers_internal.h"

enum { FIXED = 31, SP = 31 }; /* the zero register or the stack pointer, which are not renamed */

/* The operands of an instruction. */
enum {
        D = 1 << 0, /* bits 0 to 4 */
        N = 1 << 1, /* bits 5 to 9 */
        A = 1 << 2, /* bits 10 to 14 */
        M = 1 << 3, /* bits 16 to 20 */
};

struct arm64_registers {
        uint32_t word; /* without the fields of the shape, and without what was taken out */
        struct disasm_registers *ret;
};

static uint32_t bits(uint32_t word, unsigned low, unsigned n)
{
        return word >> low & ((1u << n) - 1);
}

static bool is(uint32_t word, uint32_t mask, uint32_t value)
{
        return (word & mask) == value;
}

/* Takes out the registers of `set`; those of `vectors` are vector registers. */
static void take(struct arm64_registers *r, unsigned set, unsigned vectors)
{
        static const uint8_t lows[] = {0, 5, 10, 16};

        for (unsigned i = 0; i < 4; i++) {
                uint32_t number = bits(r->word, lows[i], 5);
                bool is_vector = vectors & 1u << i;

                if (!(set & 1u << i) || (number == FIXED && !is_vector))
                        continue;
                disasm_registers_add_name(r->ret, is_vector ? DISASM_NAME_VECTOR : DISASM_NAME_GENERAL,
                                          number);
                /* the number 31 is left in the word of a general register, so another one stands for all
                 * others */
                r->word &= ~(31u << lows[i]);
        }
}

static void take_slot(struct arm64_registers *r, uint32_t field, int64_t offset)
{
        r->word &= ~field;
        disasm_registers_add_name(r->ret, DISASM_NAME_SLOT, (uint32_t)offset);
}

static int64_t signed_bits(uint32_t word, unsigned low, unsigned n)
{
        int64_t value = bits(word, low, n), sign = INT64_C(1) << (n - 1);

        return (value ^ sign) - sign;
}

/* --- Loads and stores --- */

static bool is_vector_memory(uint32_t word)
{
        return word & 1u << 26;
}

static void take_pair(struct arm64_registers *r)
{
        bool is_simd = is_vector_memory(r->word),
             is_plain = bits(r->word, 23, 2) == 0 || bits(r->word, 23, 2) == 2;
        unsigned scale = 2 + (is_simd ? r->word >> 30 : r->word >> 31);

        if (is_plain && bits(r->word, 5, 5) == SP)
                take_slot(r, 0x7fu << 15, signed_bits(r->word, 15, 7) * (INT64_C(1) << scale));
        take(r, D | A | N, is_simd ? D | A : 0);
}

static void take_single(struct arm64_registers *r, const struct disasm_shape *shape)
{
        bool is_simd = is_vector_memory(r->word), is_prefetch = is(r->word, 0xc4c00000, 0xc0800000);
        unsigned set = (is_prefetch ? 0 : D) | N;

        if (r->word & 1u << 24) {
                if (bits(r->word, 5, 5) == SP && shape->n_refs) {
                        take_slot(r, 0, (int64_t)shape->refs[0].value);
                        r->ret->slot_ref = 0;
                }
        } else if (r->word & 1u << 21) {
                set |= M;
        } else if (!bits(r->word, 10, 2) && bits(r->word, 5, 5) == SP) {
                take_slot(r, 0x1ffu << 12, signed_bits(r->word, 12, 9));
        }
        take(r, set, is_simd ? D : 0);
}

static bool take_memory(struct arm64_registers *r, const struct disasm_shape *shape)
{
        switch (bits(r->word, 28, 2)) {
        case 0:
                if (is_vector_memory(r->word))
                        return false;
                take(r, D | N | A | M, 0); /* exclusive, ordered, compare and swap */
                return true;
        case 1:
                if (r->word & 1u << 24)
                        return false;
                take(r, D, is_vector_memory(r->word) ? D : 0);
                return true;
        case 2: take_pair(r); return true;
        default: take_single(r, shape); return true;
        }
}

/* --- Arithmetic --- */

static bool take_immediate(struct arm64_registers *r, const struct disasm_shape *shape)
{
        bool is_slot =
                is(r->word, 0xffc00000, 0x91000000) && bits(r->word, 5, 5) == SP && bits(r->word, 0, 5) != SP;

        switch (bits(r->word, 23, 3)) {
        case 0:
        case 1: /* adr, adrp */
        case 5: take(r, D, 0); return true;
        case 2:
                if (is_slot && shape->n_refs) {
                        take_slot(r, 0, (int64_t)shape->refs[0].value);
                        r->ret->slot_ref = 0;
                }
                take(r, D | N, 0);
                return true;
        case 4:
        case 6: take(r, D | N, 0); return true;
        case 7: take(r, D | N | M, 0); return true;
        default: return false;
        }
}

static bool take_register(struct arm64_registers *r)
{
        uint32_t kind = bits(r->word, 21, 4);

        if (!(r->word & 1u << 28)) {
                take(r, D | N | M, 0); /* logical, and add and subtract */
                return true;
        }
        if (kind & 8) {
                take(r, D | N | A | M, 0); /* multiply and add */
                return true;
        }
        switch (kind) {
        case 0: /* with carry; rotations into flags */
                if (bits(r->word, 10, 6))
                        return false;
                take(r, D | N | M, 0);
                return true;
        case 2: take(r, r->word & 1u << 11 ? N : N | M, 0); return true; /* conditional compare */
        case 4: take(r, D | N | M, 0); return true;                      /* conditional select */
        case 6: take(r, r->word & 1u << 30 ? D | N : D | N | M, 0); return true;
        default: return false;
        }
}

/* Between general and floating-point registers. */
static void take_conversion(struct arm64_registers *r)
{
        uint32_t operation = bits(r->word, 16, 3);
        bool is_to_vector = operation == 2 || operation == 3 || operation == 7;

        take(r, D | N, is_to_vector ? D : N);
}

static bool take_simd(struct arm64_registers *r)
{
        uint32_t word = r->word;

        if (is(word, 0x7f20fc00, 0x1e200000))
                take_conversion(r);
        else if (is(word, 0xff000000, 0x1f000000))
                take(r, D | N | A | M, D | N | A | M);
        else if (is(word, 0xff200c00, 0x1e200800) || is(word, 0xff200c00, 0x1e200c00) ||
                 is(word, 0x9f200400, 0x0e200400) || is(word, 0xdf200400, 0x5e200400))
                take(r, D | N | M, D | N | M); /* two sources, select, three vectors, three scalars */
        else if (is(word, 0xff207c00, 0x1e204000) || is(word, 0x9f3e0c00, 0x0e200800) ||
                 is(word, 0xdf3e0c00, 0x5e200800))
                take(r, D | N, D | N);
        else if (is(word, 0xff20fc07, 0x1e202000))
                take(r, word & 8 ? N : N | M, N | M); /* compare */
        else if (is(word, 0xff201fe0, 0x1e201000))
                take(r, D, D);
        else
                return false;
        return true;
}

/* --- Branches --- */

static bool take_branch(struct arm64_registers *r)
{
        if (is(r->word, 0x7e000000, 0x34000000) || is(r->word, 0x7e000000, 0x36000000))
                take(r, D, 0); /* cbz, tbz */
        else if (is(r->word, 0xff9ffc1f, 0xd61f0000) && bits(r->word, 21, 2) != 2)
                take(r, N, 0); /* br, blr; ret names x30 */
        else
                return false;
        return true;
}

bool disasm_registers_arm64(const struct disasm_shape *shape, struct disasm_registers *ret)
{
        struct arm64_registers r = {.ret = ret};
        bool is_known;

        if (shape->n_bytes != 4)
                return false;
        for (unsigned i = 0; i < 4; i++)
                r.word |= (uint32_t)shape->bytes[i] << (8 * i);
        if ((r.word & 0x1c000000) == 0x10000000)
                is_known = take_immediate(&r, shape);
        else if ((r.word & 0x1c000000) == 0x14000000)
                is_known = take_branch(&r);
        else if ((r.word & 0x0a000000) == 0x08000000)
                is_known = take_memory(&r, shape);
        else if ((r.word & 0x0e000000) == 0x0a000000)
                is_known = take_register(&r);
        else
                is_known = (r.word & 0x0e000000) == 0x0e000000 && take_simd(&r);
        for (unsigned i = 0; i < 4 && is_known; i++)
                disasm_registers_add_form(ret, (uint8_t)(r.word >> (8 * i)));
        return is_known;
}
