/* SPDX-License-Identifier: BSD-3-Clause */
/* The call chains of earlier samples, with counts: most samples repeat one of them. Lookups in the two large
 * tables are random, so they are prefetched a few samples ahead. */
#ifndef KNOWN_CHAINS_H
#define KNOWN_CHAINS_H

#include <stddef.h>
#include <stdint.h>

/* A chain is identified by two independent hashes. */
struct chain_key {
        uint64_t hash;
        uint32_t check;
};

struct known_chain {
        uint32_t series, node; /* the node where the chain ends */
        uint64_t count, weight;
};

enum { KNOWN_CHAINS_MAX = 1 << 18 };

struct known_slot;

/* Zero-initialize before use. */
struct known_chains {
        struct known_chain *chains;
        size_t n, cap;
        struct known_slot *slots; /* open addressing by hash */
        size_t n_slots;           /* a power of two, or 0 */
};

/* Returns the chain's index + 1; 0 if it is unknown. */
uint32_t known_chains_find(const struct known_chains *known, const struct chain_key *key);

/* Adds a chain that was not found. There must be fewer than KNOWN_CHAINS_MAX; call known_chains_clear if
 * there are not. */
void known_chains_add(struct known_chains *known, const struct chain_key *key,
                      const struct known_chain *chain);

/* Prefetches for a later known_chains_find. */
void known_chains_expect(const struct known_chains *known, const struct chain_key *key);

void known_chains_clear(struct known_chains *known);
void known_chains_release(struct known_chains *known);

#endif
