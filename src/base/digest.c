/* SPDX-License-Identifier: BSD-3-Clause */
/* BLAKE2b as in RFC 7693, sections 3.1 to 3.3.  None of the linked libraries has such a hash. */
#include "digest.h"

#include <assert.h>
#include <string.h>

#include "attributes.h"

static const uint64_t iv[8] = {
        0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
        0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

static const uint8_t sigma[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

/* Initial parameters of the RFC, in one word: digest of 32 bytes, no key, one leaf. */
enum { PARAMETERS = 0x01010000 | DIGEST_BYTES };

static inline uint64_t rotate(uint64_t x, unsigned n)
{
        return x >> n | x << (64 - n);
}

#define MIX(a, b, c, d, x, y)                                                                                \
        do {                                                                                                 \
                a += b + (x);                                                                                \
                d = rotate(d ^ a, 32);                                                                       \
                c += d;                                                                                      \
                b = rotate(b ^ c, 24);                                                                       \
                a += b + (y);                                                                                \
                d = rotate(d ^ a, 16);                                                                       \
                c += d;                                                                                      \
                b = rotate(b ^ c, 63);                                                                       \
        } while (0)

/* `s` is a constant row of the table: loops over the rounds took a third longer. */
#define ROUND(s)                                                                                             \
        do {                                                                                                 \
                MIX(v[0], v[4], v[8], v[12], m[(s)[0]], m[(s)[1]]);                                          \
                MIX(v[1], v[5], v[9], v[13], m[(s)[2]], m[(s)[3]]);                                          \
                MIX(v[2], v[6], v[10], v[14], m[(s)[4]], m[(s)[5]]);                                         \
                MIX(v[3], v[7], v[11], v[15], m[(s)[6]], m[(s)[7]]);                                         \
                MIX(v[0], v[5], v[10], v[15], m[(s)[8]], m[(s)[9]]);                                         \
                MIX(v[1], v[6], v[11], v[12], m[(s)[10]], m[(s)[11]]);                                       \
                MIX(v[2], v[7], v[8], v[13], m[(s)[12]], m[(s)[13]]);                                        \
                MIX(v[3], v[4], v[9], v[14], m[(s)[14]], m[(s)[15]]);                                        \
        } while (0)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are hashed as they stand in memory");

static void compress(struct digest_state *state, const uint8_t *block, uint64_t is_last)
{
        uint64_t v[16], m[16];

        memcpy(m, block, sizeof(m));
        memcpy(v, state->h, sizeof(state->h));
        memcpy(v + 8, iv, sizeof(iv));
        v[12] ^= state->n_bytes;
        v[14] ^= is_last;
        ROUND(sigma[0]);
        ROUND(sigma[1]);
        ROUND(sigma[2]);
        ROUND(sigma[3]);
        ROUND(sigma[4]);
        ROUND(sigma[5]);
        ROUND(sigma[6]);
        ROUND(sigma[7]);
        ROUND(sigma[8]);
        ROUND(sigma[9]);
        ROUND(sigma[0]);
        ROUND(sigma[1]);
        for (size_t i = 0; i < N_ELEMENTS(state->h); i++)
                state->h[i] ^= v[i] ^ v[i + 8];
}

void digest_begin(struct digest_state *state)
{
        *state = (struct digest_state){0};
        memcpy(state->h, iv, sizeof(iv));
        state->h[0] ^= PARAMETERS;
}

void digest_add(struct digest_state *state, const void *bytes, size_t size)
{
        const uint8_t *at = bytes;

        assert(state->n_block <= DIGEST_BLOCK_BYTES);
        /* The last block is compressed at the end, even if it is full. */
        while (size > DIGEST_BLOCK_BYTES - state->n_block) {
                size_t n = DIGEST_BLOCK_BYTES - state->n_block;

                state->n_bytes += DIGEST_BLOCK_BYTES;
                if (state->n_block) {
                        memcpy(state->block + state->n_block, at, n);
                        compress(state, state->block, 0);
                        state->n_block = 0;
                } else {
                        compress(state, at, 0);
                }
                at += n;
                size -= n;
        }
        if (size)
                memcpy(state->block + state->n_block, at, size);
        state->n_block += size;
}

struct digest digest_end(struct digest_state *state)
{
        struct digest digest;

        assert(state->n_block <= DIGEST_BLOCK_BYTES);
        state->n_bytes += state->n_block;
        memset(state->block + state->n_block, 0, DIGEST_BLOCK_BYTES - state->n_block);
        compress(state, state->block, UINT64_MAX);
        memcpy(digest.bytes, state->h, sizeof(digest.bytes));
        return digest;
}

struct digest digest_of(const void *bytes, size_t size)
{
        struct digest_state state;

        digest_begin(&state);
        digest_add(&state, bytes, size);
        return digest_end(&state);
}
