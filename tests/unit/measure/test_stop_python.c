/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks whose time is not exactly that of their sample. */
#include "stop_python.h"

#include "tap.h"

enum { TID = 5, PC = 0x1000, US = 1000, MS = 1000000, LONG = 5 * US };

/* Its frame has the number `code`. */
static void add(struct stop_python *python, int32_t tid, uint64_t time_ns, uint64_t pc, uint64_t code)
{
        const struct stop_python_stack stack = {
                .tid = tid, .time_ns = time_ns, .until_ns = time_ns + LONG, .pc = pc, .n_frames = 1};
        const struct python_frame frame = {.code = code};

        stop_python_add_stack(python, &stack, &frame);
}

/* 0: none. */
static uint64_t take(struct stop_python *python, int32_t tid, uint64_t time_ns, uint64_t pc)
{
        const struct python_frame *frames;
        struct stop_python_stack stack;

        if (!stop_python_take_near(python, tid, time_ns, pc, &stack, &frames))
                return 0;
        EXPECT_INT(stack.n_frames, 1);
        return frames[0].code;
}

TEST(the_nearest_stack_of_the_same_instruction)
{
        AUTO(stop_python) python = stop_python_new();

        add(python, TID, MS, PC, 1);
        add(python, TID, MS + 30 * US, PC, 2);
        add(python, TID + 1, MS + 35 * US, PC, 3);
        add(python, TID, MS + 40 * US, PC + 1, 4);
        add(python, TID, MS + 70 * US, PC, 5);
        EXPECT_INT(take(python, TID, MS + 40 * US, PC), 2);
        EXPECT_INT(take(python, TID + 1, MS + 40 * US, PC), 3);
        EXPECT_INT(take(python, TID, MS + 60 * US, PC), 5);
        EXPECT_INT(take(python, TID, MS + 80 * US, PC), 0);
        add(python, TID, MS + 150 * US, PC, 6);
        add(python, TID, MS + 157 * US, PC, 7);
        EXPECT_INT(take(python, TID, MS + 154 * US, PC), 6); /* while it was read */
}

TEST(a_stack_whose_sample_was_lost)
{
        AUTO(stop_python) python = stop_python_new();

        add(python, TID, MS, PC, 1);
        add(python, TID, 2 * MS, PC, 2);
        EXPECT_INT(take(python, TID, 2 * MS - 90 * US, PC), 2);
        EXPECT_INT(take(python, TID, 2 * MS, PC), 0);
        add(python, TID, 3 * MS, PC, 3);
        EXPECT_INT(take(python, TID, 3 * MS - 110 * US, PC), 0);
        EXPECT_INT(take(python, TID, 3 * MS - 90 * US, PC), 3);
}

/* Some always wait. */
TEST(many_stacks)
{
        enum { N = 5000 };
        AUTO(stop_python) python = stop_python_new();

        for (uint64_t i = 1; i <= N; i++) {
                add(python, TID, i * MS, PC, i);
                EXPECT_INT(take(python, TID, (i - 1) * MS, PC), i - 1);
        }
}

TAP_MAIN
