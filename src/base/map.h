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

#define MAP_FACTOR 0xd6e8feb86659fd93u

/* One to one where both factors are odd. */
static inline uint64_t map_mix_by(uint64_t x, uint64_t first, uint64_t second)
{
        x ^= x >> 32;
        x *= first;
        x ^= x >> 32;
        x *= second;
        return x ^ (x >> 32);
}

/* Mixes 64 bits well; for keys made of several numbers. */
static inline uint64_t map_mix(uint64_t x)
{
        return map_mix_by(x, MAP_FACTOR, MAP_FACTOR);
}

/* A hash of bytes, which differs from process to process once map_set_key was called: for maps in memory, and nothing that
 * is written or shown may depend on it. */
uint64_t map_hash_bytes(const void *bytes, size_t size);

/* The same on every run and machine, for what is written or shown.  Who chooses the bytes can choose the sum too. */
uint64_t map_sum_bytes(const void *bytes, size_t size);

/* Makes map_hash_bytes secret, so that nobody can make a file whose texts all have the same hash.  `key` is random.  To be
 * called before the first thread and the first map; a process that does not call it has the hashes of map_sum_bytes. */
enum { MAP_KEY_WORDS = 3 };
void map_set_key(const uint64_t key[MAP_KEY_WORDS]);

#endif
