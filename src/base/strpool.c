/* SPDX-License-Identifier: BSD-3-Clause */
/* The text is in an arena; a map leads from its hash to a list of ids. */
#include "strpool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "map.h"
#include "mem.h"

struct pooled {
        const char *text;
        size_t len;
        str_id next; /* the next id with the same hash, or 0 */
};

struct strpool {
        struct arena arena;
        struct map by_hash;
        struct pooled *items;
        size_t n_items;
        size_t cap;
};

struct strpool *strpool_new(void)
{
        struct strpool *pool = mem_new(1, sizeof(*pool));

        ARRAY_PUSH(pool->items, pool->n_items, pool->cap, (struct pooled){.text = ""});
        return pool;
}

void strpool_free(struct strpool *pool)
{
        if (!pool)
                return;
        arena_release(&pool->arena);
        map_release(&pool->by_hash);
        free(pool->items);
        free(pool);
}

/* Searches the ids with the same hash, of which `id` is the newest; 0: not found. */
static str_id find_from(const struct strpool *pool, str_id id, const char *text, size_t len)
{
        while (id && (pool->items[id].len != len || memcmp(pool->items[id].text, text, len) != 0))
                id = pool->items[id].next;
        return id;
}

bool strpool_find_len(const struct strpool *pool, const char *text, size_t len, str_id *ret_id)
{
        const uint64_t *first;
        str_id id;

        len = strnlen(text, len);
        first = len ? map_find(&pool->by_hash, map_hash_bytes(text, len)) : NULL;
        id = first ? find_from(pool, (str_id)*first, text, len) : 0;
        if (len && !id)
                return false;
        *ret_id = id;
        return true;
}

str_id strpool_add_len(struct strpool *pool, const char *text, size_t len)
{
        uint64_t *first;
        str_id id;

        len = strnlen(text, len);
        if (!len)
                return 0;
        first = map_put(&pool->by_hash, map_hash_bytes(text, len), NULL);
        id = find_from(pool, (str_id)*first, text, len);
        if (id)
                return id;
        id = (str_id)pool->n_items;
        ARRAY_PUSH(pool->items, pool->n_items, pool->cap,
                   (struct pooled){arena_copy(&pool->arena, text, len), len, (str_id)*first});
        *first = id;
        return id;
}

str_id strpool_add(struct strpool *pool, const char *text)
{
        return strpool_add_len(pool, text, strlen(text));
}

const char *strpool_get(const struct strpool *pool, str_id id)
{
        assert(id < pool->n_items);
        return pool->items[id].text;
}

size_t strpool_bytes(const struct strpool *pool)
{
        return pool->arena.total_bytes + pool->cap * sizeof(*pool->items) +
               pool->by_hash.n_slots * MAP_SLOT_BYTES;
}

size_t strpool_count(const struct strpool *pool)
{
        return pool->n_items;
}
