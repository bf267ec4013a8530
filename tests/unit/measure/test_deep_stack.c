/* SPDX-License-Identifier: BSD-3-Clause */
#include "deep_stack.h"

#include "tap.h"

enum { TID = 5, MIB = 1 << 20, MS = 1000000 };

static void add_stack(struct deep_stacks *stacks, int32_t tid, uint64_t time_ns, size_t size)
{
        struct deep_stack stack = {.is_whole = true};

        buf_add_zeros(&stack.bytes, size);
        deep_stacks_add(stacks, tid, time_ns, &stack);
}

static bool takes(struct deep_stacks *stacks, int32_t tid, uint64_t time_ns, size_t size)
{
        struct deep_stack stack = {0};
        bool is_good = deep_stacks_take(stacks, tid, time_ns, &stack) && !stack.is_left_out &&
                       stack.bytes.len == size;

        buf_release(&stack.bytes);
        return is_good;
}

/* At most 64 MiB of stacks that wait for the unwinder are kept. */
TEST(more_than_are_kept)
{
        enum { N = 70, N_KEPT = 64 };
        AUTO(deep_stacks) stacks = deep_stacks_new();
        struct deep_stack stack = {0};

        for (uint64_t time_ns = 0; time_ns < N; time_ns++)
                add_stack(stacks, TID, time_ns, MIB);
        for (uint64_t time_ns = 0; time_ns < N; time_ns++) {
                EXPECT_TRUE(deep_stacks_take(stacks, TID, time_ns, &stack));
                EXPECT_CMP(stack.is_left_out, ==, (time_ns >= N_KEPT));
                EXPECT_INT(stack.bytes.len, stack.is_left_out ? 0 : MIB);
                EXPECT_INT(stack.used_size, stack.is_left_out ? MIB : 0);
                buf_release(&stack.bytes);
        }
        add_stack(stacks, TID, N, MIB); /* there is room again */
        EXPECT_TRUE(takes(stacks, TID, N, MIB));
}

/* Two CPUs may have sent their copies in the other order. */
TEST(nearly_in_order)
{
        AUTO(deep_stacks) stacks = deep_stacks_new();

        add_stack(stacks, TID, 2000, 20);
        add_stack(stacks, TID + 1, 1000, 10);
        add_stack(stacks, TID, 3000, 30);
        EXPECT_TRUE(!takes(stacks, TID, 1000, 10));
        EXPECT_TRUE(takes(stacks, TID + 1, 1000, 10));
        EXPECT_TRUE(!takes(stacks, TID + 1, 1000, 10));
        EXPECT_TRUE(takes(stacks, TID, 2000, 20));
        add_stack(stacks, TID, 4000, 40);
        EXPECT_TRUE(takes(stacks, TID, 4000, 40));
        EXPECT_TRUE(takes(stacks, TID, 3000, 30));
        add_stack(stacks, TID, 5000, 50);
        EXPECT_TRUE(takes(stacks, TID, 5000, 50));
}

/* Their samples were not unwound. */
TEST(those_that_nobody_takes)
{
        AUTO(deep_stacks) stacks = deep_stacks_new();

        for (int i = 0; i < 100; i++)
                add_stack(stacks, TID, 1000, MIB);
        add_stack(stacks, TID, 10 * MS, 10);
        EXPECT_TRUE(!takes(stacks, TID, 9 * MS, 10));
        add_stack(stacks, TID, 11 * MS, MIB);
        EXPECT_TRUE(takes(stacks, TID, 11 * MS, MIB));
}

TAP_MAIN
