/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from the caller's copy, or by its callback. */
#include "python_memory.h"

#include <string.h>

bool python_memory_read(struct python_memory *memory, uint64_t addr, void *ret_bytes, size_t size)
{
        uint64_t off = addr - memory->copy_start;

        if (addr + size < addr)
                return false;
        if (memory->copy && addr >= memory->copy_start && off <= memory->copy_size &&
            size <= memory->copy_size - off) {
                memcpy(ret_bytes, memory->copy + off, size);
                return true;
        }
        memory->n_reads++;
        return memory->read(memory->ctx, addr, ret_bytes, size);
}

bool python_memory_word(struct python_memory *memory, uint64_t addr, uint64_t *ret_word)
{
        return python_memory_read(memory, addr, ret_word, sizeof(*ret_word));
}
