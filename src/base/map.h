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

/* The value of `key`, set to 0 if the key was not in the map (ret_new may be NULL); valid until the next
 * map_put or map_remove. */
uint64_t *map_put(struct map *map, uint64_t key, bool *ret_new);

/* False if the key is not in the map. */
bool map_remove(struct map *map, uint64_t key);

/* Calls `fn` for each key, in no order; it may change the value, but not the map. */
void map_each(const struct map *map, void (*fn)(void *ctx, uint64_t key, uint64_t *value), void *ctx);

#define MAP_FACTOR 0xd6e8feb86659fd93u

/* One to one if both factors are odd. */
static inline uint64_t map_mix_by(uint64_t x, uint64_t first, uint64_t second)
{
        x ^= x >> 32;
        x *= first;
        x ^= x >> 32;
        x *= second;
        return x ^ (x >> 32);
}

/* Odd factors, random after map_set_key.  Tables of a room's own multiply by them, not by constants, for
 * which an attacker could compute numbers of one hash. */
enum { MAP_N_FACTORS = 8 };
extern uint64_t map_factors[MAP_N_FACTORS];

/* Mixes 64 bits well; for keys made from several numbers.  Different in each process, as map_hash_bytes. */
static inline uint64_t map_mix(uint64_t x)
{
        return map_mix_by(x, map_factors[0], map_factors[1]);
}

/* The same on every run and machine, for output. */
static inline uint64_t map_mix_fixed(uint64_t x)
{
        return map_mix_by(x, MAP_FACTOR, MAP_FACTOR);
}

/* A hash of bytes, which is different in each process if map_set_key was called.  For maps in memory; the
 * output must not depend on it. */
uint64_t map_hash_bytes(const void *bytes, size_t size);

/* The same on every run and machine, for output.  An attacker who chooses the bytes can also choose the
 * sum. */
uint64_t map_sum_bytes(const void *bytes, size_t size);

/* Makes map_hash_bytes, map_mix and struct map secret, so that an attacker cannot make a file whose texts
 * or numbers all have the same hash.  `key` is random.  To be called before the first thread and the first
 * map; without it, hashes are those of map_sum_bytes. */
enum { MAP_KEY_WORDS = 3 };
void map_set_key(const uint64_t key[MAP_KEY_WORDS]);

#endif
