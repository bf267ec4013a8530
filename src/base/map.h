/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash map from 64-bit keys to 64-bit values, open addressing; every key is allowed. */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

enum { MAP_SLOT_BYTES = 24 };

/* Zero-initialised is empty and ready. */
struct map {
        struct map_slot *slots;
        size_t n_used;
        size_t n_slots; /* a power of two, or 0 */
};

void map_release(struct map *map);

/* The value of `key`, or NULL; valid until the next map_put or map_remove. */
uint64_t *map_find(const struct map *map, uint64_t key);

/* The value of `key`, made 0 when it was not there (ret_new may be NULL); valid until the next map_put or
 * map_remove. */
uint64_t *map_put(struct map *map, uint64_t key, bool *ret_new);

/* False: it was not there. */
bool map_remove(struct map *map, uint64_t key);

/* Calls `fn` for each, in no order; it may change the value and not the map. */
void map_each(const struct map *map, void (*fn)(void *ctx, uint64_t key, uint64_t *value), void *ctx);

/* Mixes 64 bits well; for keys made of several numbers. */
static inline uint64_t map_mix(uint64_t x)
{
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        return x ^ (x >> 32);
}

/* A hash of bytes. */
uint64_t map_hash_bytes(const void *bytes, size_t size);

#endif
