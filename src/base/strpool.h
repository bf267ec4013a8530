/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned strings: equal text, equal id.  Id 0 is always the empty string, new ones count up from there. */
#ifndef STRPOOL_H
#define STRPOOL_H

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

/* The text of an id that strpool_add returned; valid for the pool's life. */
const char *strpool_get(const struct strpool *pool, str_id id);

size_t strpool_count(const struct strpool *pool);

#endif
