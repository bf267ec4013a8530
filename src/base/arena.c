/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

struct arena_block {
        struct arena_block *next;
        size_t size;
        _Alignas(16) unsigned char bytes[];
};

/* The first blocks are small, because many arenas contain only a name, and blocks are zeroed. */
enum { FIRST_BLOCK_BYTES = 4 * 1024, BLOCK_BYTES = 64 * 1024 };

static size_t next_block_bytes(const struct arena *arena)
{
        size_t doubled = arena->total_bytes < BLOCK_BYTES / 2 ? arena->total_bytes * 2 : BLOCK_BYTES;

        return doubled > FIRST_BLOCK_BYTES ? doubled : FIRST_BLOCK_BYTES;
}

void *arena_alloc(struct arena *arena, size_t size)
{
        size_t align = size >= 16 ? 16 : 8;
        size_t start = (arena->used_bytes + align - 1) & ~(align - 1);
        size_t end;

        if (__builtin_add_overflow(start, size, &end))
                mem_exhausted(size);
        if (!arena->block || end > arena->block->size) {
                size_t next = next_block_bytes(arena), bytes = size > next / 4 ? size : next;
                struct arena_block *block = mem_new(1, sizeof(*block) + bytes);

                block->size = bytes;
                arena->total_bytes += bytes;
                if (bytes == size && arena->block) {
                        /* A large allocation gets its own block; the current one stays in use. */
                        block->next = arena->block->next;
                        arena->block->next = block;
                        return block->bytes;
                }
                block->next = arena->block;
                arena->block = block;
                start = 0;
                end = size;
        }
        arena->used_bytes = end;
        return arena->block->bytes + start;
}

char *arena_copy(struct arena *arena, const char *text, size_t len)
{
        char *copy = arena_alloc(arena, len + 1);

        memcpy(copy, text, len);
        return copy;
}

void arena_release(struct arena *arena)
{
        while (arena->block) {
                struct arena_block *next = arena->block->next;

                free(arena->block);
                arena->block = next;
        }
        *arena = (struct arena){0};
}
