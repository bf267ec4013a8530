/* SPDX-License-Identifier: BSD-3-Clause */
#include "md5.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 64, N_STEPS = 64 };

static uint32_t rotate(uint32_t x, unsigned n)
{
        return x << n | x >> (32 - n);
}

static uint32_t word_at(const uint8_t *block, unsigned index)
{
        const uint8_t *at = block + 4 * index;

        return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* RFC 1321, section 3.4: the first 32 bits of abs(sin(step + 1)). */
static void make_sines(uint32_t sines[N_STEPS])
{
        for (unsigned i = 0; i < N_STEPS; i++)
                sines[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
}

static void add_block(uint32_t state[4], const uint32_t sines[N_STEPS], const uint8_t *block)
{
        static const uint8_t shifts[4][4] = {
                {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

        for (unsigned i = 0; i < N_STEPS; i++) {
                unsigned round = i / 16;
                static const uint8_t factors[] = {1, 5, 3, 7}, starts[] = {0, 1, 5, 0};
                uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                 : round == 1 ? (d & b) | (~d & c)
                                 : round == 2 ? b ^ c ^ d
                                              : c ^ (b | ~d);
                uint32_t sum =
                        a + mixed + sines[i] + word_at(block, (factors[round] * i + starts[round]) % 16);

                a = d;
                d = c;
                c = b;
                b += rotate(sum, shifts[round][i % 4]);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
}

struct md5 md5_of(const void *bytes, size_t size)
{
        uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, sines[N_STEPS];
        const uint8_t *at = bytes;
        uint8_t last[2 * BLOCK_BYTES] = {0};
        size_t left = size, n_last;
        struct md5 md5;

        make_sines(sines);
        for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES)
                add_block(state, sines, at);
        if (left)
                memcpy(last, at, left);
        last[left] = 0x80;
        n_last = left + 1 + 8 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
        for (unsigned i = 0; i < 8; i++)
                last[n_last - 8 + i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
        for (size_t i = 0; i < n_last; i += BLOCK_BYTES)
                add_block(state, sines, last + i);
        for (unsigned i = 0; i < MD5_BYTES; i++)
                md5.bytes[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
        return md5;
}
