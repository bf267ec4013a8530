/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash for bytes that an attacker may have chosen: BLAKE2b with a digest of 32 bytes and no key (RFC
 * 7693). It is not feasible to make two texts with the same digest; map_hash_bytes does not guarantee
 * this. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_BLOCK_BYTES = 128 };

struct digest {
        uint8_t bytes[DIGEST_BYTES];
};

struct digest_state {
        uint64_t h[8];
        uint64_t n_bytes; /* number of bytes compressed so far */
        uint8_t block[DIGEST_BLOCK_BYTES];
        size_t n_block; /* number of bytes in it */
};

void digest_begin(struct digest_state *state);
void digest_add(struct digest_state *state, const void *bytes, size_t size);
struct digest digest_end(struct digest_state *state);

/* The digest of one piece of memory. */
struct digest digest_of(const void *bytes, size_t size);

#endif
