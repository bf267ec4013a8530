/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers and stack slots of instructions; the bytes are gas's, the names are read off Intel's and Arm's
 * manuals. tests/oracle/registers_agree.py compares many more with LLVM. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "disasm_registers.h"
#include "tap.h"

static size_t bytes_of(const char *hex, uint8_t bytes[16])
{
        size_t n = 0;
        unsigned byte;

        for (; sscanf(hex, "%2x", &byte) == 1 && n < 16; hex += hex[2] ? 3 : 2)
                bytes[n++] = (uint8_t)byte;
        return n;
}

static bool take(enum disasm_arch arch, const char *hex, struct disasm_registers *ret)
{
        struct disasm_shape shape;
        uint8_t bytes[16] = {0};
        size_t n = bytes_of(hex, bytes);

        EXPECT_TRUE(disasm_shape_get(arch, bytes, n, 0x1000, &shape));
        EXPECT_INT(shape.size_bytes, n);
        return disasm_registers_get(arch, bytes, &shape, ret);
}

/* "r0 v1 s8": general and vector registers, and stack slots. */
static void expect_names(enum disasm_arch arch, const char *hex, const char *wanted)
{
        AUTO_RELEASE(buf) text = {0};
        struct disasm_registers r;

        EXPECT_TRUE(take(arch, hex, &r));
        for (size_t i = 0; i < r.n_names; i++)
                buf_printf(&text, "%s%c%d", i ? " " : "", "rvs"[r.names[i] >> 32], (int)(int32_t)r.names[i]);
        EXPECT_STR(buf_text(&text), wanted);
}

static bool is_same_form(enum disasm_arch arch, const char *a, const char *b)
{
        struct disasm_registers x, y;

        return take(arch, a, &x) && take(arch, b, &y) && x.n_form == y.n_form &&
               !memcmp(x.form, y.form, x.n_form) && x.n_names == y.n_names;
}

TEST(x86_names)
{
        expect_names(DISASM_X86_64, "48 89 c3", "r0 r3");           /* mov %rax, %rbx */
        expect_names(DISASM_X86_64, "4c 89 f3", "r14 r3");          /* mov %r14, %rbx */
        expect_names(DISASM_X86_64, "4a 8b 44 a3 10", "r0 r12 r3"); /* mov 0x10(%rbx,%r12,4), %rax */
        expect_names(DISASM_X86_64, "48 8b 44 24 10", "r0 s16");    /* mov 0x10(%rsp), %rax */
        expect_names(DISASM_X86_64, "48 8b 84 24 80 00 00 00", "r0 s128");
        expect_names(DISASM_X86_64, "48 83 ec 18", "");            /* sub $0x18, %rsp */
        expect_names(DISASM_X86_64, "41 57", "r15");               /* push %r15 */
        expect_names(DISASM_X86_64, "41 ff e3", "r11");            /* jmp *%r11 */
        expect_names(DISASM_X86_64, "f2 0f 58 c1", "v0 v1");       /* addsd %xmm1, %xmm0 */
        expect_names(DISASM_X86_64, "f2 48 0f 2a c0", "v0 r0");    /* cvtsi2sd %rax, %xmm0 */
        expect_names(DISASM_X86_64, "c5 f1 58 c2", "v0 v1 v2");    /* vaddpd %xmm2, %xmm1, %xmm0 */
        expect_names(DISASM_X86_64, "c4 e2 70 f2 c2", "r0 r1 r2"); /* andn %edx, %ecx, %eax */
        expect_names(DISASM_X86_64, "48 8d 05 00 10 00 00", "r0"); /* lea 0x1000(%rip), %rax */
}

TEST(x86_forms)
{
        /* another length because of the registers: a prefix, SIB for r12, a displacement of 0 for r13 */
        EXPECT_TRUE(is_same_form(DISASM_X86_64, "89 c3", "44 89 c3"));
        EXPECT_TRUE(is_same_form(DISASM_X86_64, "48 8b 03", "49 8b 04 24"));
        EXPECT_TRUE(is_same_form(DISASM_X86_64, "48 8b 03", "49 8b 45 00"));
        EXPECT_TRUE(is_same_form(DISASM_X86_64, "48 8b 44 24 10", "48 8b 8c 24 80 00 00 00"));
        EXPECT_TRUE(is_same_form(DISASM_X86_64, "c5 f1 58 c2",
                                 "c4 41 29 58 c8")); /* vaddpd with low and high registers */
        /* other sizes, displacements, operands, operations */
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "89 c3", "48 89 c3"));
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "48 8b 43 08", "48 8b 43 10"));
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "48 8b 03", "48 8b 04 83"));
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "48 89 c3", "48 8b c3"));
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "48 89 e3", "48 89 dc")); /* the stack pointer is no name */
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "88 e0", "88 d8"));       /* ah is not bl */
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "48 83 c0 01", "48 83 e8 01"));
        EXPECT_TRUE(!is_same_form(DISASM_X86_64, "c5 f1 58 c2", "c5 f5 58 c2")); /* xmm, ymm */
}

TEST(x86_that_is_left_as_it_is)
{
        static const char *const insns[] = {
                "75 02", "d8 c1", "0f 20 c0", "0f 01 d0", "62 f1 f5 48 58 c2", "c3", "e8 00 00 00 00",
        };
        struct disasm_registers r;

        for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++)
                EXPECT_TRUE(!take(DISASM_X86_64, insns[i], &r));
}

TEST(arm64_names)
{
        expect_names(DISASM_AARCH64, "20 00 02 8b", "r0 r1 r2");    /* add x0, x1, x2 */
        expect_names(DISASM_AARCH64, "e0 03 01 aa", "r0 r1");       /* mov x0, x1 */
        expect_names(DISASM_AARCH64, "20 0c 02 9b", "r0 r1 r3 r2"); /* madd x0, x1, x2, x3 */
        expect_names(DISASM_AARCH64, "e0 0b 40 f9", "s16 r0");      /* ldr x0, [sp, #16] */
        expect_names(DISASM_AARCH64, "f3 53 01 a9", "s16 r19 r20"); /* stp x19, x20, [sp, #16] */
        expect_names(DISASM_AARCH64, "20 68 62 f8", "r0 r1 r2");    /* ldr x0, [x1, x2] */
        expect_names(DISASM_AARCH64, "e0 43 00 91", "s16 r0");      /* add x0, sp, #16 */
        expect_names(DISASM_AARCH64, "20 28 62 1e", "v0 v1 v2");    /* fadd d0, d1, d2 */
        expect_names(DISASM_AARCH64, "20 00 67 9e", "v0 r1");       /* fmov d0, x1 */
        expect_names(DISASM_AARCH64, "60 00 00 b4", "r0");          /* cbz x0, +12 */
        expect_names(DISASM_AARCH64, "20 02 1f d6", "r17");         /* br x17 */
}

TEST(arm64_forms)
{
        EXPECT_TRUE(is_same_form(DISASM_AARCH64, "20 00 02 8b", "85 00 06 8b"));
        EXPECT_TRUE(is_same_form(DISASM_AARCH64, "e0 0b 40 f9", "e3 13 40 f9"));
        EXPECT_TRUE(!is_same_form(DISASM_AARCH64, "20 00 02 8b", "20 00 02 0b"));
        EXPECT_TRUE(!is_same_form(DISASM_AARCH64, "e0 03 01 aa", "20 00 01 aa")); /* the zero register */
        EXPECT_TRUE(!is_same_form(DISASM_AARCH64, "20 68 62 f8", "20 78 62 f8")); /* lsl #3 */
}

TAP_MAIN
