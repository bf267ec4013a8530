/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers to bytecode in the registers and on the stack of a sample. */
#include "stop_fit.h"

#include "tap.h"

TEST(pointers_are_found_in_registers_and_in_the_part_of_the_stack)
{
        static const uint64_t regs[] = {1, 0x5000}, stack[] = {2, 0x7000, 3, 0x9000};
        const struct sample sample = {
                .regs_user = cursor_make(regs, sizeof(regs)),
                .stack_user = cursor_make(stack, sizeof(stack)),
        };
        struct stop_fit fit;

        stop_fit_begin(&fit, &sample);
        EXPECT_TRUE(stop_fit_has(&fit, 0, 0x5000, 0x5001));
        EXPECT_TRUE(!stop_fit_has(&fit, 0, 0x4000, 0x5000));
        EXPECT_TRUE(stop_fit_has(&fit, 16, 0x6ff0, 0x7001));
        EXPECT_TRUE(!stop_fit_has(&fit, 8, 0x6ff0, 0x7001));
        EXPECT_TRUE(!stop_fit_has(&fit, 24, 0x8000, 0xa000));
        EXPECT_TRUE(stop_fit_has(&fit, UINT64_MAX - 8, 0x8000, 0xa000));
        EXPECT_TRUE(!stop_fit_has(&fit, UINT64_MAX - 8, 0xb000, 0xc000));
}

TEST(a_sample_without_registers_has_none)
{
        const struct sample sample = {0};
        struct stop_fit fit;

        stop_fit_begin(&fit, &sample);
        EXPECT_TRUE(!stop_fit_has(&fit, 64, 0, UINT64_MAX));
}

TAP_MAIN
