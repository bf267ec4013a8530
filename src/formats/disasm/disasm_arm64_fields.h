/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of AArch64's instructions that several readers need. */
#ifndef DISASM_ARM64_FIELDS_H
#define DISASM_ARM64_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t arm64_field(uint32_t word, unsigned low, unsigned n_bits)
{
        return word >> low & ((1u << n_bits) - 1);
}

static inline int64_t arm64_signed_field(uint32_t word, unsigned low, unsigned n_bits)
{
        int64_t value = arm64_field(word, low, n_bits), sign = INT64_C(1) << (n_bits - 1);

        return (value ^ sign) - sign;
}

static inline bool arm64_is_load_or_store(uint32_t word)
{
        return (word & 0x0a000000) == 0x08000000;
}

/* Of loads and stores: their registers are vector registers. */
static inline bool arm64_is_simd(uint32_t word)
{
        return word & 1u << 26;
}

static inline bool arm64_has_unsigned_offset(uint32_t word)
{
        return (word & 0x3b000000) == 0x39000000;
}

/* The offset counts in units of 1 << scale bytes, the size of a register. */
static inline unsigned arm64_offset_scale(uint32_t word)
{
        return arm64_is_simd(word) && (word & 1u << 23) ? 4 : word >> 30;
}

/* The same of ldp and stp. */
static inline unsigned arm64_pair_scale(uint32_t word)
{
        return 2 + (arm64_is_simd(word) ? word >> 30 : word >> 31);
}

#endif
