/* SPDX-License-Identifier: BSD-3-Clause */
/* Interned strings: equal texts have equal ids.  Id 0 is the empty string; new ids count up from there. */
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

/* True if the text is in the pool already; *ret_id is then its id. */
bool strpool_find_len(const struct strpool *pool, const char *text, size_t len, str_id *ret_id);

enum { STRPOOL_ITEM_BYTES = 64 }; /* approximate memory for a string in addition to its length */

/* The text of an id that strpool_add returned; valid as long as the pool. */
const char *strpool_get(const struct strpool *pool, str_id id);

/* The approximate memory of the pool. */
size_t strpool_bytes(const struct strpool *pool);

size_t strpool_count(const struct strpool *pool);

#endif
