/* SPDX-License-Identifier: BSD-3-Clause */
/* Arenas: memory for objects that are freed together. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

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
