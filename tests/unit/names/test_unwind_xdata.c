/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mem.h"
#include "tap.h"
#include "test_data.h"
#include "unwind_xdata.h"

#define N(array)   (sizeof(array) / sizeof((array)[0]))
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define NONE       UNWIND_NO_REG
#define OPS(...)   (const struct want[]){__VA_ARGS__}, N(((const struct want[]){__VA_ARGS__}))
#define IMAGE_BASE 0x180000000ull

/* As struct unwind_op, without its place. */
struct want {
        uint8_t kind, reg, reg2;
        uint32_t amount;
        uint8_t flags;
};

static void expect_ops(const char *what, const struct unwind_ops *ops, const struct want *want, size_t n)
{
        if (ops->n != n)
                TAP_FAIL("%s: %u operations, want %zu", what, ops->n, n);
        for (size_t i = 0; i < n && i < ops->n; i++) {
                const struct unwind_op *op = &ops->items[i];

                if (op->kind != want[i].kind || op->reg != want[i].reg || op->reg2 != want[i].reg2 ||
                    op->amount != want[i].amount || op->flags != want[i].flags)
                        TAP_FAIL("%s: operation %zu is {%u, %u, %u, %u, %u}", what, i, op->kind, op->reg,
                                 op->reg2, op->amount, op->flags);
        }
}

/* --- x64 --- */

static void expect_x64(const char *what, const uint8_t *bytes, size_t size, const struct want *want, size_t n)
{
        struct cursor info = cursor_make(bytes, size);
        struct unwind_x64 x64;
        struct unwind_ops ops;
        struct err err = {0};

        if (!unwind_x64_read(&info, &x64, &err) || !unwind_x64_ops(&x64, &ops, &err))
                TAP_FAIL("%s: %s", what, err.text);
        else
                expect_ops(what, &ops, want, n);
}

static void expect_x64_refused(const char *text, const uint8_t *bytes, size_t size)
{
        struct cursor info = cursor_make(bytes, size);
        struct unwind_x64 x64;
        struct unwind_ops ops;
        struct err err = {0};

        EXPECT_TRUE(!unwind_x64_read(&info, &x64, &err) || !unwind_x64_ops(&x64, &ops, &err));
        EXPECT_STR(err.text, text);
}

TEST(x64_each_code)
{
        expect_x64("push r12", BYTES(1, 2, 1, 0, 2, 0xc0, 0, 0), OPS({UNWIND_OP_PUSH, 12, NONE, 8, 0}));
        expect_x64("small", BYTES(1, 4, 1, 0, 4, 0x02, 0, 0), OPS({UNWIND_OP_ALLOC, NONE, NONE, 8, 0}));
        expect_x64("small, largest", BYTES(1, 4, 1, 0, 4, 0xf2, 0, 0),
                   OPS({UNWIND_OP_ALLOC, NONE, NONE, 128, 0}));
        expect_x64("large", BYTES(1, 7, 2, 0, 7, 0x01, 0xff, 0xff),
                   OPS({UNWIND_OP_ALLOC, NONE, NONE, 0xffff * 8, 0}));
        expect_x64("large, unscaled", BYTES(1, 7, 3, 0, 7, 0x11, 0x08, 0x00, 0x34, 0x12, 0, 0),
                   OPS({UNWIND_OP_ALLOC, NONE, NONE, 0x12340008, 0}));
        expect_x64("frame", BYTES(1, 5, 1, 0xf5, 5, 0x03, 0, 0), OPS({UNWIND_OP_SET_FP, 5, NONE, 240, 0}));
        expect_x64("save", BYTES(1, 5, 2, 0, 5, 0x64, 3, 1), OPS({UNWIND_OP_MOVE, 6, NONE, 0x103 * 8, 0}));
        expect_x64("save far", BYTES(1, 8, 3, 0, 8, 0xf5, 8, 0, 9, 0, 0, 0),
                   OPS({UNWIND_OP_MOVE, 15, NONE, 0x90008, 0}));
        expect_x64("xmm", BYTES(1, 8, 2, 0, 8, 0xf8, 2, 0), OPS({UNWIND_OP_MOVE_XMM, 15, NONE, 32, 0}));
        expect_x64("xmm far", BYTES(1, 9, 3, 0, 9, 0x69, 0x10, 0, 0x10, 0, 0, 0),
                   OPS({UNWIND_OP_MOVE_XMM, 6, NONE, 0x100010, 0}));
        expect_x64("machine", BYTES(1, 0, 1, 0, 0, 0x0a, 0, 0),
                   OPS({UNWIND_OP_PUSH_MACHINE, NONE, NONE, 0, 0}));
        expect_x64("machine with a code", BYTES(1, 0, 1, 0, 0, 0x1a, 0, 0),
                   OPS({UNWIND_OP_PUSH_MACHINE, NONE, NONE, 8, 0}));
        /* Old codes, whose slots are passed over. */
        expect_x64("6 and 7 of version 1", BYTES(1, 9, 6, 0, 9, 0x66, 2, 0, 5, 0x77, 1, 2, 3, 4, 2, 0x30),
                   OPS({UNWIND_OP_PAD, NONE, NONE, 0, 0}, {UNWIND_OP_PAD, NONE, NONE, 0, 0},
                       {UNWIND_OP_PUSH, 3, NONE, 8, 0}));
}

TEST(x64_header_handler_and_chain)
{
        static const uint8_t guarded[] = {0x19, 6, 1, 0, 6, 0x42, 0xaa, 0xaa, 0x40, 0x23, 0, 0, 1, 2, 3, 4};
        static const uint8_t chained[] = {0x21, 0, 0, 0x25, 0, 0x10, 0, 0, 0, 0x20, 0, 0, 0, 0x30, 0, 0};
        struct cursor info = cursor_make(guarded, sizeof(guarded));
        struct unwind_x64 x64;
        struct unwind_ops ops;

        ASSERT_TRUE(unwind_x64_read(&info, &x64, NULL));
        EXPECT_INT(x64.version, 1);
        EXPECT_INT(x64.flags, UNWIND_X64_EHANDLER | UNWIND_X64_UHANDLER);
        EXPECT_INT(x64.prologue_bytes, 6);
        EXPECT_INT(x64.frame_reg, UNWIND_NO_REG);
        EXPECT_INT(x64.handler, 0x2340);
        ASSERT_TRUE(unwind_x64_ops(&x64, &ops, NULL));
        EXPECT_INT(ops.n, 1);
        EXPECT_INT(ops.items[0].off, 6);
        info = cursor_make(chained, sizeof(chained));
        ASSERT_TRUE(unwind_x64_read(&info, &x64, NULL));
        EXPECT_INT(x64.flags, UNWIND_X64_CHAINED);
        EXPECT_INT(x64.chain_off, 4);
        EXPECT_INT(x64.frame_reg, 5);
        EXPECT_INT(x64.frame_off, 32);
        EXPECT_INT(x64.handler, 0);
}

TEST(x64_epilogues_of_version_2)
{
        static const uint8_t bytes[] = {0x02, 1, 4, 0, 3, 0x16, 0x34, 0x16, 0, 0x06, 1, 0x70};
        struct cursor info = cursor_make(bytes, sizeof(bytes));
        struct unwind_x64 x64;

        ASSERT_TRUE(unwind_x64_read(&info, &x64, NULL));
        EXPECT_INT(x64.epilogue_bytes, 3);
        EXPECT_TRUE(x64.has_epilogue_at_end);
        expect_x64("one at the end, one elsewhere", bytes, sizeof(bytes),
                   OPS({UNWIND_OP_EPILOGUE, NONE, NONE, 3, 0}, {UNWIND_OP_EPILOGUE, NONE, NONE, 0x134, 0},
                       {UNWIND_OP_PAD, NONE, NONE, 0, 0}, {UNWIND_OP_PUSH, 7, NONE, 8, 0}));
        expect_x64("none at the end", BYTES(0x02, 1, 2, 0, 3, 0x06, 7, 0x06),
                   OPS({UNWIND_OP_PAD, NONE, NONE, 0, 0}, {UNWIND_OP_EPILOGUE, NONE, NONE, 7, 0}));
}

TEST(x64_refusals)
{
        expect_x64_refused("unwind information of version 3 is not supported", BYTES(3, 0, 0, 0));
        expect_x64_refused("unwind information of version 0 is not supported", BYTES(0, 0, 0, 0));
        expect_x64_refused("unwind information is cut in its header", BYTES(1, 0, 0));
        expect_x64_refused("unwind information is cut: 3 slots", BYTES(1, 0, 3, 0, 1, 2, 3, 4, 5, 6));
        expect_x64_refused("unwind information is cut after its 0 slots", BYTES(0x09, 0, 0, 0, 1, 2, 3));
        expect_x64_refused("unwind information is cut after its 0 slots",
                           BYTES(0x21, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        expect_x64_refused("unwind code 11 in slot 1 is not known", BYTES(1, 0, 2, 0, 4, 0x02, 2, 0x0b));
        expect_x64_refused("unwind code 5 in slot 0 is cut", BYTES(1, 0, 2, 0, 4, 0x05, 2, 2));
        expect_x64_refused("unwind code 6 in slot 0 is cut", BYTES(1, 0, 1, 0, 4, 0x06, 2, 2));
        expect_x64_refused("slot 0 sets a frame register, and the header names none",
                           BYTES(1, 0, 1, 0, 4, 0x03, 0, 0));
}

/* --- ARM64 --- */

/* A record with codes, with the number of words that they need. */
static bool read_codes(const uint8_t *codes, size_t size, uint8_t *record, struct unwind_arm64 *ret,
                       struct err *err)
{
        size_t n_words = (size + 3) / 4;
        uint32_t header = 0x100 | (uint32_t)n_words << 27;
        struct cursor info;

        memset(record, 0xe3, 4 + 4 * n_words);
        for (size_t i = 0; i < 4; i++)
                record[i] = (uint8_t)(header >> 8 * i);
        memcpy(record + 4, codes, size);
        info = cursor_make(record, 4 + 4 * n_words);
        return unwind_arm64_read(&info, ret, err);
}

static void expect_arm64(const char *what, const uint8_t *codes, size_t size, const struct want *want,
                         size_t n)
{
        uint8_t record[256];
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        struct err err = {0};

        if (!read_codes(codes, size, record, &arm64, &err) || !unwind_arm64_prologue(&arm64, &ops, &err))
                TAP_FAIL("%s: %s", what, err.text);
        else
                expect_ops(what, &ops, want, n);
}

static void expect_arm64_refused(const char *text, const uint8_t *codes, size_t size)
{
        uint8_t record[256];
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        struct err err = {0};

        ASSERT_TRUE(read_codes(codes, size, record, &arm64, &err));
        EXPECT_TRUE(!unwind_arm64_prologue(&arm64, &ops, &err));
        EXPECT_STR(err.text, text);
}

#define END                                                                                                  \
        {                                                                                                    \
                UNWIND_OP_END, NONE, NONE, 0, 0                                                              \
        }
#define DOWN UNWIND_OP_DOWN
#define X    UNWIND_OP_SAVE_X
#define D    UNWIND_OP_SAVE_D

TEST(arm64_each_code)
{
        expect_arm64("alloc_s", BYTES(0x1f, 0xe4), OPS({UNWIND_OP_ALLOC, NONE, NONE, 496, 0}, END));
        expect_arm64("save_r19r20_x", BYTES(0x3f, 0xe4), OPS({X, 19, 20, 248, DOWN}, END));
        expect_arm64("save_fplr", BYTES(0x7f, 0xe4), OPS({X, 29, 30, 504, 0}, END));
        expect_arm64("save_fplr_x", BYTES(0x81, 0xe4), OPS({X, 29, 30, 16, DOWN}, END));
        expect_arm64("alloc_m", BYTES(0xc7, 0xff, 0xe4), OPS({UNWIND_OP_ALLOC, NONE, NONE, 32752, 0}, END));
        expect_arm64("save_regp", BYTES(0xca, 0x3f, 0xe4), OPS({X, 27, 28, 504, 0}, END));
        expect_arm64("save_regp_x", BYTES(0xcc, 0x41, 0xe4), OPS({X, 20, 21, 16, DOWN}, END));
        expect_arm64("save_reg", BYTES(0xd2, 0xc1, 0xe4), OPS({X, 30, NONE, 8, 0}, END));
        expect_arm64("save_reg_x", BYTES(0xd5, 0x3f, 0xe4), OPS({X, 28, NONE, 256, DOWN}, END));
        expect_arm64("save_lrpair", BYTES(0xd7, 0x02, 0xe4), OPS({X, 27, 30, 16, 0}, END));
        expect_arm64("save_fregp", BYTES(0xd9, 0x81, 0xe4), OPS({D, 14, 15, 8, 0}, END));
        expect_arm64("save_fregp_x", BYTES(0xda, 0x4f, 0xe4), OPS({D, 9, 10, 128, DOWN}, END));
        expect_arm64("save_freg", BYTES(0xdd, 0xff, 0xe4), OPS({D, 15, NONE, 504, 0}, END));
        expect_arm64("save_freg_x", BYTES(0xde, 0x21, 0xe4), OPS({D, 9, NONE, 16, DOWN}, END));
        expect_arm64("alloc_z", BYTES(0xdf, 0x05, 0xe4), OPS({UNWIND_OP_ALLOC_Z, NONE, NONE, 5, 0}, END));
        expect_arm64("alloc_l", BYTES(0xe0, 1, 2, 3, 0xe4),
                     OPS({UNWIND_OP_ALLOC, NONE, NONE, 0x10203 * 16, 0}, END));
        expect_arm64("set_fp, add_fp, nop", BYTES(0xe1, 0xe2, 0xff, 0xe3, 0xe4),
                     OPS({UNWIND_OP_SET_FP, NONE, NONE, 0, 0}, {UNWIND_OP_SET_FP, NONE, NONE, 2040, 0},
                         {UNWIND_OP_NOP, NONE, NONE, 0, 0}, END));
        expect_arm64("frames", BYTES(0xe5, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xfc, 0xe4, 0x01),
                     OPS({UNWIND_OP_END_C, NONE, NONE, 0, 0}, {UNWIND_OP_TRAP_FRAME, NONE, NONE, 0, 0},
                         {UNWIND_OP_MACHINE_FRAME, NONE, NONE, 0, 0}, {UNWIND_OP_CONTEXT, NONE, NONE, 0, 0},
                         {UNWIND_OP_EC_CONTEXT, NONE, NONE, 0, 0},
                         {UNWIND_OP_CLEAR_UNWOUND_TO_CALL, NONE, NONE, 0, 0},
                         {UNWIND_OP_SIGN_LR, NONE, NONE, 0, 0}, END));
        expect_arm64("without an end", BYTES(0x01, 0xe3, 0xe3, 0x02),
                     OPS({UNWIND_OP_ALLOC, NONE, NONE, 16, 0}, {UNWIND_OP_NOP, NONE, NONE, 0, 0},
                         {UNWIND_OP_NOP, NONE, NONE, 0, 0}, {UNWIND_OP_ALLOC, NONE, NONE, 32, 0}));
}

TEST(arm64_any_register)
{
        expect_arm64("x", BYTES(0xe7, 0x1e, 0x3f, 0xe4), OPS({X, 30, NONE, 504, 0}, END));
        expect_arm64("x pair", BYTES(0xe7, 0x40, 0x3f, 0xe4), OPS({X, 0, 1, 1008, 0}, END));
        expect_arm64("x down", BYTES(0xe7, 0x23, 0x01, 0xe4), OPS({X, 3, NONE, 32, DOWN}, END));
        expect_arm64("d", BYTES(0xe7, 0x1f, 0x41, 0xe4), OPS({D, 31, NONE, 8, 0}, END));
        expect_arm64("d pair down", BYTES(0xe7, 0x70, 0x42, 0xe4), OPS({D, 16, 17, 48, DOWN}, END));
        expect_arm64("q", BYTES(0xe7, 0x1f, 0x83, 0xe4), OPS({UNWIND_OP_SAVE_Q, 31, NONE, 48, 0}, END));
        expect_arm64("q pair", BYTES(0xe7, 0x46, 0xbf, 0xe4), OPS({UNWIND_OP_SAVE_Q, 6, 7, 1008, 0}, END));
        expect_arm64("z", BYTES(0xe7, 0x2f, 0xc2, 0xe4), OPS({UNWIND_OP_SAVE_Z, 23, NONE, 66, 0}, END));
        expect_arm64("p", BYTES(0xe7, 0x5f, 0xc2, 0xe4), OPS({UNWIND_OP_SAVE_P, 15, NONE, 130, 0}, END));
        expect_arm64_refused("unwind code 0xe7 at index 0 is not known", BYTES(0xe7, 0x80, 0, 0xe4));
        expect_arm64_refused("unwind code 0xe7 at index 0 is not known", BYTES(0xe7, 0x1f, 0, 0xe4));
        expect_arm64_refused("unwind code 0xe7 at index 0 is not known", BYTES(0xe7, 0x5e, 0, 0xe4));
        expect_arm64_refused("unwind code 0xe7 at index 0 is not known", BYTES(0xe7, 0x5f, 0x40, 0xe4));
}

TEST(arm64_next_pair)
{
        expect_arm64(
                "on from x25", BYTES(0xe6, 0xe6, 0xc9, 0x82, 0xe4),
                OPS({D, 8, 9, 48, UNWIND_OP_NEXT}, {X, 27, 28, 32, UNWIND_OP_NEXT}, {X, 25, 26, 16, 0}, END));
        expect_arm64("behind one that moved sp", BYTES(0xe6, 0x24, 0xe4),
                     OPS({X, 21, 22, 16, UNWIND_OP_NEXT}, {X, 19, 20, 32, DOWN}, END));
        expect_arm64("of d", BYTES(0xe6, 0xd9, 0x01, 0xe4),
                     OPS({D, 14, 15, 24, UNWIND_OP_NEXT}, {D, 12, 13, 8, 0}, END));
        expect_arm64_refused("unwind code save_next at index 0: no pair is stored before it",
                             BYTES(0xe6, 0xe4));
        expect_arm64_refused("unwind code save_next at index 0: no pair is stored before it",
                             BYTES(0xe6, 0xd0, 0x01, 0xe4));
        expect_arm64_refused("unwind code save_next at index 0: no pair is stored before it",
                             BYTES(0xe6, 0x41, 0xe4));
        expect_arm64_refused("unwind code save_next at index 0: no pair is stored before it",
                             BYTES(0xe6, 0xd9, 0x81, 0xe4));
        expect_arm64_refused("unwind code save_next at index 3: no pair is stored before it",
                             BYTES(0x01, 0x01, 0x01, 0xe6));
}

TEST(arm64_refusals)
{
        expect_arm64_refused("unwind code 0xed at index 1 is not known", BYTES(0x01, 0xed, 0xe4));
        expect_arm64_refused("unwind code 0xff at index 0 is not known", BYTES(0xff));
        /* x31 is none. */
        expect_arm64_refused("unwind code 0xcb at index 0 is not known", BYTES(0xcb, 0x00, 0xe4));
        expect_arm64_refused("unwind code 0xe0 at index 2 is cut", BYTES(0x01, 0x01, 0xe0, 0x01));
}

static struct unwind_arm64 read_record(const uint32_t *words, size_t n, struct err *err)
{
        struct cursor info = cursor_make(words, n * sizeof(*words));
        struct unwind_arm64 arm64 = {0};

        unwind_arm64_read(&info, &arm64, err);
        return arm64;
}

TEST(arm64_record_with_scopes)
{
        static const uint32_t words[] = {
                64 | 1u << 20 | 2u << 22 | 1u << 27, 9 | 1u << 22, 12, 0xe3e481e1, 0x2340, 7};
        struct err err = {0};
        struct unwind_arm64 arm64 = read_record(words, N(words), &err);
        struct unwind_ops ops;
        uint32_t start = 0;

        EXPECT_INT(arm64.length_bytes, 256);
        EXPECT_TRUE(!arm64.is_packed && arm64.has_handler && !arm64.has_one_epilogue_at_end);
        EXPECT_INT(arm64.handler, 0x2340);
        ASSERT_CMP(arm64.n_epilogues, ==, 2);
        ASSERT_TRUE(unwind_arm64_epilogue(&arm64, 0, &start, &ops, &err));
        EXPECT_INT(start, 36);
        expect_ops("first", &ops, OPS({X, 29, 30, 16, DOWN}, END));
        EXPECT_INT(ops.items[0].off, 1);
        ASSERT_TRUE(unwind_arm64_epilogue(&arm64, 1, &start, &ops, &err));
        EXPECT_INT(start, 48);
        expect_ops("second", &ops, OPS({UNWIND_OP_SET_FP, NONE, NONE, 0, 0}, {X, 29, 30, 16, DOWN}, END));
        arm64 = read_record(words, 4, &err);
        EXPECT_STR(err.text, "unwind information is cut: 2 epilogues, 4 bytes of codes");
        arm64 = read_record(words, 3, &err);
        EXPECT_STR(err.text, "unwind information is cut: 2 epilogues, 4 bytes of codes");
}

TEST(arm64_one_epilogue_at_the_end)
{
        static const uint32_t own[] = {16 | 1u << 21 | 2u << 22 | 1u << 27, 0xe40181e1};
        static const uint32_t outside[] = {16 | 1u << 21 | 5u << 22 | 1u << 27, 0xe40181e1};
        static const uint32_t too_long[] = {2 | 1u << 21 | 1u << 27, 0xe40181e1};
        struct err err = {0};
        struct unwind_arm64 arm64 = read_record(own, N(own), &err);
        struct unwind_ops ops;
        uint32_t start = 0;

        ASSERT_TRUE(arm64.n_epilogues == 1 && arm64.has_one_epilogue_at_end);
        EXPECT_INT(arm64.epilogue_index, 2);
        ASSERT_TRUE(unwind_arm64_epilogue(&arm64, 0, &start, &ops, &err));
        EXPECT_INT(start, 64 - 8);
        expect_ops("own", &ops, OPS({UNWIND_OP_ALLOC, NONE, NONE, 16, 0}, END));
        arm64 = read_record(outside, N(outside), &err);
        EXPECT_TRUE(!unwind_arm64_epilogue(&arm64, 0, &start, &ops, &err));
        EXPECT_STR(err.text, "unwind codes from index 5 on lie behind the 4 bytes of codes");
        arm64 = read_record(too_long, N(too_long), &err);
        EXPECT_TRUE(!unwind_arm64_epilogue(&arm64, 0, &start, &ops, &err));
        EXPECT_STR(err.text, "an epilogue of 16 bytes in a function of 8");
}

TEST(arm64_second_word_of_header)
{
        static const uint32_t words[] = {16, 1 | 1u << 16, 4, 0xe4e4e4e4};
        static const uint32_t version_1[] = {16 | 1u << 18 | 1u << 27, 0xe4e4e4e4};
        struct err err = {0};
        struct unwind_arm64 arm64 = read_record(words, N(words), &err);

        EXPECT_INT(arm64.n_epilogues, 1);
        EXPECT_INT(arm64.n_code_bytes, 4);
        read_record(words, 1, &err);
        EXPECT_STR(err.text, "unwind information is cut in its header");
        read_record(version_1, N(version_1), &err);
        EXPECT_STR(err.text, "unwind information of version 1 is not supported");
}

/* --- The packed form --- */

static uint32_t packed_word(uint32_t reg_f, uint32_t reg_i, uint32_t h, uint32_t cr, uint32_t frame_bytes)
{
        return 1 | 64u << 2 | reg_f << 13 | reg_i << 16 | h << 20 | cr << 21 | frame_bytes / 16 << 23;
}

static void expect_packed(const char *what, uint32_t word, const struct want *want, size_t n)
{
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        struct err err = {0};

        if (!unwind_arm64_unpack(word, &arm64, &err) || !unwind_arm64_prologue(&arm64, &ops, &err))
                TAP_FAIL("%s: %s", what, err.text);
        else
                expect_ops(what, &ops, want, n);
}

TEST(packed_documented_example)
{
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        uint32_t start;

        /* Example 1 of "ARM64 exception handling". */
        ASSERT_TRUE(unwind_arm64_unpack(0x416101ed, &arm64, NULL));
        EXPECT_INT(arm64.length_bytes, 492);
        EXPECT_INT(arm64.packed.frame_bytes, 2080);
        EXPECT_TRUE(arm64.is_packed && !arm64.is_fragment);
        ASSERT_TRUE(unwind_arm64_prologue(&arm64, &ops, NULL));
        expect_ops("prologue", &ops,
                   OPS({UNWIND_OP_SET_FP, NONE, NONE, 0, 0}, {X, 29, 30, 0, 0},
                       {UNWIND_OP_ALLOC, NONE, NONE, 2064, 0}, {X, 19, NONE, 16, DOWN}, END));
        ASSERT_TRUE(arm64.n_epilogues == 1 && unwind_arm64_epilogue(&arm64, 0, &start, &ops, NULL));
        expect_ops(
                "epilogue", &ops,
                OPS({X, 29, 30, 0, 0}, {UNWIND_OP_ALLOC, NONE, NONE, 2064, 0}, {X, 19, NONE, 16, DOWN}, END));
        EXPECT_INT(start, 492 - 16);
}

TEST(packed_shapes)
{
        expect_packed("locals alone", packed_word(0, 0, 0, 0, 4080),
                      OPS({UNWIND_OP_ALLOC, NONE, NONE, 4080, 0}, END));
        expect_packed("more locals", packed_word(0, 0, 0, 0, 4096),
                      OPS({UNWIND_OP_ALLOC, NONE, NONE, 16, 0}, {UNWIND_OP_ALLOC, NONE, NONE, 4080, 0}, END));
        expect_packed("lr", packed_word(0, 0, 0, 1, 16), OPS({X, 30, NONE, 16, DOWN}, END));
        /* Microsoft's compiler: sub sp, sp, #16; stp x19, lr, [sp]. */
        expect_packed("x19 and lr", packed_word(0, 1, 0, 1, 16),
                      OPS({X, 19, 30, 0, 0}, {UNWIND_OP_ALLOC, NONE, NONE, 16, 0}, END));
        expect_packed("x19 to x21 and lr", packed_word(0, 3, 0, 1, 32),
                      OPS({X, 21, 30, 16, 0}, {X, 19, 20, 32, DOWN}, END));
        expect_packed("x19, x20 and lr", packed_word(0, 2, 0, 1, 32),
                      OPS({X, 30, NONE, 16, 0}, {X, 19, 20, 32, DOWN}, END));
        expect_packed("chain", packed_word(0, 0, 0, 3, 512),
                      OPS({UNWIND_OP_SET_FP, NONE, NONE, 0, 0}, {X, 29, 30, 512, DOWN}, END));
        expect_packed("signed chain of more", packed_word(0, 0, 0, 2, 528),
                      OPS({UNWIND_OP_SET_FP, NONE, NONE, 0, 0}, {X, 29, 30, 0, 0},
                          {UNWIND_OP_ALLOC, NONE, NONE, 528, 0}, {UNWIND_OP_SIGN_LR, NONE, NONE, 0, 0}, END));
        expect_packed("three of d", packed_word(2, 0, 0, 0, 32),
                      OPS({D, 10, NONE, 16, 0}, {D, 8, 9, 32, DOWN}, END));
        expect_packed("d behind lr", packed_word(1, 0, 0, 1, 32),
                      OPS({D, 8, 9, 8, 0}, {X, 30, NONE, 32, DOWN}, END));
        expect_packed("parameters alone", packed_word(0, 0, 1, 0, 64),
                      OPS({UNWIND_OP_SAVE_PARAMS, 6, 7, 48, 0}, {UNWIND_OP_SAVE_PARAMS, 4, 5, 32, 0},
                          {UNWIND_OP_SAVE_PARAMS, 2, 3, 16, 0}, {UNWIND_OP_SAVE_PARAMS, 0, 1, 64, DOWN},
                          END));
}

TEST(packed_parameters_are_not_restored)
{
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        uint32_t start;

        ASSERT_TRUE(unwind_arm64_unpack(packed_word(0, 0, 1, 3, 80), &arm64, NULL));
        ASSERT_TRUE(unwind_arm64_epilogue(&arm64, 0, &start, &ops, NULL));
        expect_ops("alone", &ops, OPS({X, 29, 30, 16, DOWN}, {UNWIND_OP_ALLOC, NONE, NONE, 64, 0}, END));
        EXPECT_INT(start, 256 - 12);
        ASSERT_TRUE(unwind_arm64_unpack(packed_word(0, 1, 1, 0, 80), &arm64, NULL));
        ASSERT_TRUE(unwind_arm64_epilogue(&arm64, 0, &start, &ops, NULL));
        expect_ops("with x19", &ops, OPS({X, 19, NONE, 80, DOWN}, END));
}

static void expect_packed_refused(const char *text, uint32_t word)
{
        struct unwind_arm64 arm64;
        struct unwind_ops ops;
        struct err err = {0};

        EXPECT_TRUE(!unwind_arm64_unpack(word, &arm64, &err) || !unwind_arm64_prologue(&arm64, &ops, &err));
        EXPECT_STR(err.text, text);
}

TEST(packed_refusals_and_fragments)
{
        struct unwind_arm64 arm64;

        expect_packed_refused("packed unwind information of kind 3 is not known",
                              packed_word(0, 0, 0, 0, 16) | 3);
        expect_packed_refused("packed unwind information saves 11 registers from x19 on",
                              packed_word(0, 11, 0, 0, 256));
        expect_packed_refused("packed unwind information: 16 bytes of frame hold 32 bytes of registers",
                              packed_word(0, 4, 0, 0, 16));
        expect_packed_refused("packed unwind information: 32 bytes of frame hold 48 bytes of registers",
                              packed_word(0, 4, 0, 3, 32));
        ASSERT_TRUE(unwind_arm64_unpack((packed_word(0, 2, 0, 0, 16) & ~3u) | 2, &arm64, NULL));
        EXPECT_TRUE(arm64.is_fragment);
        EXPECT_INT(arm64.n_epilogues, 0);
}

/* --- In an image --- */

struct image {
        uint8_t *bytes;
        size_t size;
        struct object *object;
};

static bool open_image(struct image *image, const char *name)
{
        FILE *file = fopen(data_path(name), "rb");

        *image = (struct image){.bytes = mem_new(1 << 16, 1)};
        if (file) {
                image->size = fread(image->bytes, 1, 1 << 16, file);
                fclose(file);
        }
        image->object = object_open_bytes(image->bytes, image->size, name, NULL);
        return image->object;
}

static void close_image(struct image *image)
{
        object_free(image->object);
        free(image->bytes);
}

/* The image's byte at an address, to be changed. */
static uint8_t *byte_at(const struct image *image, uint64_t addr)
{
        uint64_t off = 0;

        object_to_file_off(image->object, addr, &off);
        return &image->bytes[off];
}

/* Entry 6 of x64.dll is `wrapped`; 7 and 8 continue it; see x64.s. */
TEST(image_chained)
{
        struct image image;
        struct object_unwind part;
        struct unwind_xdata xdata;
        struct unwind_ops ops;
        struct err err = {0};

        ASSERT_TRUE(open_image(&image, "pe/x64.dll"));
        ASSERT_TRUE(object_n_unwind(image.object) == 11 && object_get_unwind(image.object, 8, &part));
        ASSERT_TRUE(unwind_xdata_find(image.object, part.end - 1, &xdata, &err));
        EXPECT_TRUE(xdata.start == part.start && xdata.end == part.end);
        EXPECT_CMP(xdata.chain, !=, 0);
        ASSERT_TRUE(unwind_x64_ops(&xdata.x64, &ops, &err));
        expect_ops("third", &ops, OPS({UNWIND_OP_MOVE, 14, NONE, 24, 0}));
        ASSERT_TRUE(unwind_xdata_next(image.object, &xdata, &err));
        ASSERT_TRUE(unwind_x64_ops(&xdata.x64, &ops, &err));
        expect_ops("second", &ops, OPS({UNWIND_OP_MOVE, 7, NONE, 32, 0}));
        ASSERT_TRUE(unwind_xdata_next(image.object, &xdata, &err));
        ASSERT_TRUE(unwind_x64_ops(&xdata.x64, &ops, &err));
        expect_ops("first", &ops, OPS({UNWIND_OP_ALLOC, NONE, NONE, 40, 0}));
        EXPECT_INT(xdata.chain, 0);
        EXPECT_INT(xdata.n_chained, 2);
        close_image(&image);
}

TEST(image_endless_chain_ends)
{
        struct image image;
        struct object_unwind part;
        struct unwind_xdata xdata;
        struct err err = {0};
        unsigned n = 0;

        ASSERT_TRUE(open_image(&image, "pe/x64.dll"));
        ASSERT_TRUE(object_get_unwind(image.object, 8, &part));
        ASSERT_TRUE(unwind_xdata_read(image.object, &part, &xdata, &err));
        /* The chained entry's own information is this one. */
        for (size_t i = 0; i < 4; i++)
                *byte_at(&image, IMAGE_BASE + xdata.chain + 8 + i) = (uint8_t)(part.word >> 8 * i);
        while (unwind_xdata_next(image.object, &xdata, &err))
                n++;
        EXPECT_INT(n, UNWIND_MAX_CHAIN);
        EXPECT_CONTAINS(err.text, "pe/x64.dll: unwind information at 0x");
        EXPECT_CONTAINS(err.text, ": more than 32 chained entries");
        close_image(&image);
}

/* The address of the information is odd: it refers to another entry, which has it. */
TEST(image_entry_of_another_entry)
{
        struct image image;
        struct object_unwind entry;
        struct unwind_xdata xdata;
        struct err err = {0};
        uint32_t table;

        ASSERT_TRUE(open_image(&image, "pe/x64.dll"));
        table = (uint32_t)(object_find_section(image.object, ".pdata")->addr - IMAGE_BASE);
        for (size_t i = 0; i < 4; i++)
                *byte_at(&image, IMAGE_BASE + table + 12 + 8 + i) = (uint8_t)((table | 1) >> 8 * i);
        ASSERT_TRUE(object_get_unwind(image.object, 1, &entry));
        ASSERT_TRUE(unwind_xdata_read(image.object, &entry, &xdata, &err));
        EXPECT_INT(xdata.x64.n_slots, 0);
        EXPECT_INT(xdata.chain, table);
        ASSERT_TRUE(unwind_xdata_next(image.object, &xdata, &err));
        EXPECT_INT(xdata.start, IMAGE_BASE + 0x1000);
        EXPECT_INT(xdata.x64.frame_reg, 5);
        close_image(&image);
}

TEST(image_says_what_is_wrong)
{
        struct image image;
        struct object_unwind entry;
        struct unwind_xdata xdata;
        struct err err = {0};

        ASSERT_TRUE(open_image(&image, "pe/x64.dll"));
        EXPECT_TRUE(!unwind_xdata_find(image.object, IMAGE_BASE + 0x2000, &xdata, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_STR(err.text, "pe/x64.dll: no unwind information for 0x180002000");
        ASSERT_TRUE(object_get_unwind(image.object, 0, &entry));
        *byte_at(&image, IMAGE_BASE + entry.word) = 3;
        EXPECT_TRUE(!unwind_xdata_find(image.object, IMAGE_BASE + 0x1000, &xdata, &err));
        EXPECT_STR(err.text,
                   "pe/x64.dll: function at 0x180001000: 0x20fc: unwind information of version 3 is not "
                   "supported");
        close_image(&image);
}

TEST(image_arm64)
{
        struct image image;
        struct unwind_xdata xdata;
        struct unwind_ops ops;
        struct err err = {0};
        uint32_t start;

        ASSERT_TRUE(open_image(&image, "pe/arm64.dll"));
        ASSERT_TRUE(unwind_xdata_find(image.object, IMAGE_BASE + 0x1004, &xdata, &err));
        EXPECT_INT(xdata.machine, OBJECT_MACHINE_ARM64);
        EXPECT_INT(xdata.arm64.length_bytes, 40);
        ASSERT_TRUE(unwind_arm64_epilogue(&xdata.arm64, 0, &start, &ops, &err));
        EXPECT_INT(start, 20);
        EXPECT_INT(ops.n, 5);
        EXPECT_TRUE(!unwind_xdata_find(image.object, IMAGE_BASE + 0x1028, &xdata, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        close_image(&image);
}

TEST(image_of_another_machine_has_none)
{
        struct image image;
        struct object_unwind entry;

        ASSERT_TRUE(open_image(&image, "pe/x86.dll"));
        EXPECT_INT(object_n_unwind(image.object), 0);
        EXPECT_TRUE(!object_find_unwind(image.object, 0x10001000, &entry));
        EXPECT_TRUE(!object_read_unwind(image.object, 0x1000, &entry));
        close_image(&image);
}

TEST(operations_and_instructions)
{
        struct unwind_op op = {.kind = UNWIND_OP_SAVE_X};

        EXPECT_INT(unwind_op_instructions(&op), 1);
        op.kind = UNWIND_OP_END_C;
        EXPECT_INT(unwind_op_instructions(&op), 0);
}

TAP_MAIN
