/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains that samples had before, and how often since: most samples of a session touch nothing else.  Both tables are
 * large and asked at random, so each can be asked for ahead. */
#ifndef KNOWN_CHAINS_H
#define KNOWN_CHAINS_H

#include <stddef.h>
#include <stdint.h>

/* A chain is known by two hashes of it that do not depend on each other. */
struct chain_key {
        uint64_t hash;
        uint32_t check;
};

struct known_chain {
        uint32_t series, node; /* where it leads */
        uint64_t count, weight;
};

enum { KNOWN_CHAINS_MAX = 1 << 18 };

struct known_slot;

/* Zero-initialised is empty and ready. */
struct known_chains {
        struct known_chain *chains;
        size_t n, cap;
        struct known_slot *slots; /* by the hash, open addressing */
        size_t n_slots;           /* a power of two, or 0 */
};

/* Its index + 1; 0: it is not known. */
uint32_t known_chains_find(const struct known_chains *known, const struct chain_key *key);

/* Adds one that was not found.  With KNOWN_CHAINS_MAX of them there is no room: known_chains_clear comes first. */
void known_chains_add(struct known_chains *known, const struct chain_key *key,
                      const struct known_chain *chain);

/* Before known_chains_find. */
void known_chains_expect(const struct known_chains *known, const struct chain_key *key);

void known_chains_clear(struct known_chains *known);
void known_chains_release(struct known_chains *known);

#endif
