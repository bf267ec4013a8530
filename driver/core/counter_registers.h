/* SPDX-License-Identifier: BSD-3-Clause */
/* The registers of a counter set, for counter_set.c and counter_keep.c. All functions are called on the
 * unit's CPU. */
#ifndef COUNTER_REGISTERS_H
#define COUNTER_REGISTERS_H

#include "counter_set.h"

static inline uint64_t counter_width_mask(uint32_t bits)
{
        return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A register that the class has once; one that the class lacks reads as 0, and is not written. */
uint64_t counter_registers_read(const struct counter_set *set, enum block_role role);
void counter_registers_write(const struct counter_set *set, enum block_role role, uint64_t value);

/* The registers of one counter: an index in `map`, or COUNTER_CYCLES, whose value is never written. */
uint64_t counter_registers_read_value(const struct counter_set *set, uint32_t counter);
/* The same with the bits above the counter's width, which some cores have. */
uint64_t counter_registers_read_whole(const struct counter_set *set, uint32_t counter);
void counter_registers_write_value(const struct counter_set *set, uint32_t counter, uint64_t value);
uint64_t counter_registers_read_event(const struct counter_set *set, uint32_t counter);
void counter_registers_write_event(const struct counter_set *set, uint32_t counter, uint64_t value);

/* Its bit in the masks, and its width at this moment. */
uint64_t counter_registers_bit(const struct counter_set *set, uint32_t counter);
uint32_t counter_registers_width(const struct counter_set *set, uint32_t counter);

/* Reads the overflow bits in `mask` and clears them; others stay. */
uint64_t counter_registers_take_overflows(const struct counter_set *set, uint64_t mask);

#endif
