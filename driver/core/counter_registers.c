/* SPDX-License-Identifier: BSD-3-Clause */
#include "counter_registers.h"

uint64_t counter_registers_read(const struct counter_set *set, enum block_role role)
{
        if (set->class->registers[role].kind == BLOCK_ABSENT)
                return 0;
        return set->hw->read(set->hw->ctx, set->unit, set->class, role, 0);
}

void counter_registers_write(const struct counter_set *set, enum block_role role, uint64_t value)
{
        if (set->class->registers[role].kind != BLOCK_ABSENT)
                set->hw->write(set->hw->ctx, set->unit, set->class, role, 0, value);
}

static uint64_t read_own(const struct counter_set *set, enum block_role role, uint32_t counter)
{
        counter_registers_write(set, BLOCK_SELECT, set->map[counter]);
        return set->hw->read(set->hw->ctx, set->unit, set->class, role, set->map[counter]);
}

static void write_own(const struct counter_set *set, enum block_role role, uint32_t counter, uint64_t value)
{
        counter_registers_write(set, BLOCK_SELECT, set->map[counter]);
        set->hw->write(set->hw->ctx, set->unit, set->class, role, set->map[counter], value);
}

uint64_t counter_registers_read_whole(const struct counter_set *set, uint32_t counter)
{
        return counter == COUNTER_CYCLES ? counter_registers_read(set, BLOCK_CYCLES)
                                         : read_own(set, BLOCK_VALUE, counter);
}

uint64_t counter_registers_read_value(const struct counter_set *set, uint32_t counter)
{
        return counter_registers_read_whole(set, counter) &
               counter_width_mask(counter_registers_width(set, counter));
}

void counter_registers_write_value(const struct counter_set *set, uint32_t counter, uint64_t value)
{
        write_own(set, BLOCK_VALUE, counter, value);
}

uint64_t counter_registers_read_event(const struct counter_set *set, uint32_t counter)
{
        return read_own(set, BLOCK_EVENT, counter);
}

void counter_registers_write_event(const struct counter_set *set, uint32_t counter, uint64_t value)
{
        write_own(set, BLOCK_EVENT, counter, value);
}

uint64_t counter_registers_bit(const struct counter_set *set, uint32_t counter)
{
        return UINT64_C(1) << (counter == COUNTER_CYCLES ? set->class->cycles_bit : set->map[counter]);
}

uint32_t counter_registers_width(const struct counter_set *set, uint32_t counter)
{
        if (counter == COUNTER_CYCLES)
                return set->class->cycles_bits;
        return set->is_wide ? 64 : set->class->counter_bits;
}

uint64_t counter_registers_take_overflows(const struct counter_set *set, uint64_t mask)
{
        uint64_t all = counter_registers_read(set, BLOCK_OVERFLOW);

        if (all & mask)
                counter_registers_write(set, BLOCK_OVERFLOW,
                                        set->class->overflow_write_1 ? all & mask : all & ~mask);
        return all & mask;
}
