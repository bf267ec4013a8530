/* SPDX-License-Identifier: BSD-3-Clause */
/* If memory runs out, the program's own function ends it. */
#include "mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void (*on_exhausted)(void *ctx, size_t bytes);
static void *exhausted_ctx;

void mem_set_exhausted(void (*end)(void *ctx, size_t bytes), void *ctx)
{
        on_exhausted = end;
        exhausted_ctx = ctx;
}

void mem_exhausted(size_t size)
{
        if (on_exhausted)
                on_exhausted(exhausted_ctx, size);
        abort();
}

static size_t checked_product(size_t count, size_t size)
{
        size_t bytes;

        if (__builtin_mul_overflow(count, size, &bytes))
                mem_exhausted(SIZE_MAX);
        return bytes ? bytes : 1;
}

void *mem_new(size_t count, size_t size)
{
        size_t bytes = checked_product(count, size);
        void *p = calloc(1, bytes);

        if (!p)
                mem_exhausted(bytes);
        return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
        size_t bytes = checked_product(count, size);
        void *p = realloc(old, bytes);

        if (!p)
                mem_exhausted(bytes);
        return p;
}

char *mem_strdup(const char *text)
{
        size_t size = strlen(text) + 1;

        return memcpy(mem_new(size, 1), text, size);
}

void *mem_grow(void *items, size_t n, size_t *cap, size_t size)
{
        assert(n <= *cap && size);
        if (n < *cap)
                return items;
        *cap = *cap ? *cap * 2 : 8;
        return mem_resize(items, *cap, size);
}
