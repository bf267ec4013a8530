/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages in registers and stack slots of AArch64; the words are gas's. */
#include "code_page_state.h"
#include "tap.h"

enum { PAGE = 0x7000 };

static const uint32_t store_x2 = 0xf90007e2, load_x3 = 0xf94007e3; /* at [sp, #8] */

static void execute(struct code_page_state *state, uint32_t word)
{
        const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                 (uint8_t)(word >> 24)};
        struct disasm_shape shape;

        EXPECT_TRUE(disasm_shape_get(DISASM_AARCH64, bytes, sizeof(bytes), 0x1000, &shape));
        code_page_state_execute(state, &shape, word);
}

static struct code_page_state state_with_x2(void)
{
        return (struct code_page_state){.page = {[2] = PAGE}, .known = 1u << 2};
}

/* Whether x2, stored at [sp, #8], is still there after `word`. */
static bool keeps_slot(uint32_t word)
{
        struct code_page_state state = state_with_x2();

        execute(&state, store_x2);
        execute(&state, word);
        execute(&state, load_x3);
        return code_page_state_get(&state, 3) == PAGE;
}

/* Whether x3 has the page that was in x2. */
static bool gives_x3(uint32_t word)
{
        struct code_page_state state = state_with_x2();

        execute(&state, word);
        return code_page_state_get(&state, 3) == PAGE;
}

TEST(slots_are_lost_where_the_stack_pointer_moves)
{
        EXPECT_TRUE(!keeps_slot(0x910043ff)); /* add sp, sp, #16 */
        EXPECT_TRUE(!keeps_slot(0xd14007ff)); /* sub sp, sp, #4096 */
        EXPECT_TRUE(!keeps_slot(0x910003bf)); /* mov sp, x29 */
        EXPECT_TRUE(!keeps_slot(0xcb2163ff)); /* sub sp, sp, x1 */
        EXPECT_TRUE(!keeps_slot(0xcb2173ff)); /* sub sp, sp, x1, lsl #4 */
        EXPECT_TRUE(!keeps_slot(0x927ced3f)); /* and sp, x9, #0xfffffffffffffff0 */
        EXPECT_TRUE(!keeps_slot(0x043f57df)); /* addvl sp, sp, #-2 */
        EXPECT_TRUE(!keeps_slot(0x047f503f)); /* addpl sp, sp, #1 */
        EXPECT_TRUE(!keeps_slot(0xa9bf7bfd)); /* stp x29, x30, [sp, #-16]! */
        EXPECT_TRUE(!keeps_slot(0xa8c17bfd)); /* ldp x29, x30, [sp], #16 */
        EXPECT_TRUE(!keeps_slot(0xf81f0fe0)); /* str x0, [sp, #-16]! */
        EXPECT_TRUE(!keeps_slot(0xf80107e0)); /* str x0, [sp], #16 */
}

TEST(slots_stay_where_it_does_not)
{
        EXPECT_TRUE(keeps_slot(0x8b2163e0)); /* add x0, sp, x1 */
        EXPECT_TRUE(keeps_slot(0xcb2163e0)); /* sub x0, sp, x1 */
        EXPECT_TRUE(keeps_slot(0xeb2163ff)); /* cmp sp, x1 */
        EXPECT_TRUE(keeps_slot(0xf10043ff)); /* cmp sp, #16 */
        EXPECT_TRUE(keeps_slot(0xf240001f)); /* tst x0, #1 */
        EXPECT_TRUE(keeps_slot(0x043f5020)); /* addvl x0, sp, #1 */
        EXPECT_TRUE(keeps_slot(0x04bf5020)); /* rdvl x0, #1 */
        EXPECT_TRUE(keeps_slot(0x3d8007e1)); /* str q1, [sp, #16] */
        EXPECT_TRUE(keeps_slot(0xf9000462)); /* str x2, [x3, #8] */
}

TEST(slots_are_overwritten_by_stores)
{
        EXPECT_TRUE(!keeps_slot(0xb9000fe5)); /* str w5, [sp, #12] */
        EXPECT_TRUE(!keeps_slot(0x29008be1)); /* stp w1, w2, [sp, #4] */
        EXPECT_TRUE(!keeps_slot(0x3d8003e1)); /* str q1, [sp] */
        EXPECT_TRUE(!keeps_slot(0xa9008be5)); /* stp x5, x2, [sp, #8] */
}

TEST(registers_take_pages_from_moves)
{
        EXPECT_TRUE(gives_x3(0xaa0203e3));  /* mov x3, x2 */
        EXPECT_TRUE(!gives_x3(0x2a0203e3)); /* mov w3, w2 */
        EXPECT_TRUE(!gives_x3(0xaa0303e2)); /* mov x2, x3 */
        EXPECT_TRUE(!gives_x3(0xaa020023)); /* orr x3, x1, x2 */
}

TEST(calls_keep_the_registers_that_they_may_not_change)
{
        struct code_page_state state = state_with_x2();

        state.page[16] = state.page[30] = PAGE;
        state.known |= 1u << 16 | 1u << 30;
        execute(&state, 0x94000000); /* bl */
        EXPECT_CMP(code_page_state_get(&state, 2), ==, PAGE);
        EXPECT_CMP(code_page_state_get(&state, 16), ==, CODE_NO_PAGE);
        EXPECT_CMP(code_page_state_get(&state, 30), ==, CODE_NO_PAGE);
}

TAP_MAIN
