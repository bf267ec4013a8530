/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds checks before jump tables; the bytes are gas's. */
#include <inttypes.h>
#include <stdio.h>

#include "buf.h"
#include "disasm_bound.h"
#include "tap.h"

static size_t bytes_of(const char *hex, uint8_t bytes[16])
{
        size_t n = 0;
        unsigned byte;

        for (; sscanf(hex, "%2x", &byte) == 1 && n < 16; hex += hex[2] ? 3 : 2)
                bytes[n++] = (uint8_t)byte;
        return n;
}

/* "compares NUMBER", "branches +MORE" or "". */
static void expect_bound(enum disasm_arch arch, const char *hex, const char *wanted)
{
        AUTO_RELEASE(buf) text = {0};
        uint8_t bytes[16];
        size_t n = bytes_of(hex, bytes);
        uint64_t number;

        if (disasm_bound_compares(arch, bytes, n, &number))
                buf_printf(&text, "compares %" PRIu64, number);
        if (disasm_bound_branches(arch, bytes, n, &number))
                buf_printf(&text, "branches +%" PRIu64, number);
        EXPECT_STR(buf_text(&text), wanted);
}

TEST(x86_64)
{
        expect_bound(DISASM_X86_64, "83 ff 15", "compares 21");           /* cmp $21, %edi */
        expect_bound(DISASM_X86_64, "81 ff 2c 01 00 00", "compares 300"); /* cmp $300, %edi */
        expect_bound(DISASM_X86_64, "48 3d 2c 01 00 00", "compares 300"); /* cmp $300, %rax */
        expect_bound(DISASM_X86_64, "3c f0", "compares 240");             /* cmp $240, %al */
        expect_bound(DISASM_X86_64, "80 3f f0", "compares 240");          /* cmpb $240, (%rdi) */
        expect_bound(DISASM_X86_64, "66 81 78 08 2c 01", "compares 300"); /* cmpw $300, 8(%rax) */
        expect_bound(DISASM_X86_64, "83 ff ff", "");                      /* cmp $-1, %edi */
        expect_bound(DISASM_X86_64, "83 ef 15", "");                      /* sub $21, %edi */
        expect_bound(DISASM_X86_64, "39 f7", "");                         /* cmp %esi, %edi */
        expect_bound(DISASM_X86_64, "77 10", "branches +1");              /* ja */
        expect_bound(DISASM_X86_64, "0f 87 10 00 00 00", "branches +1");  /* ja */
        expect_bound(DISASM_X86_64, "0f 86 10 00 00 00", "branches +1");  /* jbe */
        expect_bound(DISASM_X86_64, "73 10", "branches +0");              /* jae */
        expect_bound(DISASM_X86_64, "0f 82 10 00 00 00", "branches +0");  /* jb */
        expect_bound(DISASM_X86_64, "7f 10", "");                         /* jg */
        expect_bound(DISASM_X86_64, "74 10", "");                         /* je */
        expect_bound(DISASM_X86_64, "0f", "");
}

TEST(aarch64)
{
        expect_bound(DISASM_AARCH64, "1f 50 00 71", "compares 20");   /* cmp w0, #20 */
        expect_bound(DISASM_AARCH64, "1f 50 00 f1", "compares 20");   /* cmp x0, #20 */
        expect_bound(DISASM_AARCH64, "1f 04 40 71", "compares 4096"); /* cmp w0, #1, lsl #12 */
        expect_bound(DISASM_AARCH64, "00 50 00 71", "");              /* subs w0, w0, #20 */
        expect_bound(DISASM_AARCH64, "1f 00 01 6b", "");              /* cmp w0, w1 */
        expect_bound(DISASM_AARCH64, "08 02 00 54", "branches +1");   /* b.hi */
        expect_bound(DISASM_AARCH64, "09 02 00 54", "branches +1");   /* b.ls */
        expect_bound(DISASM_AARCH64, "02 02 00 54", "branches +0");   /* b.hs */
        expect_bound(DISASM_AARCH64, "03 02 00 54", "branches +0");   /* b.lo */
        expect_bound(DISASM_AARCH64, "0c 02 00 54", "");              /* b.gt */
        expect_bound(DISASM_AARCH64, "00 02 00 b4", "");              /* cbz x0 */
        expect_bound(DISASM_AARCH64, "1f 50", "");
}

TAP_MAIN
