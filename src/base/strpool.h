/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned strings: equal text, equal id.  Id 0 is always the empty string, new ones count up from there. */
#ifndef STRPOOL_H
#define STRPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

struct strpool;

typedef uint32_t str_id;

struct strpool *strpool_new(void);
void strpool_free(struct strpool *pool);
AUTO_DEFINE(strpool)

str_id strpool_add(struct strpool *pool, const char *text);
str_id strpool_add_len(struct strpool *pool, const char *text,
                       size_t len); /* text up to its first NUL, if any */

/* Whether it is there already: its id. */
bool strpool_find_len(const struct strpool *pool, const char *text, size_t len, str_id *ret_id);

enum { STRPOOL_ITEM_BYTES = 64 }; /* what a string takes beyond its length, about */

/* The text of an id that strpool_add returned; valid for the pool's life. */
const char *strpool_get(const struct strpool *pool, str_id id);

/* The memory that it takes, about. */
size_t strpool_bytes(const struct strpool *pool);

size_t strpool_count(const struct strpool *pool);

#endif
