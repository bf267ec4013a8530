/* SPDX-License-Identifier: BSD-3-Clause */
/* The distinct places (module and offset) of samples and callers, numbered in the order in which they were
 * found. An address is looked up in the world once for each state of the maps. */
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
        PLACE_CUT = PERF_MISC_CPUMODE_MASK, /* instead of a CPU mode: callers are missing */
        PLACE_STATE = PLACE_CUT | 0x100,    /* the same: the "address" is a state of the thread */
        PLACE_BYTES = 128, /* memory for one place, including slots, rows and its own stack */
};

/* Two places are equal if module and offset are; without a module, is_kernel, is_cut and state must be equal,
 * too. */
struct code_place {
        uint64_t offset;  /* as in struct place */
        uint64_t base;    /* address of file offset 0 in its map, when it was first found */
        module_id module; /* as in struct place */
        bool is_kernel;
        bool is_cut;   /* represents missing callers */
        uint8_t state; /* represents a state of the thread; 0: none */
};

enum { FOUND_WAYS = 4, PLACE_KEY_BITS = 4, PLACE_VERSION_BITS = 28 };

/* A cached lookup. `key` has the lower bits of the version, the CPU mode, and whether it is a caller. */
struct found_place {
        uint64_t addr;
        uint32_t key;    /* 0 if free */
        uint32_t number; /* number of the place */
};

struct places {
        struct code_place *items;
        size_t n, cap;
        struct place_slot *slots; /* module and offset to number + 1 */
        size_t n_slots;           /* a power of two, or 0 */
        uint8_t *found_bytes;
        struct found_place *found; /* cache of lookups by address; in found_bytes, aligned to cache lines */
        unsigned found_bits;       /* log2 of the number of buckets */
        size_t n_looked_up;        /* lookups since the cache has this size */
        uint64_t epoch;            /* upper bits of the versions in `found` */
        bool merges_strays;
        struct budget_share *share; /* NULL for no limit; belongs to the caller */
};

/* `merges_strays`: all callers that are in no map become one place for user code and one for the kernel,
 * whatever their address. They come from frame pointers of code that does not maintain them, and nearly all
 * are different. */
void places_init(struct places *places, bool merges_strays);
void places_release(struct places *places);

/* Frees everything that only places_find needs. */
void places_finish(struct places *places);

/* An address to look up. */
struct place_query {
        uint64_t addr;
        uint32_t key;  /* places_key() of the next two fields and the state of the maps */
        uint16_t misc; /* CPU mode, PLACE_CUT or PLACE_STATE */
        bool is_caller;
};

/* `version` is the world_version() of process and mode. Keys are valid until the world changes. */
uint32_t places_key(struct places *places, uint64_t version, uint16_t misc, bool is_caller);

/* Only for places_find: the cache bucket of an address, and the lookup of a new one. */
static inline struct found_place *places_bucket(const struct places *places, uint64_t addr, uint32_t key)
{
        /* A constant, because buckets have no chains: addresses of one bucket are looked up again. */
        uint64_t hash = (addr ^ (uint64_t)key << 40) * 0x9e3779b97f4a7c15u;

        _Static_assert(PLACE_KEY_BITS + PLACE_VERSION_BITS == 32, "bits of the key");
        return &places->found[(hash >> (64 - places->found_bits)) * FOUND_WAYS];
}

uint32_t places_find_new(struct places *places, struct world *world, int32_t pid,
                         const struct place_query *query);

/* Returns the number of the place. `world` must be in the state of the key. */
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

/* Prefetches for a later places_find. */
static inline void places_expect(const struct places *places, const struct place_query *query)
{
        __builtin_prefetch(places_bucket(places, query->addr, query->key));
}

/* Adds a place of another set if it is new and returns its number. If there is no memory left, returns a
 * place without a module. */
uint32_t places_add(struct places *places, const struct code_place *place);

#endif
