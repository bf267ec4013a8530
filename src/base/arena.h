/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: checked allocation that never returns NULL, and arenas for things that die together.
 * Running out of memory ends the program, here and nowhere else.  Sizes that come from a file are
 * checked against a named limit by the caller before they get here. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* Zeroed memory for `count` elements of `size` bytes; release with free().  count may be 0. */
void *mem_new(size_t count, size_t size) MUST_CHECK;

/* Grows or shrinks; new bytes are not zeroed. */
void *mem_resize(void *old, size_t count, size_t size) MUST_CHECK;

/* A copy of `text`; release with free(). */
char *mem_strdup(const char *text) MUST_CHECK;

/* Makes room for one more element in the array `items` with `n` used of `*cap`; returns the array. */
void *mem_grow(void *items, size_t n, size_t *cap, size_t size) MUST_CHECK;

/* ARRAY_PUSH(v.items, v.n_items, v.cap, value) for a plain array of any element type. */
#define ARRAY_PUSH(items, n, cap, ...)                                                                       \
        do {                                                                                                 \
                if ((n) == (cap))                                                                            \
                        (items) = mem_grow((items), (n), &(cap), sizeof(*(items)));                          \
                (items)[(n)++] = __VA_ARGS__;                                                                \
        } while (0)

struct arena_block;

/* Zero-initialised is empty and ready. */
struct arena {
        struct arena_block *block;
        size_t used_bytes;
        size_t total_bytes;
};

/* Zeroed memory aligned to 8 bytes (16 for sizes of 16 and more), valid until arena_release. */
void *arena_alloc(struct arena *arena, size_t size) MUST_CHECK;

/* Copies `len` bytes and adds a NUL. */
char *arena_copy(struct arena *arena, const char *text, size_t len) MUST_CHECK;

void arena_release(struct arena *arena);

#endif
