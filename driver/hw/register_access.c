/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes system registers, and registers in memory by their width. */
#include "register_access.h"

#include "block_sysreg.h"

static volatile void *address(const struct hw_unit *unit, const struct block_class *class,
                              const struct block_register *reg, uint32_t index)
{
        uint32_t offset = reg->offset + (reg->stride ? (class->first + index) * reg->stride : 0);

        return (volatile char *)unit->memory + offset;
}

uint64_t register_access_read(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                              enum block_role role, uint32_t index)
{
        const struct block_register *reg = &class->registers[role];

        (void)ctx;
        if (reg->kind == BLOCK_SYSREG)
                return block_sysreg_read(reg->encoding);
        if (reg->kind != BLOCK_MMIO)
                return 0;
        if (reg->bits == 32)
                return *(volatile uint32_t *)address(unit, class, reg, index);
        return *(volatile uint64_t *)address(unit, class, reg, index);
}

void register_access_write(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                           enum block_role role, uint32_t index, uint64_t value)
{
        const struct block_register *reg = &class->registers[role];

        (void)ctx;
        if (reg->kind == BLOCK_SYSREG)
                block_sysreg_write(reg->encoding, value);
        else if (reg->kind == BLOCK_MMIO && reg->bits == 32)
                *(volatile uint32_t *)address(unit, class, reg, index) = (uint32_t)value;
        else if (reg->kind == BLOCK_MMIO)
                *(volatile uint64_t *)address(unit, class, reg, index) = value;
}
