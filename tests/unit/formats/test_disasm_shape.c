/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of instructions that may contain an address; the bytes are gas's, the fields are read off Intel's
 * and Arm's manuals. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "disasm_shape.h"
#include "tap.h"

#define ADDR 0x1000u

static size_t bytes_of(const char *hex, uint8_t bytes[16])
{
        size_t n = 0;
        unsigned byte;

        for (; sscanf(hex, "%2x", &byte) == 1 && n < 16; hex += hex[2] ? 3 : 2)
                bytes[n++] = (uint8_t)byte;
        return n;
}

/* "SIZE [KIND@OFF+SIZE=VALUE/LOADED]... : other bytes" */
static void describe(const struct disasm_shape *shape, struct buf *out)
{
        static const char *const kinds[] = {"code", "pc", "page", "low", "number"};

        buf_printf(out, "%u", shape->size_bytes);
        for (size_t i = 0; i < shape->n_refs; i++) {
                const struct disasm_ref *ref = &shape->refs[i];

                buf_printf(out, " %s@%u+%u=0x%llx", kinds[ref->kind], ref->off, ref->size_bytes,
                           (unsigned long long)ref->value);
                if (ref->load_bytes)
                        buf_printf(out, "/%u", ref->load_bytes);
        }
        buf_add_str(out, shape->is_padding ? " padding :" : " :");
        for (size_t i = 0; i < shape->n_bytes; i++)
                buf_printf(out, " %02x", shape->bytes[i]);
}

static void expect_shape(enum disasm_arch arch, const char *hex, const char *wanted)
{
        AUTO_RELEASE(buf) text = {0};
        struct disasm_shape shape;
        uint8_t bytes[16];
        size_t n = bytes_of(hex, bytes);

        EXPECT_TRUE(disasm_shape_get(arch, bytes, n, ADDR, &shape));
        describe(&shape, &text);
        EXPECT_STR(buf_text(&text), wanted);
}

TEST(jumps_and_calls)
{
        expect_shape(DISASM_X86_64, "e8 10 00 00 00", "5 code@1+4=0x1015 : e8");
        expect_shape(DISASM_X86_64, "e9 00 01 00 00", "5 code@1+4=0x1105 : e9");
        expect_shape(DISASM_X86_64, "eb fe", "2 code@1+1=0x1000 : e9");
        expect_shape(DISASM_X86_64, "74 02", "2 code@1+1=0x1004 : 0f 84");
        expect_shape(DISASM_X86_64, "0f 84 00 01 00 00", "6 code@2+4=0x1106 : 0f 84");
        expect_shape(DISASM_X86_64, "e2 fe", "2 code@1+1=0x1000 : e2"); /* loop */
        expect_shape(DISASM_X86_64, "ff e0", "2 : ff e0");
}

TEST(data_and_numbers)
{
        expect_shape(DISASM_X86_64, "48 8d 05 10 00 00 00", "7 pc@3+4=0x1017 : 48 8d 05");
        expect_shape(DISASM_X86_64, "8b 05 f9 ff ff ff", "6 pc@2+4=0xfff/4 : 8b 05");
        expect_shape(DISASM_X86_64, "48 c7 05 10 00 00 00 ff ff ff ff",
                     "11 pc@3+4=0x101b/8 number@7+4=0xffffffffffffffff : 48 c7 05");
        expect_shape(DISASM_X86_64, "bf 10 20 40 00", "5 number@1+4=0x402010 : bf");
        expect_shape(DISASM_X86_64, "48 b8 01 02 03 04 05 06 07 08",
                     "10 number@2+8=0x807060504030201 : 48 b8");
        expect_shape(DISASM_X86_64, "ff 24 c5 00 20 40 00", "7 number@3+4=0x402000/4 : ff 24 c5");
        expect_shape(DISASM_X86_64, "83 c0 01", "3 : 83 c0 01");
        expect_shape(DISASM_X86_64, "8b 44 24 08", "4 : 8b 44 24 08");
        expect_shape(DISASM_X86_64, "f2 0f 10 05 00 00 00 00", "8 pc@4+4=0x1008/8 : f2 0f 10 05");
        expect_shape(DISASM_X86_64, "66 0f 6f 05 00 00 00 00", "8 pc@4+4=0x1008/16 : 66 0f 6f 05");
        expect_shape(DISASM_X86_64, "c5 fd 6f 05 00 00 00 00",
                     "8 pc@4+4=0x1008/32 : c5 fd 6f 05"); /* vmovdqa ymm */
}

TEST(padding)
{
        expect_shape(DISASM_X86_64, "90", "1 padding : 90");
        expect_shape(DISASM_X86_64, "66 90", "2 padding : 66 90");
        expect_shape(DISASM_X86_64, "0f 1f 40 00", "4 padding : 0f 1f 40 00");
        expect_shape(DISASM_X86_64, "f3 90", "2 : f3 90");             /* pause */
        expect_shape(DISASM_X86_64, "41 90", "2 : 41 90");             /* xchg r8, rax */
        expect_shape(DISASM_X86_64, "f3 0f 1e fa", "4 : f3 0f 1e fa"); /* endbr64 */
        expect_shape(DISASM_AARCH64, "1f 20 03 d5", "4 padding : 1f 20 03 d5");
}

TEST(arm64)
{
        expect_shape(DISASM_AARCH64, "04 00 00 94", "4 code@0+4=0x1010 : 00 00 00 94"); /* bl */
        expect_shape(DISASM_AARCH64, "41 00 00 54", "4 code@0+4=0x1008 : 01 00 00 54"); /* b.ne */
        expect_shape(DISASM_AARCH64, "40 00 08 36", "4 code@0+4=0x1008 : 00 00 08 36"); /* tbz w0, #1 */
        expect_shape(DISASM_AARCH64, "00 00 00 b0", "4 page@0+4=0x2000 : 00 00 00 90"); /* adrp x0 */
        expect_shape(DISASM_AARCH64, "00 40 00 91", "4 low@0+4=0x10 : 00 00 00 91");    /* add x0, x0, #16 */
        expect_shape(DISASM_AARCH64, "01 08 40 f9", "4 low@0+4=0x10/8 : 01 00 40 f9"); /* ldr x1, [x0, #16] */
        expect_shape(DISASM_AARCH64, "00 04 c0 3d",
                     "4 low@0+4=0x10/16 : 00 00 c0 3d"); /* ldr q0, [x0, #16] */
        expect_shape(DISASM_AARCH64, "40 00 00 58", "4 pc@0+4=0x1008/8 : 00 00 00 58"); /* ldr x0, literal */
        expect_shape(DISASM_AARCH64, "c0 03 5f d6", "4 : c0 03 5f d6");                 /* ret */
}

static void expect_written(uint32_t word, uint32_t wanted)
{
        uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                            (uint8_t)(word >> 24)};
        struct disasm_shape shape;

        EXPECT_TRUE(disasm_shape_get(DISASM_AARCH64, bytes, sizeof(bytes), ADDR, &shape));
        EXPECT_INT(shape.written, wanted);
}

TEST(registers_that_are_written)
{
        expect_written(0x8b020020, 1u << 0);           /* add x0, x1, x2 */
        expect_written(0xf9400001, 1u << 1);           /* ldr x1, [x0] */
        expect_written(0xf9000001, 0);                 /* str x1, [x0] */
        expect_written(0xa9400801, 1u << 1 | 1u << 2); /* ldp x1, x2, [x0] */
        expect_written(0xa9bf7bfd, 0); /* stp x29, x30, [sp, #-16]!: sp is no general register */
        expect_written(0xa8c17bfd, 1u << 29 | 1u << 30); /* ldp x29, x30, [sp], #16 */
        expect_written(0xf8408401, 1u << 0 | 1u << 1);   /* ldr x1, [x0], #8 */
        expect_written(0x3dc00000, 0);                   /* ldr q0, [x0] */
        expect_written(0x4f000422, 0);                   /* movi v2.4s, #1 */
        expect_written(0x4ea28442, 0);                   /* add v2.4s, v2.4s, v2.4s */
        expect_written(0x0c4081c2, 0);                   /* ld2 {v2.8b, v3.8b}, [x14] */
        expect_written(0x0cdf81c2, 1u << 14);            /* ld2 {v2.8b, v3.8b}, [x14], #16 */
        expect_written(0x9e670041, 0);                   /* fmov d1, x2 */
        expect_written(0x9e660041, 1u << 1);             /* fmov x1, d2 */
        expect_written(0x9e620041, 0);                   /* scvtf d1, x2 */
        expect_written(0x9e780041, 1u << 1);             /* fcvtzs x1, d2 */
        expect_written(0x1e42fc41, 0);                   /* scvtf d1, w2, #1 */
        expect_written(0x1e58fc41, 1u << 1);             /* fcvtzs w1, d2, #1 */
        expect_written(0x0e043c41, 1u << 1);             /* umov w1, v2.s[0] */
        expect_written(0x4e042c41, 1u << 1);             /* smov x1, v2.s[0] */
        expect_written(0x4e041c41, 0);                   /* ins v1.s[0], w2 */
        expect_written(0xfa400b00, 0);                   /* ccmp x24, #0, #0, eq */
        expect_written(0x7a421023, 0);                   /* ccmp w1, w2, #3, ne */
        expect_written(0x3a43b821, 0);                   /* ccmn w1, #3, #1, lt */
        expect_written(0x9a820020, 1u << 0);             /* csel x0, x1, x2, eq */
        expect_written(0xd65f03c0, 0);                   /* ret */
        expect_written(0x94000000, 0x7ffff | 1u << 30);  /* bl */
}

/* Linkers replace adrp in the last two instructions of a page (erratum 843419 of Cortex-A53). */
TEST(adr_in_place_of_adrp)
{
        static const uint8_t adrp[] = {0x00, 0x00, 0x00, 0x90};         /* adrp x0, the page */
        static const uint8_t to_next_page[] = {0x40, 0x00, 0x00, 0x10}; /* adr x0, .+8 */
        struct disasm_shape page, mended, ordinary;

        EXPECT_TRUE(disasm_shape_get(DISASM_AARCH64, adrp, sizeof(adrp), 0x1ff8, &page));
        EXPECT_TRUE(disasm_shape_get(DISASM_AARCH64, to_next_page, sizeof(to_next_page), 0x1ff8, &mended));
        EXPECT_TRUE(disasm_shape_get(DISASM_AARCH64, to_next_page, sizeof(to_next_page), 0x1ffc, &ordinary));
        EXPECT_INT(page.refs[0].kind, DISASM_REF_PAGE);
        EXPECT_INT(mended.refs[0].kind, DISASM_REF_PAGE);
        EXPECT_INT(mended.refs[0].value, 0x2000);
        EXPECT_TRUE(memcmp(page.bytes, mended.bytes, sizeof(page.bytes)) == 0);
        EXPECT_INT(ordinary.refs[0].kind, DISASM_REF_PC);
}

/* What the shape says of control flow and of its first field. */
static struct disasm_step step_of(const struct disasm_shape *shape)
{
        const struct disasm_ref *ref = &shape->refs[0];
        bool is_operand = shape->n_refs && ref->kind == DISASM_REF_PC;
        bool has_target = is_operand || (shape->n_refs && ref->kind == DISASM_REF_CODE);

        return (struct disasm_step){shape->size_bytes, shape->flow, has_target, is_operand,
                                    has_target ? ref->value : 0};
}

static bool is_same_step(const struct disasm_step *a, const struct disasm_step *b)
{
        return a->size_bytes == b->size_bytes && a->flow == b->flow && a->has_target == b->has_target &&
               a->is_operand == b->is_operand && a->target == b->target;
}

/* Steps of all one- and two-byte beginnings, with prefixes and numbers that vary, whole and cut off. */
TEST(steps_are_those_of_shapes)
{
        static const uint8_t prefixes[] = {0, 0x48, 0x66, 0x67, 0xf2, 0xf3, 0xd5, 0x62, 0xc4, 0xc5};
        size_t n_targets = 0, n_differ = 0;
        uint32_t noise = 1;

        for (uint32_t i = 0; i < (N_ELEMENTS(prefixes) << 16); i++) {
                enum disasm_arch arch = i % 5 ? DISASM_X86_64 : DISASM_AARCH64;
                struct disasm_step step, wanted;
                struct disasm_shape shape;
                uint8_t code[16];
                size_t first = prefixes[i >> 16] != 0, size = 16 - i % 16;

                for (size_t k = 0; k < sizeof(code); k++) {
                        noise = noise * 1664525 + 1013904223;
                        code[k] = (uint8_t)(noise >> 24);
                }
                code[0] = prefixes[i >> 16];
                code[first] = (uint8_t)(i >> 8);
                code[first + 1] = (uint8_t)i;
                step = disasm_step_get(arch, code, size, ADDR);
                disasm_shape_get(arch, code, size, ADDR, &shape);
                wanted = step_of(&shape);
                n_differ += !is_same_step(&step, &wanted);
                n_targets += step.has_target;
        }
        EXPECT_INT(n_differ, 0);
        EXPECT_TRUE(n_targets > 10000);
}

TAP_MAIN
