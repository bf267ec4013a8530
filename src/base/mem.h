/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: allocation that never returns NULL.  If memory runs out, the program ends, by the one function
 * that it chose.  Callers must check sizes from files against a named limit first. */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* Zeroed memory for `count` elements of `size` bytes; release with free().  count may be 0. */
void *mem_new(size_t count, size_t size) MUST_CHECK;

/* Grows or shrinks an allocation; new bytes are not zeroed. */
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

/* Ends the program because `bytes` more could not be allocated: calls the function below, or abort(). */
NO_RETURN void mem_exhausted(size_t bytes);

/* Chooses what ends the program; `end` must not return (if it does, abort() is called).  NULL: abort().
 * Call it before other threads start. */
void mem_set_exhausted(void (*end)(void *ctx, size_t bytes), void *ctx);

#endif
