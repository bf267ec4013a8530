/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_marks.h"

#include "tap.h"

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

        stack_marks_write(&marks, &out);
        EXPECT_INT(out.len, 24 + 5 * 8 + 8 + 2);
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

        stack_marks_write(&marks, &out);
        for (size_t size = 0; size < out.len; size++)
                EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, size), &again));
        out.data[4] = 2; /* version */
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        out.data[4] = 1;
        out.data[16] = STACK_MARKS_MAX_KINDS + 1;
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        out.data[16] = 2;
        out.data[15] = (char)0xff; /* samples */
        EXPECT_TRUE(!stack_marks_read(cursor_make(out.data, out.len), &again));
        EXPECT_INT(again.n_samples, 42);
}

TAP_MAIN
