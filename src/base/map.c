/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear probing, at most two thirds full.  Removing a key moves later keys of the same run back, so that
 * no marks for removed keys are needed. */
#include "map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

struct map_slot {
        uint64_t key;
        uint64_t value;
        bool used;
};

_Static_assert(sizeof(struct map_slot) == MAP_SLOT_BYTES, "as map.h says");

void map_release(struct map *map)
{
        free(map->slots);
        *map = (struct map){0};
}

static struct map_slot *probe(const struct map *map, uint64_t key)
{
        size_t mask = map->n_slots - 1;
        size_t i = (size_t)map_mix(key) & mask;

        while (map->slots[i].used && map->slots[i].key != key)
                i = (i + 1) & mask;
        return &map->slots[i];
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
        struct map_slot *slot;

        if (!map->n_slots)
                return NULL;
        slot = probe(map, key);
        return slot->used ? &slot->value : NULL;
}

static void grow(struct map *map)
{
        struct map bigger = {.n_slots = map->n_slots ? map->n_slots * 2 : 16};

        assert(!(map->n_slots & (map->n_slots - 1)));
        bigger.slots = mem_new(bigger.n_slots, sizeof(*bigger.slots));
        for (size_t i = 0; i < map->n_slots; i++) {
                if (map->slots[i].used)
                        *probe(&bigger, map->slots[i].key) = map->slots[i];
        }
        bigger.n_used = map->n_used;
        free(map->slots);
        *map = bigger;
}

uint64_t *map_put(struct map *map, uint64_t key, bool *ret_new)
{
        struct map_slot *slot;

        if (map->n_used * 3 >= map->n_slots * 2)
                grow(map);
        slot = probe(map, key);
        if (ret_new)
                *ret_new = !slot->used;
        if (!slot->used) {
                *slot = (struct map_slot){.key = key, .used = true};
                map->n_used++;
        }
        return &slot->value;
}

/* A key may move to `hole` if that is not farther from the slot of its hash than its current slot. */
static bool may_move(const struct map *map, size_t from, size_t hole)
{
        size_t mask = map->n_slots - 1;
        size_t home = (size_t)map_mix(map->slots[from].key) & mask;

        return ((hole - home) & mask) <= ((from - home) & mask);
}

bool map_remove(struct map *map, uint64_t key)
{
        size_t hole, at;

        if (!map_find(map, key))
                return false;
        hole = at = (size_t)(probe(map, key) - map->slots);
        while (map->slots[at = (at + 1) & (map->n_slots - 1)].used) {
                if (may_move(map, at, hole)) {
                        map->slots[hole] = map->slots[at];
                        hole = at;
                }
        }
        map->slots[hole] = (struct map_slot){0};
        map->n_used--;
        return true;
}

void map_each(const struct map *map, void (*fn)(void *ctx, uint64_t key, uint64_t *value), void *ctx)
{
        for (size_t i = 0; i < map->n_slots; i++) {
                if (map->slots[i].used)
                        fn(ctx, map->slots[i].key, &map->slots[i].value);
        }
}

/* --- Hashes of bytes --- */

/* The factors are secret, too.  If they were known, an attacker could choose two first words whose
 * difference has a known effect on the hash for any start value, and a second word that cancels it. */
struct hash_key {
        uint64_t start, factors[2];
};

static const struct hash_key fixed_key = {0x9e3779b97f4a7c15u, {MAP_FACTOR, MAP_FACTOR}};
static struct hash_key process_key = {0x9e3779b97f4a7c15u, {MAP_FACTOR, MAP_FACTOR}};

uint64_t map_factors[MAP_N_FACTORS] = {
        MAP_FACTOR,          MAP_FACTOR,          0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu,
        0xd6e8feb86659fd93u, 0xff51afd7ed558ccdu, 0xd1342543de82ef95u, 0x94d049bb133111ebu,
};

void map_set_key(const uint64_t key[MAP_KEY_WORDS])
{
        /* An even factor would lose bits. */
        process_key = (struct hash_key){key[0], {key[1] | 1, key[2] | 1}};
        for (uint64_t i = 0; i < MAP_N_FACTORS; i++)
                map_factors[i] = map_mix_by(key[0] + i * MAP_FACTOR, key[1] | 1, key[2] | 1) | 1;
}

static inline uint64_t hash_by(const struct hash_key *key, const void *bytes, size_t size)
{
        uint64_t h = key->start ^ size, first = key->factors[0], second = key->factors[1];
        const uint8_t *at = bytes;

        for (; size >= 8; size -= 8, at += 8) {
                uint64_t word;

                memcpy(&word, at, sizeof(word));
                h = map_mix_by(h ^ word, first, second);
        }
        if (size) {
                uint64_t word = 0;

                memcpy(&word, at, size);
                h = map_mix_by(h ^ word, first, second);
        }
        return h;
}

uint64_t map_hash_bytes(const void *bytes, size_t size)
{
        return hash_by(&process_key, bytes, size);
}

uint64_t map_sum_bytes(const void *bytes, size_t size)
{
        return hash_by(&fixed_key, bytes, size);
}
