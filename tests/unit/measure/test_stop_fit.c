/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers to bytecode in the registers and on the stack of a sample. */
#include "stop_fit.h"

#include "tap.h"

enum { SP = 0x10000 };

/* A function that has saved two registers, and the eval function that has called it. */
static const struct unwind_frame frames[] = {{.sp = SP}, {.sp = SP + 96}, {.sp = SP + 128}};

static bool has(const uint64_t *stack, size_t n_words, size_t n_frames, uint64_t start)
{
        static const uint64_t regs[] = {1, 0x5000};
        const struct sample sample = {
                .regs_user = cursor_make(regs, sizeof(regs)),
                .stack_user = cursor_make(stack, n_words * sizeof(*stack)),
        };
        struct stop_fit fit;

        stop_fit_begin(&fit, &sample);
        return stop_fit_has(&fit, frames, n_frames, 1, start, start + 0x10);
}

TEST(pointers_are_found_where_the_eval_function_keeps_them)
{
        const uint64_t stack[20] = {[9] = 0x7000, [13] = 0x8008, [17] = 0x9000};

        EXPECT_TRUE(has(stack, 20, 3, 0x5000));
        EXPECT_TRUE(!has(stack, 20, 3, 0x4ff0));
        EXPECT_TRUE(has(stack, 20, 3, 0x7000));
        EXPECT_TRUE(has(stack, 20, 3, 0x8000));
        EXPECT_TRUE(!has(stack, 13, 3, 0x8000));
        EXPECT_TRUE(!has(stack, 20, 3, 0x9000));
        EXPECT_TRUE(has(stack, 20, 2, 0x9000));
}

#if defined(__x86_64__)
TEST(old_values_of_a_function_inside_are_not)
{
        const uint64_t stack[20] = {[2] = 0x7000};

        EXPECT_TRUE(!has(stack, 20, 3, 0x7000));
}
#endif

TEST(a_sample_without_registers_has_none)
{
        const struct sample sample = {0};
        struct stop_fit fit;

        stop_fit_begin(&fit, &sample);
        EXPECT_TRUE(!stop_fit_has(&fit, frames, 3, 1, 0x5000, 0x6000));
}

TAP_MAIN
