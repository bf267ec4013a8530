/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_marks.h"

#include <string.h>

#include "map.h"
#include "section_layout.h"
#include "tap.h"

/* The counts by way follow. */
enum {
        N_SAMPLES_OFF = SECTION_CONTENT_OFF,
        N_WAYS_OFF = N_SAMPLES_OFF + 8,
        N_ENDS_OFF = N_WAYS_OFF + 4,
        BY_WAY_OFF = N_ENDS_OFF + 4,
};

static const uint8_t bits[] = {0x81, 0x02};
static const struct stack_marks marks = {
        .n_samples = 10,
        .n_ways = 2,
        .n_ends = 3,
        .by_way = {7, 8},
        .by_end = {1, 2, 1ull << 40},
        .unwind_ns = 99,
        .cut = bits,
};

TEST(written_and_read)
{
        AUTO_RELEASE(buf) out = {0};
        struct stack_marks again;

        stack_marks_add(&marks, &out);
        EXPECT_INT(out.len, BY_WAY_OFF + 5 * 8 + 8 + 2);
        ASSERT_TRUE(stack_marks_read(cursor_make(out.data, out.len), &again));
        EXPECT_INT(again.n_samples, 10);
        EXPECT_INT(again.n_ways, 2);
        EXPECT_INT(again.n_ends, 3);
        EXPECT_INT(again.by_way[1], 8);
        EXPECT_INT(again.by_end[2], 1ll << 40);
        EXPECT_INT(again.unwind_ns, 99);
        for (uint64_t i = 0; i < 12; i++)
                EXPECT_INT(stack_marks_is_cut(&again, i), i == 0 || i == 7 || i == 9);
}

TEST(damage_is_refused)
{
        AUTO_RELEASE(buf) out = {0};
        struct stack_marks again = {.n_samples = 42};

        stack_marks_add(&marks, &out);
        for (size_t size = 0; size < out.len; size++)
                EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, size), &again));
        out.data[SECTION_VERSION_OFF] = 2;
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        out.data[SECTION_VERSION_OFF] = 1;
        out.data[N_WAYS_OFF] = STACK_MARKS_MAX_KINDS + 1;
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        out.data[N_WAYS_OFF] = 2;
        out.data[N_SAMPLES_OFF + 7] = (char)0xff;
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        EXPECT_INT(again.n_samples, 42);
}

/* --- while recording --- */

static void expect_same_bits(uint64_t n_samples, unsigned one_in, size_t max_packed)
{
        AUTO_RELEASE(stack_cuts) cut = {0};
        AUTO_RELEASE(buf) wanted = {0};
        AUTO_RELEASE(buf) out = {0};
        uint64_t random = 1;

        buf_add_zeros(&wanted, (size_t)(n_samples + 7) / 8);
        for (uint64_t i = 0; i < n_samples; i++) {
                bool is_cut = one_in && (random = map_mix(random + i)) % one_in == 0;

                stack_cuts_add(&cut, is_cut);
                wanted.data[i / 8] |= (char)(is_cut << i % 8);
        }
        stack_cuts_unpack(&cut, &out);
        EXPECT_INT(out.len, wanted.len);
        EXPECT_TRUE(out.len == wanted.len && !memcmp(buf_text(&out), buf_text(&wanted), out.len));
        if (cut.packed.len > max_packed)
                TAP_FAIL("%zu bytes for one cut stack in %u", cut.packed.len, one_in);
}

TEST(few_cut_stacks_take_few_bytes)
{
        for (uint64_t n = 0; n < 40; n++)
                for (unsigned one_in = 0; one_in < 5; one_in++)
                        expect_same_bits(n, one_in, 16);
        expect_same_bits(8 * 255 + 8, 0, 2);
        expect_same_bits(8 * 256 + 8, 0, 4);
        /* A bit each would be 125000 bytes. */
        expect_same_bits(1000000, 0, 1000);
        expect_same_bits(1000000, 1000, 4000);
        expect_same_bits(1000000, 20, 130000);
        expect_same_bits(1000000, 1, 125000);
}

TAP_MAIN
