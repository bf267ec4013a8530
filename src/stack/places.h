/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct places that samples and their callers lie at, numbered in the order in which they were found.  An address is
 * looked up in the world once for each state of its maps. */
#ifndef PLACES_H
#define PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "map.h"
#include "perf_abi.h"
#include "world.h"

enum {
        PLACE_CUT = PERF_MISC_CPUMODE_MASK, /* in place of a CPU mode: callers that are not known */
        PLACE_BYTES = 128, /* memory for one, with its slots, its rows and a stack of its own */
};

/* Two are one where module and offset are the same; without a module also is_kernel and is_cut. */
struct code_place {
        uint64_t offset;  /* as in struct place */
        uint64_t base;    /* where file offset 0 of its map would lie, when it was found first */
        module_id module; /* as in struct place */
        bool is_kernel;
        bool is_cut; /* it stands for callers that are not known */
};

enum { FOUND_WAYS = 4, PLACE_KEY_BITS = 4, PLACE_VERSION_BITS = 28 };

/* An answer: `key` is the version's lower bits, the CPU mode and whether it is a caller. */
struct found_place {
        uint64_t addr;
        uint32_t key;    /* 0: free */
        uint32_t number; /* of the place */
};

struct places {
        struct code_place *items;
        size_t n, cap;
        struct place_slot *slots; /* number + 1 by module and offset */
        size_t n_slots;           /* a power of two, or 0 */
        uint8_t *found_bytes;
        struct found_place
                *found;      /* answers given before, by address; in found_bytes, where a cache line begins */
        unsigned found_bits; /* of the number of buckets */
        size_t n_looked_up;  /* since there are as many */
        uint64_t epoch;      /* the upper bits of the versions in `found` */
        bool merges_strays;
        struct budget_share *share; /* NULL: no limit; kept by the caller */
};

/* `merges_strays`: callers that lie in no map are one place (one of user code, one of the kernel), whatever their address.  Frame
 * pointers of code that has none are such, nearly all of them different. */
void places_init(struct places *places, bool merges_strays);
void places_release(struct places *places);

/* Frees what only places_find needs. */
void places_finish(struct places *places);

/* An address to be looked up. */
struct place_query {
        uint64_t addr;
        uint32_t key;  /* places_key() of the next two and of the maps' state */
        uint16_t misc; /* CPU mode, or PLACE_CUT */
        bool is_caller;
};

/* `version` is world_version() of the process and mode.  Keys are valid until the world changes. */
uint32_t places_key(struct places *places, uint64_t version, uint16_t misc, bool is_caller);

/* For places_find alone: the answers that an address may be among; and what finds a new one. */
static inline struct found_place *places_bucket(const struct places *places, uint64_t addr, uint32_t key)
{
        uint64_t hash = (addr ^ (uint64_t)key << 40) * 0x9e3779b97f4a7c15u;

        _Static_assert(PLACE_KEY_BITS + PLACE_VERSION_BITS == 32, "bits of the key");
        return &places->found[(hash >> (64 - places->found_bits)) * FOUND_WAYS];
}

uint32_t places_find_new(struct places *places, struct world *world, int32_t pid,
                         const struct place_query *query);

/* Its number.  `world` is as the key says. */
static inline uint32_t places_find(struct places *places, struct world *world, int32_t pid,
                                   const struct place_query *query)
{
        const struct found_place *bucket = places_bucket(places, query->addr, query->key);

        for (size_t i = 0; i < FOUND_WAYS; i++) {
                if (bucket[i].addr == query->addr && bucket[i].key == query->key && query->key)
                        return bucket[i].number;
        }
        return places_find_new(places, world, pid, query);
}

/* Before places_find: fetches what it reads first. */
static inline void places_expect(const struct places *places, const struct place_query *query)
{
        __builtin_prefetch(places_bucket(places, query->addr, query->key));
}

/* The number of a place of another set, added where it is new.  With no memory left for it, the number of a place without a
 * module. */
uint32_t places_add(struct places *places, const struct code_place *place);

#endif
