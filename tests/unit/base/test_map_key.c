/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that have the same hash, as an attacker could make them, and the number of slots that a map reads
 * for them. */
#include <stdlib.h>

#include "map.h"
#include "mem.h"
#include "tap.h"

enum { N_TEXTS = 4000, N_SLOTS = 8192, WORDS = 2, TEXT_BYTES = WORDS * 8 };

static const uint64_t keys[][MAP_KEY_WORDS] = {
        {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0},
        {0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c},
};

/* The second word cancels the effect of the first, by the public hash function. */
static uint64_t (*make_texts(void))[WORDS]
{
        uint64_t(*texts)[WORDS] = mem_new(N_TEXTS, sizeof(*texts)), start = map_sum_bytes("", 0) ^ TEXT_BYTES;

        for (uint64_t i = 0; i < N_TEXTS; i++) {
                texts[i][0] = map_mix_fixed(i + 1);
                texts[i][1] = map_mix_fixed(start ^ texts[i][0]);
        }
        return texts;
}

typedef uint64_t hash_fn(const void *bytes, size_t size);

/* Number of slots that are read until each text has its own, as in struct map. */
static uint64_t count_probes(uint64_t (*texts)[WORDS], hash_fn *hash)
{
        bool *is_used = mem_new(N_SLOTS, sizeof(*is_used));
        uint64_t n = 0;

        for (size_t i = 0; i < N_TEXTS; i++) {
                size_t slot = map_mix(hash(texts[i], TEXT_BYTES)) % N_SLOTS;

                for (n++; is_used[slot]; n++)
                        slot = (slot + 1) % N_SLOTS;
                is_used[slot] = true;
        }
        free(is_used);
        return n;
}

static size_t count_hashes(uint64_t (*texts)[WORDS])
{
        struct map map = {0};
        size_t n;

        for (size_t i = 0; i < N_TEXTS; i++)
                map_put(&map, map_hash_bytes(texts[i], TEXT_BYTES), NULL);
        n = map.n_used;
        map_release(&map);
        return n;
}

static void expect_one_hash_without_a_key(void)
{
        uint64_t(*texts)[WORDS] = make_texts();

        EXPECT_INT(count_hashes(texts), 1);
        EXPECT_INT(count_probes(texts, map_hash_bytes), (uint64_t)N_TEXTS * (N_TEXTS + 1) / 2);
        free(texts);
}

static void expect_spread_with_any_key(void)
{
        uint64_t(*texts)[WORDS] = make_texts(), first[2];

        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                uint64_t n;

                map_set_key(keys[i]);
                EXPECT_INT(count_hashes(texts), N_TEXTS);
                n = count_probes(texts, map_hash_bytes);
                /* Half full: 1.5 are expected for each. */
                if (n > 2 * N_TEXTS)
                        EXPECT_INT(n, 2 * N_TEXTS);
                first[i] = map_hash_bytes(texts[0], TEXT_BYTES);
        }
        EXPECT_CMP(first[0], !=, first[1]);
        free(texts);
}

static void expect_no_key_in_what_is_written_and_shown(void)
{
        uint64_t before = map_sum_bytes("a text", 6);

        map_set_key(keys[1]);
        EXPECT_CMP(map_sum_bytes("a text", 6), ==, before);
        EXPECT_CMP(map_sum_bytes("a text", 6), ==, map_sum_bytes("a text", 6));
        EXPECT_CMP(map_hash_bytes("a text", 6), !=, before);
}

/* The number whose hash without a key is `hash`. */
static uint64_t unmix(uint64_t hash)
{
        uint64_t inverse = 1;

        for (int i = 0; i < 6; i++)
                inverse *= 2 - MAP_FACTOR * inverse;
        for (int i = 0; i < 2; i++)
                hash = (hash ^ hash >> 32) * inverse;
        return hash ^ hash >> 32;
}

/* Slots that are read for numbers whose hashes have equal low bits without a key. */
static uint64_t count_number_probes(void)
{
        bool *is_used = mem_new(N_SLOTS, sizeof(*is_used));
        uint64_t n = 0;

        for (uint64_t i = 0; i < N_TEXTS; i++) {
                size_t slot = map_mix(unmix(i << 32)) % N_SLOTS;

                for (n++; is_used[slot]; n++)
                        slot = (slot + 1) % N_SLOTS;
                is_used[slot] = true;
        }
        free(is_used);
        return n;
}

static void expect_numbers_spread_with_any_key(void)
{
        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                map_set_key(keys[i]);
                EXPECT_CMP(count_number_probes(), <=, 2 * N_TEXTS);
                for (size_t k = 0; k < MAP_N_FACTORS; k++)
                        EXPECT_TRUE(map_factors[k] & 1);
                EXPECT_CMP(map_mix_fixed(unmix(i)), ==, i);
        }
}

/* One test, since a process has one key and tests come in any order. */
TEST(keys_of_hashes)
{
        expect_one_hash_without_a_key();
        EXPECT_INT(count_number_probes(), (uint64_t)N_TEXTS * (N_TEXTS + 1) / 2);
        expect_no_key_in_what_is_written_and_shown();
        expect_spread_with_any_key();
        expect_numbers_spread_with_any_key();
}

TAP_MAIN
