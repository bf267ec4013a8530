/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: checked allocation that never returns NULL.  Running out of memory ends the program, here and nowhere else.  The
 * caller checks sizes that come from a file against a named limit before they get here. */
#ifndef MEM_H
#define MEM_H

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

/* Says that memory is exhausted and ends the program. */
NO_RETURN void mem_exhausted(size_t bytes);

#endif
