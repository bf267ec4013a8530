/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a Python process, read through a callback.  The content is not trusted. */
#ifndef PYTHON_MEMORY_H
#define PYTHON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `read` copies `size` bytes; false if not all of them can be read.  The copy is optional: bytes that the
 * caller already has, such as the native stack of a sample.  A read inside the copy does not call `read`.
 * Words are in this machine's byte order. */
struct python_memory {
        bool (*read)(void *ctx, uint64_t addr, void *ret_bytes, size_t size);
        void *ctx;
        uint64_t copy_start;
        const uint8_t *copy; /* kept by the caller; may be NULL */
        size_t copy_size;
        uint64_t n_reads; /* calls of `read` so far */
};

bool python_memory_read(struct python_memory *memory, uint64_t addr, void *ret_bytes, size_t size);
bool python_memory_word(struct python_memory *memory, uint64_t addr, uint64_t *ret_word);

#endif
