/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what happens when memory runs out: one line on standard error and the end. */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
        struct arena_block *next;
        size_t size;
        _Alignas(16) unsigned char bytes[];
};

/* The first blocks are small: many arenas hold a name and no more, and all of a block is zeroed. */
enum { FIRST_BLOCK_BYTES = 4 * 1024, BLOCK_BYTES = 64 * 1024 };

NO_RETURN static void out_of_memory(size_t size)
{
        fprintf(stderr, "wperf: out of memory (%zu bytes asked)\n", size);
        exit(125);
}

static size_t checked_product(size_t count, size_t size)
{
        size_t bytes;

        if (__builtin_mul_overflow(count, size, &bytes))
                out_of_memory(SIZE_MAX);
        return bytes ? bytes : 1;
}

void *mem_new(size_t count, size_t size)
{
        size_t bytes = checked_product(count, size);
        void *p = calloc(1, bytes);

        if (!p)
                out_of_memory(bytes);
        return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
        size_t bytes = checked_product(count, size);
        void *p = realloc(old, bytes);

        if (!p)
                out_of_memory(bytes);
        return p;
}

char *mem_strdup(const char *text)
{
        size_t size = strlen(text) + 1;

        return memcpy(mem_new(size, 1), text, size);
}

void *mem_grow(void *items, size_t n, size_t *cap, size_t size)
{
        if (n < *cap)
                return items;
        *cap = *cap ? *cap * 2 : 8;
        return mem_resize(items, *cap, size);
}

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
                out_of_memory(size);
        if (!arena->block || end > arena->block->size) {
                size_t next = next_block_bytes(arena), bytes = size > next / 4 ? size : next;
                struct arena_block *block = mem_new(1, sizeof(*block) + bytes);

                block->size = bytes;
                arena->total_bytes += bytes;
                if (bytes == size && arena->block) {
                        /* A large piece gets its own block; the current one stays in use. */
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
