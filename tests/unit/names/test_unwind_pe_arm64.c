/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps by ARM64's unwind codes. */
#include "attributes.h"
#include "budget.h"
#include "buf.h"
#include "tap.h"
#include "unwind_pe_state.h"

enum { X19 = 19, X20, X21, X29 = 29, X30, SP, PC, BODY = 0x60, EPILOGUE = 0x80, FUNCTION_BYTES = 0x100 };

/* A function with these codes, whose epilogue at EPILOGUE has the codes from `epilogue` on; 0: it has
 * none. */
static void make_arm64(struct image *image, const uint8_t *codes, size_t size, unsigned epilogue)
{
        size_t n_words = (size + 3) / 4;
        uint8_t info[256] = {0};
        uint32_t header = FUNCTION_BYTES / 4 | (epilogue ? 1u : 0) << 22 | (uint32_t)n_words << 27;
        uint32_t scope = EPILOGUE / 4 | epilogue << 22;
        size_t at = 4;

        *image = (struct image){.b = {.is_arm64 = true}};
        buf_add_zeros(&image->b.code, 0x400);
        memcpy(info, &header, 4);
        if (epilogue) {
                memcpy(info + at, &scope, 4);
                at += 4;
        }
        memset(info + at, 0xe4, 4 * n_words);
        memcpy(info + at, codes, size);
        pe_add_entry(&image->b, 0, 0, pe_add_info(&image->b, info, at + 4 * n_words));
        open_image(image);
}

static void make_packed(struct image *image, uint32_t word)
{
        *image = (struct image){.b = {.is_arm64 = true}};
        buf_add_zeros(&image->b.code, 0x400);
        pe_add_entry(&image->b, 0, 0, word);
        open_image(image);
}

/* x29 has the address of word `x29`. */
static void step_arm64(struct image *image, uint64_t code_off, uint64_t x29)
{
        image->regs = regs_at(OBJECT_MACHINE_ARM64, code_off);
        if (x29 != AS_IT_WAS)
                unwind_set_reg(&image->regs, X29, STACK + 8 * x29);
        take_step(image);
}

/* The return address is at word `lr`, and the caller's stack begins at word `sp`. */
static void expect_caller(const char *what, const struct image *image, uint64_t sp, uint64_t lr)
{
        uint64_t want = lr == AS_IT_WAS ? value_of(X30) : WORD(lr);

        if (image->how != UNWIND_PE_DONE)
                TAP_FAIL("%s: %d", what, image->how);
        else if (image->regs.values[PC] != want || image->regs.values[SP] != STACK + 8 * sp)
                TAP_FAIL("%s: pc 0x%llx sp 0x%llx", what, (unsigned long long)image->regs.values[PC],
                         (unsigned long long)image->regs.values[SP]);
        else if (unwind_has_reg(&image->regs, X30))
                TAP_FAIL("%s: lr is known", what);
}

/* stp x29, x30, [sp, -0x30]!; stp x19, x20, [sp, 0x10]; str x21, [sp, 0x20]; mov x29, sp; sub sp, sp, 0x40;
 * and back. */
static const uint8_t chained_frame[] = {0x04, 0xe1, 0xd0, 0x84, 0xc8, 0x02, 0x85, 0xe4,
                                        0x04, 0xd0, 0x84, 0xc8, 0x02, 0x85, 0xe4};

TEST(arm64_prologue_instruction_by_instruction)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, chained_frame, sizeof(chained_frame), 8);
        step_arm64(&image, 0, AS_IT_WAS);
        expect_caller("nothing done", &image, 0, AS_IT_WAS);
        expect_reg("nothing done", &image, X29, AS_IT_WAS);
        step_arm64(&image, 4, AS_IT_WAS);
        expect_caller("x29 and lr", &image, 6, 1);
        expect_reg("x29 and lr", &image, X29, 0);
        expect_reg("x29 and lr", &image, X19, AS_IT_WAS);
        step_arm64(&image, 8, AS_IT_WAS);
        expect_caller("a pair", &image, 6, 1);
        expect_reg("a pair", &image, X19, 2);
        expect_reg("a pair", &image, X20, 3);
        expect_reg("a pair", &image, X21, AS_IT_WAS);
        step_arm64(&image, 12, AS_IT_WAS);
        expect_reg("one more", &image, X21, 4);
        expect_caller("one more", &image, 6, 1);
        for (unsigned at = 20; at < EPILOGUE; at += 4) {
                /* Below is what the body takes. */
                step_arm64(&image, at, 100);
                expect_caller("body", &image, 106, 101);
                expect_reg("body", &image, X19, 102);
                expect_reg("body", &image, X20, 103);
                expect_reg("body", &image, X21, 104);
                expect_reg("body", &image, X29, 100);
        }
        step_arm64(&image, 16, 0);
        expect_caller("x29 is set", &image, 6, 1);
}

TEST(arm64_epilogue_instruction_by_instruction)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, chained_frame, sizeof(chained_frame), 8);
        step_arm64(&image, EPILOGUE, AS_IT_WAS);
        expect_caller("before it", &image, 14, 9);
        expect_reg("before it", &image, X21, 12);
        step_arm64(&image, EPILOGUE + 4, AS_IT_WAS);
        expect_caller("add", &image, 6, 1);
        expect_reg("add", &image, X21, 4);
        step_arm64(&image, EPILOGUE + 8, AS_IT_WAS);
        expect_caller("ldr", &image, 6, 1);
        expect_reg("ldr", &image, X21, AS_IT_WAS);
        expect_reg("ldr", &image, X19, 2);
        step_arm64(&image, EPILOGUE + 12, AS_IT_WAS);
        expect_caller("ldp", &image, 6, 1);
        expect_reg("ldp", &image, X19, AS_IT_WAS);
        expect_reg("ldp", &image, X29, 0);
        step_arm64(&image, EPILOGUE + 16, AS_IT_WAS);
        expect_caller("ret", &image, 0, AS_IT_WAS);
        expect_reg("ret", &image, X29, AS_IT_WAS);
        step_arm64(&image, EPILOGUE + 20, 50);
        expect_caller("behind it", &image, 56, 51);
        /* A return address is in the body, whatever the code there is. */
        image.is_return = true;
        step_arm64(&image, EPILOGUE + 4, 50);
        expect_caller("return address", &image, 56, 51);
}

static void expect_body(const char *what, const uint8_t *codes, size_t size, uint64_t x29, uint64_t sp,
                        uint64_t lr, unsigned reg, uint64_t from)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, codes, size, 0);
        step_arm64(&image, BODY, x29);
        expect_caller(what, &image, sp, lr);
        expect_reg(what, &image, reg, from);
}

TEST(arm64_each_code)
{
        expect_body("alloc_s", BYTES(0x1f, 0xe4), AS_IT_WAS, 62, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("save_r19r20_x", BYTES(0x24, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, X20, 1);
        expect_body("save_fplr", BYTES(0x42, 0x02, 0xe4), AS_IT_WAS, 4, 3, X29, 2);
        expect_body("save_fplr_x", BYTES(0x83, 0xe4), AS_IT_WAS, 4, 1, X29, 0);
        expect_body("alloc_m", BYTES(0xc1, 0x00, 0xe4), AS_IT_WAS, 512, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("alloc_l", BYTES(0xe0, 0, 0x80, 0, 0xe4), AS_IT_WAS, 0x10000, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("save_regp", BYTES(0xca, 0x03, 0x04, 0xe4), AS_IT_WAS, 8, AS_IT_WAS, 28, 4);
        expect_body("save_regp_x", BYTES(0xcc, 0x43, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, X21, 1);
        expect_body("save_reg", BYTES(0xd2, 0xc1, 0x01, 0xe4), AS_IT_WAS, 2, 1, X19, AS_IT_WAS);
        expect_body("save_reg_x", BYTES(0xd4, 0x21, 0xe4), AS_IT_WAS, 2, AS_IT_WAS, X20, 0);
        expect_body("save_lrpair", BYTES(0xd6, 0x02, 0x02, 0xe4), AS_IT_WAS, 4, 3, X19, 2);
        expect_body("save_fregp_x", BYTES(0xda, 0x03, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("save_freg", BYTES(0xdc, 0x01, 0x01, 0xe4), AS_IT_WAS, 2, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("save_any_reg", BYTES(0xe7, 0x53, 0x01, 0x02, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, X20, 3);
        expect_body("save_any_reg, q", BYTES(0xe7, 0x60, 0x81, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, X20,
                    AS_IT_WAS);
        expect_body("set_fp", BYTES(0xe1, 0x81, 0xe4), 9, 11, 10, X29, 9);
        expect_body("add_fp", BYTES(0xe2, 0x02, 0x81, 0xe4), 9, 9, 8, X29, 7);
        expect_body("nop", BYTES(0xe3, 0x01, 0xe4), AS_IT_WAS, 2, AS_IT_WAS, X19, AS_IT_WAS);
        expect_body("save_next", BYTES(0xe6, 0x24, 0xe4), AS_IT_WAS, 4, AS_IT_WAS, 22, 3);
}

TEST(arm64_signed_return_address)
{
        AUTO_RELEASE(image) image;

        /* pacibsp, and nothing else */
        make_arm64(&image, BYTES(0xfc, 0xe4), 0);
        image.regs = regs_at(OBJECT_MACHINE_ARM64, 4);
        unwind_set_reg(&image.regs, X30, 0x7a00000000123456);
        take_step(&image);
        EXPECT_INT(image.regs.values[PC], 0x123456);
}

TEST(arm64_without_its_return_address)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, BYTES(0x01, 0xe4), 0);
        step_arm64(&image, BODY, AS_IT_WAS);
        expect_caller("a leaf with a frame", &image, 2, AS_IT_WAS);
        /* A function that called has lost it. */
        image.is_return = true;
        step_arm64(&image, BODY, AS_IT_WAS);
        EXPECT_INT(image.how, UNWIND_PE_NO_REGISTER);
        image.is_return = false;
        step_arm64(&image, 0x200, AS_IT_WAS);
        EXPECT_INT(image.how, UNWIND_PE_LEAF);
        EXPECT_INT(image.regs.values[PC], value_of(X30));
        EXPECT_INT(image.regs.values[SP], STACK);
        image.is_return = true;
        step_arm64(&image, 0x200, AS_IT_WAS);
        EXPECT_INT(image.how, UNWIND_PE_NO_RULE);
}

/* Codes of another part of the function count no instructions here. */
TEST(arm64_part_of_a_function)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, BYTES(0x01, 0xe5, 0x83, 0xe4), 0);
        step_arm64(&image, 0, AS_IT_WAS);
        expect_caller("its own not done", &image, 4, 1);
        step_arm64(&image, 4, AS_IT_WAS);
        expect_caller("all done", &image, 6, 3);
}

/* The memory where lr was stored is missing, which is another error than an unknown register. */
TEST(arm64_memory_that_is_not_there)
{
        uint64_t n_words = 1;
        AUTO_RELEASE(image) image;

        make_arm64(&image, BYTES(0x83, 0xe4), 0); /* stp x29, x30, [sp, -0x20]! */
        image.n_words = &n_words;
        step_arm64(&image, BODY, AS_IT_WAS);
        EXPECT_INT(image.how, UNWIND_PE_UNREAD);
        EXPECT_INT(image.regs.values[SP], STACK);
}

static void expect_refused(const char *what, enum unwind_pe how, const uint8_t *codes, size_t size)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, codes, size, 0);
        step_arm64(&image, BODY, AS_IT_WAS);
        if (image.how != how || image.regs.values[SP] != STACK)
                TAP_FAIL("%s: %d", what, image.how);
}

TEST(arm64_refused)
{
        expect_refused("vectors of unknown length", UNWIND_PE_UNSUPPORTED, BYTES(0xdf, 0x05, 0xe4));
        expect_refused("trap frame", UNWIND_PE_UNSUPPORTED, BYTES(0xe8, 0xe4));
        expect_refused("machine frame", UNWIND_PE_UNSUPPORTED, BYTES(0xe9, 0xe4));
        expect_refused("context", UNWIND_PE_UNSUPPORTED, BYTES(0xea, 0xe4));
        expect_refused("context of emulation", UNWIND_PE_UNSUPPORTED, BYTES(0xeb, 0xe4));
        expect_refused("unknown", UNWIND_PE_UNSUPPORTED, BYTES(0xed, 0xe4));
        expect_refused("nothing to go on from", UNWIND_PE_MALFORMED, BYTES(0xe6, 0xe4));
}

/* A function may have 65,535 epilogues, of 255 words of codes each. */
TEST(arm64_epilogues_count_as_work)
{
        enum { N_EPILOGUES = 500, CODE_WORDS = 4 };
        AUTO_RELEASE(image) image = {.b = {.is_arm64 = true}};
        AUTO_RELEASE(buf) info = {0};
        struct budget budget;

        buf_add_zeros(&image.b.code, 0x400);
        buf_add_u32(&info, FUNCTION_BYTES / 4);
        buf_add_u32(&info, N_EPILOGUES | CODE_WORDS << 16);
        for (unsigned i = 0; i < N_EPILOGUES; i++)
                buf_add_u32(&info, (FUNCTION_BYTES / 4 - 1) | 8u << 22);
        buf_add(&info, chained_frame, sizeof(chained_frame));
        buf_add_u8(&info, 0xe4);
        pe_add_entry(&image.b, 0, 0, pe_add_info(&image.b, info.data, info.len));
        open_image(&image);
        for (uint64_t most = N_EPILOGUES * 2; most; most = most == 1 ? 0 : 1) {
                budget_init(&budget, 0);
                budget.max_steps = most * 100;
                object_set_budget(image.object, &budget);
                step_arm64(&image, BODY, 3);
                EXPECT_INT(image.how, most == 1 ? UNWIND_PE_MALFORMED : UNWIND_PE_DONE);
                EXPECT_CMP(budget_has_given_up(&budget), ==, (most == 1));
                EXPECT_TRUE(most == 1 || budget.n_steps >= N_EPILOGUES);
                budget_release(&budget);
        }
        object_set_budget(image.object, NULL);
}

TEST(arm64_interrupted_caller)
{
        AUTO_RELEASE(image) image;

        make_arm64(&image, BYTES(0xec, 0x83, 0xe4), 0);
        step_arm64(&image, BODY, AS_IT_WAS);
        expect_caller("clear_unwound_to_call", &image, 4, 1);
        EXPECT_TRUE(image.is_caller_exact);
}

/* stp x19, x20, [sp, -0x20]!; str lr, [sp, 0x10]; sub sp, sp, 0x10; and at the end add, ldr, ldp, ret. */
TEST(arm64_packed)
{
        AUTO_RELEASE(image) image;
        uint32_t word = 1 | FUNCTION_BYTES / 4 << 2 | 2 << 16 | 1 << 21 | 3 << 23;
        unsigned end = FUNCTION_BYTES - 16;

        make_packed(&image, word);
        step_arm64(&image, 0, AS_IT_WAS);
        expect_caller("nothing done", &image, 0, AS_IT_WAS);
        step_arm64(&image, 4, AS_IT_WAS);
        expect_caller("a pair", &image, 4, AS_IT_WAS);
        expect_reg("a pair", &image, X19, 0);
        step_arm64(&image, 8, AS_IT_WAS);
        expect_caller("lr", &image, 4, 2);
        for (unsigned at = 12; at <= end; at += 4) {
                step_arm64(&image, at, AS_IT_WAS);
                expect_caller("body", &image, 6, 4);
                expect_reg("body", &image, X20, 3);
        }
        step_arm64(&image, end + 4, AS_IT_WAS);
        expect_caller("add", &image, 4, 2);
        step_arm64(&image, end + 8, AS_IT_WAS);
        expect_caller("ldr", &image, 4, AS_IT_WAS);
        expect_reg("ldr", &image, X20, 1);
        step_arm64(&image, end + 12, AS_IT_WAS);
        expect_caller("ldp", &image, 0, AS_IT_WAS);
        expect_reg("ldp", &image, X20, AS_IT_WAS);
        image_release(&image);
        /* A part without prologue and epilogue. */
        make_packed(&image, (word & ~3u) | 2);
        for (unsigned at = 0; at < FUNCTION_BYTES; at += 4) {
                step_arm64(&image, at, AS_IT_WAS);
                expect_caller("part", &image, 6, 4);
        }
}

TAP_MAIN
