/* SPDX-License-Identifier: BSD-3-Clause */
/* The decoders of control flow, without LLVM: bytes to flow and target. */
#include <stdlib.h>

#include "disasm_internal.h"
#include "mem.h"
#include "tap.h"

enum { NO_TARGET, GOES, OPERAND };

struct effect_case {
        const char *bytes;
        enum disasm_flow flow;
        int kind;
        uint64_t target;
};

#define ADDR 0x1000u

static size_t bytes_of(const char *hex, uint8_t bytes[16])
{
        size_t n = 0;
        unsigned byte;

        for (; sscanf(hex, "%2x", &byte) == 1 && n < 16; hex += hex[2] ? 3 : 2)
                bytes[n++] = (uint8_t)byte;
        return n;
}

static void expect_effect(const struct effect_case *c, struct disasm_effect got)
{
        int kind = !got.has_target ? NO_TARGET : got.is_operand ? OPERAND : GOES;

        if (got.flow != c->flow || kind != c->kind || (kind && got.target != c->target))
                TAP_FAIL("%s: flow %d kind %d target 0x%" PRIx64 ", want %d %d 0x%" PRIx64, c->bytes,
                         got.flow, kind, got.target, c->flow, c->kind, c->target);
}

static void expect_all(const struct effect_case *cases, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                uint8_t bytes[16];
                size_t size = bytes_of(cases[i].bytes, bytes);

                expect_effect(&cases[i], disasm_effect_x86_64(bytes, size, ADDR));
        }
}

static const struct effect_case x86_flow[] = {
        {"90", DISASM_NEXT, NO_TARGET, 0},
        {"e8 10 00 00 00", DISASM_CALL, GOES, 0x1015},
        {"e8 fb ff ff ff", DISASM_CALL, GOES, 0x1000},
        {"66 66 48 e8 00 01 00 00", DISASM_CALL, GOES, 0x1108},
        {"66 e8 f0 ff", DISASM_CALL, GOES, 0xff4},
        {"66 e8 00 f0", DISASM_CALL, GOES, 0x4},
        {"f2 e8 00 00 00 00", DISASM_CALL, GOES, 0x1006},
        {"e9 00 00 00 80", DISASM_JUMP, GOES, 0xffffffff80001005},
        {"eb fe", DISASM_JUMP, GOES, 0x1000},
        {"eb 7f", DISASM_JUMP, GOES, 0x1081},
        {"70 02", DISASM_BRANCH, GOES, 0x1004},
        {"7f 80", DISASM_BRANCH, GOES, 0xf82},
        {"3e 74 00", DISASM_BRANCH, GOES, 0x1003},
        {"0f 80 00 00 00 00", DISASM_BRANCH, GOES, 0x1006},
        {"0f 8f fa ff ff ff", DISASM_BRANCH, GOES, 0x1000},
        {"f2 0f 84 00 00 00 00", DISASM_BRANCH, GOES, 0x1007},
        {"e0 00", DISASM_BRANCH, GOES, 0x1002},
        {"e3 fc", DISASM_BRANCH, GOES, 0xffe},
        {"67 e3 fc", DISASM_BRANCH, GOES, 0xfff},
        {"e4 10", DISASM_NEXT, NO_TARGET, 0}, /* in */
        {"ff d0", DISASM_CALL, NO_TARGET, 0},
        {"41 ff d7", DISASM_CALL, NO_TARGET, 0},
        {"ff 15 00 01 00 00", DISASM_CALL, OPERAND, 0x1106},
        {"ff 1c 24", DISASM_CALL, NO_TARGET, 0}, /* far */
        {"3e ff e0", DISASM_JUMP, NO_TARGET, 0},
        {"ff 24 c5 00 00 00 00", DISASM_JUMP, NO_TARGET, 0},
        {"f2 ff 25 f9 ff ff ff", DISASM_JUMP, OPERAND, 0x1000},
        {"48 ff 2c 24", DISASM_JUMP, NO_TARGET, 0},          /* far */
        {"ff 35 00 00 00 00", DISASM_NEXT, OPERAND, 0x1006}, /* push */
        {"ff c0", DISASM_NEXT, NO_TARGET, 0},
        {"c3", DISASM_RETURN, NO_TARGET, 0},
        {"f3 c3", DISASM_RETURN, NO_TARGET, 0},
        {"c2 08 00", DISASM_RETURN, NO_TARGET, 0},
        {"cb", DISASM_RETURN, NO_TARGET, 0},
        {"ca 00 00", DISASM_RETURN, NO_TARGET, 0},
        {"48 cf", DISASM_RETURN, NO_TARGET, 0},
        {"48 0f 07", DISASM_RETURN, NO_TARGET, 0}, /* sysret */
        {"0f 05", DISASM_NEXT, NO_TARGET, 0},      /* syscall */
        {"0f 0b", DISASM_TRAP, NO_TARGET, 0},
        {"67 0f b9 40 02", DISASM_TRAP, NO_TARGET, 0}, /* ud1 */
        {"cc", DISASM_TRAP, NO_TARGET, 0},
        {"cd 80", DISASM_NEXT, NO_TARGET, 0},
        {"cd 29", DISASM_TRAP, NO_TARGET, 0},
        {"f4", DISASM_TRAP, NO_TARGET, 0},
        {"f3 0f 1e fa", DISASM_NEXT, NO_TARGET, 0},                                  /* endbr64 */
        {"c7 f8 10 00 00 00", DISASM_BRANCH, GOES, 0x1016},                          /* xbegin */
        {"c6 f8 00", DISASM_NEXT, NO_TARGET, 0},                                     /* xabort */
        {"d5 00 a1 08 07 06 05 04 03 02 01", DISASM_JUMP, GOES, 0x0102030405060708}, /* jmpabs */
        {"d5 00 a1 08 07 06 05 04 03 02 ff", DISASM_JUMP, GOES, 0xff02030405060708},
        {"d5 11 ff d0", DISASM_CALL, NO_TARGET, 0},
        {"d5 11 ff e0", DISASM_JUMP, NO_TARGET, 0},
        {"d5 00 ff 15 00 01 00 00", DISASM_CALL, OPERAND, 0x1108},
        {"d5 00 c3", DISASM_RETURN, NO_TARGET, 0},
        {"d5 00 75 02", DISASM_NEXT, NO_TARGET, 0}, /* no branch takes REX2 */
        {"d5 00 e8 00 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"d5 80 84 00 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"a1 08 07 06 05 04 03 02 01", DISASM_NEXT, NO_TARGET, 0},
};

TEST(x86_64_flow)
{
        expect_all(x86_flow, N_ELEMENTS(x86_flow));
}

static const struct effect_case x86_operands[] = {
        {"48 8b 05 93 2f 00 00", DISASM_NEXT, OPERAND, 0x3f9a}, /* mov */
        {"48 8d 3d f9 ff ff ff", DISASM_NEXT, OPERAND, 0x1000}, /* lea */
        {"67 48 8d 05 00 f0 ff ff", DISASM_NEXT, OPERAND, 0x8},
        {"67 48 8d 05 f7 ef ff ff", DISASM_NEXT, OPERAND, 0xffffffff},
        {"c7 05 00 01 00 00 78 56 34 12", DISASM_NEXT, OPERAND, 0x110a}, /* mov of a number */
        {"80 3d 00 01 00 00 00", DISASM_NEXT, OPERAND, 0x1107},          /* cmp of a number */
        {"f0 0f b1 15 00 01 00 00", DISASM_NEXT, OPERAND, 0x1108},       /* lock cmpxchg */
        {"66 0f 6f 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1108},       /* movdqa */
        {"66 0f 38 00 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1109},    /* pshufb */
        {"66 0f 3a 0f 05 00 01 00 00 04", DISASM_NEXT, OPERAND, 0x110a}, /* palignr */
        {"c5 fd 6f 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1108},       /* vmovdqa */
        {"c4 e2 7d 18 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1109},    /* vbroadcastss */
        {"c4 e1 7d 6f 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1109},
        {"62 f1 fd 48 6f 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x110a}, /* vmovdqa64 */
        {"8f e8 78 a2 05 00 01 00 00 30", DISASM_NEXT, OPERAND, 0x110a}, /* vpcmov */
        {"8f 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1106},             /* pop */
        {"0f 18 0d 00 01 00 00", DISASM_NEXT, OPERAND, 0x1107},          /* prefetcht0 */
        {"d9 2d 00 01 00 00", DISASM_NEXT, OPERAND, 0x1106},             /* fldcw */
        {"f6 05 00 01 00 00 01", DISASM_NEXT, OPERAND, 0x1107},          /* test */
        {"d5 48 8b 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1108},       /* mov with REX2 */
        {"d5 80 af 05 00 01 00 00", DISASM_NEXT, OPERAND, 0x1108},       /* imul with REX2 */
        /* No ModRM, whatever stands where it would. */
        {"05 05 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"b8 05 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"48 b8 05 00 00 00 00 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"68 05 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"a3 05 00 00 00 00 00 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"c8 05 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"c5 f8 77", DISASM_NEXT, NO_TARGET, 0}, /* vzeroupper */
        /* Another ModRM. */
        {"48 8b 85 93 2f 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"48 8b 04 25 93 2f 00 00", DISASM_NEXT, NO_TARGET, 0},
        {"48 8b c5", DISASM_NEXT, NO_TARGET, 0},
        {"0f 20 05", DISASM_NEXT, NO_TARGET, 0}, /* mov of cr0: registers alone */
};

TEST(x86_64_operands)
{
        expect_all(x86_operands, N_ELEMENTS(x86_operands));
}

/* Cut and meaningless bytes: any result, but no reads after the end. */
TEST(x86_64_any_bytes)
{
        uint8_t bytes[3];

        for (unsigned a = 0; a < 256; a++) {
                for (unsigned b = 0; b < 256; b++) {
                        bytes[0] = (uint8_t)a;
                        bytes[1] = (uint8_t)b;
                        bytes[2] = 0x0f;
                        for (size_t n = 0; n <= sizeof(bytes); n++) {
                                uint8_t *exact = mem_new(n, 1);

                                memcpy(exact, bytes, n);
                                EXPECT_CMP(disasm_effect_x86_64(exact, n, UINT64_MAX).flow, <=, DISASM_TRAP);
                                free(exact);
                        }
                }
        }
}

struct word_case {
        uint32_t word;
        struct effect_case want;
};

static const struct word_case arm64_cases[] = {
        {0xd503201f, {"nop", DISASM_NEXT, NO_TARGET, 0}},
        {0x14000004, {"b", DISASM_JUMP, GOES, 0x1010}},
        {0x17ffffff, {"b back", DISASM_JUMP, GOES, 0xffc}},
        {0x16000000, {"b farthest", DISASM_JUMP, GOES, 0xfffffffff8001000}},
        {0x94000002, {"bl", DISASM_CALL, GOES, 0x1008}},
        {0x54000040, {"b.eq", DISASM_BRANCH, GOES, 0x1008}},
        {0x54ffffe1, {"b.ne back", DISASM_BRANCH, GOES, 0xffc}},
        {0x54000051, {"bc.ne", DISASM_BRANCH, GOES, 0x1008}},
        {0x5400004e, {"b.al", DISASM_JUMP, GOES, 0x1008}},
        {0xb4000083, {"cbz", DISASM_BRANCH, GOES, 0x1010}},
        {0x35ffff83, {"cbnz", DISASM_BRANCH, GOES, 0xff0}},
        {0x36180060, {"tbz", DISASM_BRANCH, GOES, 0x100c}},
        {0xb7fc0000, {"tbnz", DISASM_BRANCH, GOES, 0xffffffffffff9000}},
        {0xd61f0220, {"br", DISASM_JUMP, NO_TARGET, 0}},
        {0xd61f0a3f, {"braaz", DISASM_JUMP, NO_TARGET, 0}},
        {0xd71f0a30, {"braa", DISASM_JUMP, NO_TARGET, 0}},
        {0xd63f0280, {"blr", DISASM_CALL, NO_TARGET, 0}},
        {0xd63f0e9f, {"blrabz", DISASM_CALL, NO_TARGET, 0}},
        {0xd73f0a81, {"blraa", DISASM_CALL, NO_TARGET, 0}},
        {0xd65f03c0, {"ret", DISASM_RETURN, NO_TARGET, 0}},
        {0xd65f0bff, {"retaa", DISASM_RETURN, NO_TARGET, 0}},
        {0xd65f0fff, {"retab", DISASM_RETURN, NO_TARGET, 0}},
        {0xd69f03e0, {"eret", DISASM_RETURN, NO_TARGET, 0}},
        {0xd69f0bff, {"eretaa", DISASM_RETURN, NO_TARGET, 0}},
        {0xd6bf03e0, {"drps", DISASM_RETURN, NO_TARGET, 0}},
        {0x00000000, {"udf #0", DISASM_TRAP, NO_TARGET, 0}},
        {0x0000ffff, {"udf #65535", DISASM_TRAP, NO_TARGET, 0}},
        {0x00010000, {"not allocated", DISASM_NEXT, NO_TARGET, 0}},
        {0xd4200020, {"brk", DISASM_TRAP, NO_TARGET, 0}},
        {0xd4400000, {"hlt", DISASM_TRAP, NO_TARGET, 0}},
        {0xd4000001, {"svc", DISASM_NEXT, NO_TARGET, 0}},
        {0x70000000, {"adr +3", DISASM_NEXT, OPERAND, 0x1003}},
        {0x10ffffe0, {"adr back", DISASM_NEXT, OPERAND, 0xffc}},
        {0xb0000000, {"adrp +1", DISASM_NEXT, OPERAND, 0x2000}},
        {0xf0ffffe0, {"adrp -1", DISASM_NEXT, OPERAND, 0}},
        {0x58000040, {"ldr x0", DISASM_NEXT, OPERAND, 0x1008}},
        {0x18ffffe0, {"ldr w0 back", DISASM_NEXT, OPERAND, 0xffc}},
        {0x98000040, {"ldrsw", DISASM_NEXT, OPERAND, 0x1008}},
        {0x9c000040, {"ldr q0", DISASM_NEXT, OPERAND, 0x1008}},
        {0xd8000040, {"prfm", DISASM_NEXT, OPERAND, 0x1008}},
        {0xf9400000, {"ldr x0, [x0]", DISASM_NEXT, NO_TARGET, 0}},
        {0x38fd0041, {"ldaddab", DISASM_NEXT, NO_TARGET, 0}},
        {0x91000400, {"add", DISASM_NEXT, NO_TARGET, 0}},
};

TEST(arm64_effects)
{
        for (size_t i = 0; i < N_ELEMENTS(arm64_cases); i++)
                expect_effect(&arm64_cases[i].want, disasm_effect_arm64(arm64_cases[i].word, ADDR));
}

TEST(adrp_takes_the_page)
{
        EXPECT_INT(disasm_effect_arm64(0xb0000000, 0x1234ffc).target, 0x1235000);
        EXPECT_INT(disasm_effect_arm64(0x10000000, 0x1234ffc).target, 0x1234ffc);
}

static const struct {
        const char *raw, *clean;
} texts[] = {
        {"\tretq", "retq"},
        {"\tmovq\t%rax, %rbx", "movq   %rax, %rbx"},
        {"\tcmpxchgl\t%edx, (%rdi)", "cmpxchgl %edx, (%rdi)"},
        {"\trep\t\tstosq\t%rax, %es:(%rdi)", "rep stosq %rax, %es:(%rdi)"},
        {"\tlock\t\txaddl\t%eax, (%rcx)", "lock xaddl %eax, (%rcx)"},
        {"\trep\t\tretq", "rep retq"},
        {"\t{vex}\tvpdpbusd\t%ymm0, %ymm1, %ymm2", "{vex} vpdpbusd %ymm0, %ymm1, %ymm2"},
        {"\tadd\tx0, x1, x2 \t", "add    x0, x1, x2"},
        {"\tnop \t", "nop"},
        {"\tld1\t{ v0.8b },  [x0]", "ld1    { v0.8b }, [x0]"},
        {"", ""},
        {" \t ", ""},
};

TEST(texts_are_cleaned)
{
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                disasm_text_clean(&out, texts[i].raw);
                EXPECT_STR(buf_text(&out), texts[i].clean);
        }
}

TEST(targets_replace_the_last_operand)
{
        AUTO_RELEASE(buf) out = {0};

        disasm_text_clean_target(&out, "\tjmp\t0x12", 0x401234);
        EXPECT_STR(buf_text(&out), "jmp    0x401234");
        disasm_text_clean_target(&out, "\ttbz\tw0, #3, #-8", UINT64_MAX);
        EXPECT_STR(buf_text(&out), "tbz    w0, #3, 0xffffffffffffffff");
        disasm_text_clean_target(&out, "\tadrp\tx21, #4096", 0x2000);
        EXPECT_STR(buf_text(&out), "adrp   x21, 0x2000");
        disasm_text_clean_target(&out, "", 1);
        EXPECT_STR(buf_text(&out), "       0x1");
}

TAP_MAIN
