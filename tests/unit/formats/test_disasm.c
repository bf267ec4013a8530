/* SPDX-License-Identifier: BSD-3-Clause */
/* Disassembly by LLVM; without LLVM, the message that says so.
 *
 *   test_disasm [LIBRARY]   LIBRARY: test only this one */
#include <stdlib.h>
#include <string.h>

#include "disasm_internal.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "tap.h"
#include "text.h"

#define ADDR 0x401000u

enum { MAX_CASE_BYTES = 64 };

static const char *library;

static struct disasm *open_or_say(enum disasm_arch arch, enum disasm_syntax syntax)
{
        struct err err = {0};
        struct disasm *disasm =
                library ? disasm_open_library(library, arch, syntax) : disasm_open(arch, syntax, &err);

        if (!disasm && !library) {
                EXPECT_INT(err.code, ERR_MISSING);
                EXPECT_CONTAINS(err.text, arch == DISASM_X86_64 ? "X86" : "AArch64");
#ifdef _WIN32
                EXPECT_CONTAINS(err.text, "LLVM-C.dll");
                EXPECT_TRUE(!strstr(err.text, "Debian"));
#else
                EXPECT_CONTAINS(err.text, "install the package libllvm19, libllvm16 or libllvm14");
#endif
        }
        return disasm;
}

#define OPEN_OR_SKIP(name, arch, syntax)                                                                     \
        AUTO(disasm) name = open_or_say(arch, syntax);                                                       \
        if (!name)                                                                                           \
        SKIP(library ? library : "libLLVM")

static size_t bytes_of(const char *hex, uint8_t bytes[MAX_CASE_BYTES])
{
        size_t n = 0;
        unsigned byte;

        for (; sscanf(hex, "%2x", &byte) == 1 && n < MAX_CASE_BYTES; hex += hex[2] ? 3 : 2)
                bytes[n++] = (uint8_t)byte;
        return n;
}

static void add_hex(struct disasm *disasm, const char *hex, uint64_t addr, struct disasm_code *code)
{
        uint8_t bytes[MAX_CASE_BYTES];

        disasm_add(disasm, bytes, bytes_of(hex, bytes), addr, code);
}

/* One instruction, whole. */
static void expect_text(struct disasm *disasm, const char *hex, const char *text)
{
        AUTO_RELEASE(disasm_code) code = {0};
        uint8_t bytes[MAX_CASE_BYTES];

        add_hex(disasm, hex, ADDR, &code);
        if (code.n_insns != 1 || code.insns[0].size != bytes_of(hex, bytes) ||
            strcmp(code.insns[0].text, text))
                TAP_FAIL("%s: %zu instructions, '%s', want '%s'", hex, code.n_insns, code.insns[0].text,
                         text);
}

static const struct {
        const char *bytes, *att, *intel;
} x86_texts[] = {
        {"48 89 c3", "movq   %rax, %rbx", "mov    rbx, rax"},
        {"c3", "retq", "ret"},
        {"f3 c3", "rep retq", "rep ret"},
        {"55", "pushq  %rbp", "push   rbp"},
        {"48 83 ec 08", "subq   $0x8, %rsp", "sub    rsp, 0x8"},
        {"8b 45 f8", "movl   -0x8(%rbp), %eax", "mov    eax, dword ptr [rbp - 0x8]"},
        {"48 8d 3d 10 00 00 00", "leaq   0x10(%rip), %rdi", "lea    rdi, [rip + 0x10]"},
        {"e8 fb 00 00 00", "callq  0x401100", "call   0x401100"},
        {"ff d0", "callq  *%rax", "call   rax"},
        {"ff 25 02 00 00 00", "jmpq   *0x2(%rip)", "jmp    qword ptr [rip + 0x2]"},
        {"eb fe", "jmp    0x401000", "jmp    0x401000"},
        {"e9 fb ef ff ff", "jmp    0x400000", "jmp    0x400000"},
        {"74 10", "je     0x401012", "je     0x401012"},
        {"0f 8d 00 10 00 00", "jge    0x402006", "jge    0x402006"},
        {"e2 fe", "loop   0x401000", "loop   0x401000"},
        {"e3 00", "jrcxz  0x401002", "jrcxz  0x401002"},
        {"c7 f8 00 00 00 00", "xbegin 0x401006", "xbegin 0x401006"},
        {"f0 0f b1 11", "lock cmpxchgl %edx, (%rcx)", "lock cmpxchg dword ptr [rcx], edx"},
        {"f2 f0 0f b1 11", "xacquire lock cmpxchgl %edx, (%rcx)",
         "xacquire lock cmpxchg dword ptr [rcx], edx"},
        {"66 f0 0f c1 07", "lock xaddw %ax, (%rdi)", "lock xadd word ptr [rdi], ax"},
        {"f3 c7 07 01 00 00 00", "xrelease movl $0x1, (%rdi)", "xrelease mov dword ptr [rdi], 0x1"},
        {"f3 48 ab", "rep stosq %rax, %es:(%rdi)", "rep stosq qword ptr es:[rdi], rax"},
        {"f3 0f 1e fa", "endbr64", "endbr64"},
        {"f3 90", "pause", "pause"},
        {"0f 0b", "ud2", "ud2"},
        {"c5 fd 6f 05 00 01 00 00", "vmovdqa 0x100(%rip), %ymm0", "vmovdqa ymm0, ymmword ptr [rip + 0x100]"},
        {"66 66 66 66 66 66 2e 0f 1f 84 00 00 00 00 00", "nopw   %cs:(%rax,%rax)",
         "nop    word ptr cs:[rax + rax]"},
};

TEST(x86_64_att)
{
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        for (size_t i = 0; i < N_ELEMENTS(x86_texts); i++)
                expect_text(disasm, x86_texts[i].bytes, x86_texts[i].att);
}

TEST(x86_64_intel)
{
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_INTEL);
        for (size_t i = 0; i < N_ELEMENTS(x86_texts); i++)
                expect_text(disasm, x86_texts[i].bytes, x86_texts[i].intel);
}

static const struct {
        const char *bytes, *text;
} arm64_texts[] = {
        {"fd 7b bf a9", "stp    x29, x30, [sp, #-0x10]!"},
        {"e0 03 01 aa", "mov    x0, x1"},
        {"c0 03 5f d6", "ret"},
        {"1f 20 03 d5", "nop"},
        {"00 04 00 91", "add    x0, x0, #0x1"},
        {"04 00 00 14", "b      0x401010"},
        {"ff ff ff 97", "bl     0x400ffc"},
        {"41 00 00 54", "b.ne   0x401008"},
        {"83 00 00 b4", "cbz    x3, 0x401010"},
        {"60 00 18 36", "tbz    w0, #0x3, 0x40100c"},
        {"20 00 00 10", "adr    x0, 0x401004"},
        {"00 00 00 b0", "adrp   x0, 0x402000"},
        {"40 00 00 58", "ldr    x0, 0x401008"},
        {"40 00 00 98", "ldrsw  x0, 0x401008"},
        {"40 00 00 d8", "prfm   pldl1keep, 0x401008"},
        {"20 00 20 d4", "brk    #0x1"},
        {"00 00 00 00", "udf    #0x0"},
        /* Instructions that are not in the first version of the architecture. */
        {"41 00 e0 b8", "ldaddal w0, w1, [x2]"},
        {"41 7c a0 88", "cas    w0, w1, [x2]"},
        {"3f 23 03 d5", "paciasp"},
        {"5f 24 03 d5", "bti    c"},
        {"ff 0b 5f d6", "retaa"},
        {"11 0a 1f d7", "braa   x16, x17"},
        {"e0 e3 25 04", "cntb   x0, all, mul #0x6"},
        {"00 00 21 04", "add    z0.b, z0.b, z1.b"},
        {"00 94 82 4e", "sdot   v0.4s, v0.16b, v2.16b"},
        {"00 ec 42 6e", "bfmmla v0.4s, v0.8h, v2.8h"},
        {"20 14 df 9a", "gmi    x0, x1, xzr"},
};

TEST(arm64)
{
        OPEN_OR_SKIP(disasm, DISASM_AARCH64, DISASM_ATT);
        for (size_t i = 0; i < N_ELEMENTS(arm64_texts); i++)
                expect_text(disasm, arm64_texts[i].bytes, arm64_texts[i].text);
}

TEST(flow_and_targets)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        add_hex(disasm, "e8 fb 00 00 00 48 8d 3d 04 00 00 00 f0 ff 05 00 00 00 00 74 00 c3", ADDR, &code);
        ASSERT_CMP(code.n_insns, ==, 5);
        EXPECT_INT(code.insns[0].flow, DISASM_CALL);
        EXPECT_TRUE(code.insns[0].has_target && !code.insns[0].is_operand && code.insns[0].is_code);
        EXPECT_INT(code.insns[0].target, ADDR + 0x100);
        EXPECT_INT(code.insns[1].flow, DISASM_NEXT);
        EXPECT_TRUE(code.insns[1].has_target && code.insns[1].is_operand);
        EXPECT_INT(code.insns[1].target, ADDR + 16);
        EXPECT_STR(code.insns[2].text, "lock incl (%rip)");
        EXPECT_INT(code.insns[2].target, ADDR + 19);
        EXPECT_INT(code.insns[3].flow, DISASM_BRANCH);
        EXPECT_INT(code.insns[4].flow, DISASM_RETURN);
        EXPECT_TRUE(!code.insns[4].has_target);
}

static void expect_insn(const struct disasm_code *code, size_t i, uint64_t addr, size_t size, bool is_code,
                        const char *text)
{
        const struct disasm_insn *insn = &code->insns[i];

        ASSERT_CMP(i, <, code->n_insns);
        EXPECT_INT(insn->addr, addr);
        EXPECT_INT(insn->size, size);
        EXPECT_INT(insn->is_code, is_code);
        EXPECT_STR(insn->text, text);
}

TEST(bytes_that_are_no_instruction)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        /* push %es is invalid in 64-bit mode; the call is cut. */
        add_hex(disasm, "06 90 06 e8 00 00", ADDR, &code);
        expect_insn(&code, 0, ADDR, 1, false, ".byte 0x06");
        expect_insn(&code, 1, ADDR + 1, 1, true, "nop");
        expect_insn(&code, 2, ADDR + 2, 1, false, ".byte 0x06");
        expect_insn(&code, 3, ADDR + 3, 1, false, ".byte 0xe8");
        expect_insn(&code, 4, ADDR + 4, 2, true, "addb   %al, (%rax)");
        EXPECT_INT(code.n_insns, 5);
        EXPECT_INT(code.insns[3].flow, DISASM_NEXT);
        EXPECT_TRUE(!code.insns[3].has_target);
}

TEST(prefixes_without_an_instruction)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        /* A lock prefix without an instruction; 16 prefixes, more than an instruction may have; a lock at
         * the end. */
        add_hex(disasm, "f0 06 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 f0 90 f0", ADDR, &code);
        expect_insn(&code, 0, ADDR, 1, false, ".byte 0xf0");
        expect_insn(&code, 1, ADDR + 1, 1, false, ".byte 0x06");
        expect_insn(&code, 2, ADDR + 2, 1, false, ".byte 0xf0");
        expect_insn(&code, 3, ADDR + 3, 1, false, ".byte 0xf0");
        ASSERT_CMP(code.n_insns, ==, 6);
        EXPECT_INT(code.insns[4].size, 15);
        EXPECT_TRUE(text_starts(code.insns[4].text, "lock lock "));
        EXPECT_TRUE(text_ends(code.insns[4].text, " lock nop"));
        expect_insn(&code, 5, ADDR + 19, 1, false, ".byte 0xf0");
}

TEST(words_that_are_no_instruction)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_AARCH64, DISASM_ATT);

        add_hex(disasm, "ff ff ff ff 1f 20 03 d5 01 02 03", ADDR, &code);
        expect_insn(&code, 0, ADDR, 4, false, ".word 0xffffffff");
        expect_insn(&code, 1, ADDR + 4, 4, true, "nop");
        expect_insn(&code, 2, ADDR + 8, 1, false, ".byte 0x01");
        expect_insn(&code, 4, ADDR + 10, 1, false, ".byte 0x03");
        EXPECT_INT(code.n_insns, 5);
}

/* Results for an instruction must not depend on whether its text is cached. */
static void expect_same_when_known(enum disasm_arch arch, const char *hex)
{
        AUTO_RELEASE(disasm_code) code = {0};
        AUTO_RELEASE(disasm_code) known = {0};
        AUTO(disasm) disasm = open_or_say(arch, DISASM_ATT);
        uint8_t bytes[MAX_CASE_BYTES];
        size_t at = 0;

        if (!disasm)
                return;
        disasm_add(disasm, bytes, bytes_of(hex, bytes), ADDR, &code);
        for (size_t i = 0; i < code.n_insns; at += code.insns[i++].size) {
                EXPECT_INT(disasm_end(&known), i ? ADDR + at : 0);
                disasm_add_known(arch, bytes + at, code.insns[i].size, ADDR + at, code.insns[i].text, &known);
        }
        ASSERT_CMP(known.n_insns, ==, code.n_insns);
        for (size_t i = 0; i < code.n_insns; i++) {
                const struct disasm_insn *a = &code.insns[i], *b = &known.insns[i];

                expect_insn(&known, i, a->addr, a->size, true, a->text);
                EXPECT_TRUE(a->flow == b->flow && a->target == b->target && a->has_target == b->has_target &&
                            a->is_operand == b->is_operand);
        }
}

TEST(texts_that_are_known)
{
        expect_same_when_known(DISASM_X86_64,
                               "e8 fb 00 00 00 48 8d 3d 04 00 00 00 f0 ff 05 00 00 00 00 74 00 c3");
        expect_same_when_known(DISASM_AARCH64, "02 00 00 94 00 00 00 90 40 00 00 54 c0 03 5f d6");
}

TEST(pieces_are_found_by_address)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        EXPECT_TRUE(!disasm_find(&code, 0));
        add_hex(disasm, "90 48 89 c3 c3", 0x1000, &code);
        add_hex(disasm, "eb fe", 0x2000, &code);
        EXPECT_TRUE(!disasm_find(&code, 0xfff));
        EXPECT_CMP(disasm_find(&code, 0x1000), ==, &code.insns[0]);
        EXPECT_CMP(disasm_find(&code, 0x1001), ==, &code.insns[1]);
        EXPECT_CMP(disasm_find(&code, 0x1003), ==, &code.insns[1]);
        EXPECT_CMP(disasm_find(&code, 0x1004), ==, &code.insns[2]);
        EXPECT_TRUE(!disasm_find(&code, 0x1005));
        EXPECT_TRUE(!disasm_find(&code, 0x1fff));
        EXPECT_CMP(disasm_find(&code, 0x2001), ==, &code.insns[3]);
        EXPECT_TRUE(!disasm_find(&code, 0x2002));
        EXPECT_TRUE(!disasm_find(&code, UINT64_MAX));
}

TEST(a_piece_that_reaches_back_is_cut)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        add_hex(disasm, "90 90 90", 0x1000, &code);
        add_hex(disasm, "90 90", 0x1000, &code);
        add_hex(disasm, "90", 0x800, &code);
        EXPECT_INT(code.n_insns, 3);
        add_hex(disasm, "f4 f4 c3", 0x1001, &code);
        EXPECT_INT(code.n_insns, 4);
        expect_insn(&code, 3, 0x1003, 1, true, "retq");
}

TEST(the_end_of_the_address_space)
{
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        add_hex(disasm, "eb 7f 90 90 90", UINT64_MAX - 3, &code);
        EXPECT_INT(code.n_insns, 2);
        EXPECT_INT(code.insns[0].target, 0x7d);
        EXPECT_CMP(disasm_find(&code, UINT64_MAX - 1), ==, &code.insns[1]);
        EXPECT_TRUE(!disasm_find(&code, UINT64_MAX));
}

TEST(a_long_piece_is_cut)
{
        static const uint8_t nop[] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f,
                                      0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00};
        size_t size = DISASM_MAX_BYTES + sizeof(nop);
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        uint8_t *bytes = mem_new(size, 1);
        const struct disasm_insn *last;

        for (size_t i = 0; i + sizeof(nop) <= size; i += sizeof(nop))
                memcpy(bytes + i, nop, sizeof(nop));
        disasm_add(disasm, bytes, size, ADDR, &code);
        last = &code.insns[code.n_insns - 1];
        EXPECT_INT(last->addr + last->size, ADDR + DISASM_MAX_BYTES);
        free(bytes);
}

static void expect_blocks(const struct disasm_code *code, const size_t *want, size_t n_want)
{
        size_t n, *blocks = disasm_blocks(code, &n);

        EXPECT_INT(n, n_want);
        for (size_t i = 0; i < n && i < n_want; i++)
                EXPECT_INT(blocks[i], want[i]);
        free(blocks);
}

/* For a near branch with an operand-size prefix Intel's processors read 32 bits, AMD's 16, and LLVM one or
 * the other. */
static bool is_16_bit_branch(const uint8_t *code, size_t at)
{
        bool is_near =
                code[at] == 0xe8 || code[at] == 0xe9 || (code[at] == 0x0f && (code[at + 1] & 0xf0) == 0x80);

        return is_near && memchr(code, 0x66, at);
}

/* LLVM takes base 5, which means none, for r21 or r29 if REX2 has B4. */
static bool is_rex2_with_b4(const uint8_t *code, size_t n, size_t at)
{
        return at + 1 < n && code[at] == 0xd5 && (code[at + 1] & 0x10);
}

/* Prefixes alone are for LLVM's caller to join. */
static bool is_compared(const uint8_t *code, size_t n)
{
        size_t at = 0;

        while (at < n && disasm_is_prefix_x86_64(code[at]))
                at++;
        return at < n && !is_16_bit_branch(code, at) && !is_rex2_with_b4(code, n, at);
}

/* The bytes of this program that LLVM disassembles. */
static void compare_sizes(struct disasm *disasm, const uint8_t *code, size_t size)
{
        char text[DISASM_MAX_TEXT_BYTES];
        size_t n_compared = 0;

        for (size_t off = 0, n; off + 16 <= size; off += n ? n : 1) {
                n = disasm_decode(disasm, code + off, 16, ADDR, text, sizeof(text));
                if (!is_compared(code + off, n))
                        continue;
                n_compared++;
                if (disasm_size_x86_64(code + off, 16) != n)
                        TAP_FAIL("%02x %02x %02x %02x: %zu bytes, LLVM says %zu: %s", code[off],
                                 code[off + 1], code[off + 2], code[off + 3],
                                 disasm_size_x86_64(code + off, 16), n, text);
        }
        EXPECT_CMP(n_compared, >, 10000);
}

TEST(sizes_without_llvm)
{
        AUTO_RELEASE(buf) self = {0};

        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        if (!os_read_file("/proc/self/exe", 64 << 20, &self, NULL))
                SKIP("/proc/self/exe");
        compare_sizes(disasm, (const uint8_t *)self.data, self.len < 1 << 20 ? self.len : 1 << 20);
}

/* Each opcode and ModRM with REX2, if LLVM knows the instruction: with 32 and 64 bits in both maps, and
 * with a prefix. */
static size_t compare_rex2(struct disasm *disasm, const uint8_t *start, size_t n_start, uint8_t sib)
{
        uint8_t code[16] = {0};
        char text[DISASM_MAX_TEXT_BYTES];
        size_t n_compared = 0;

        memcpy(code, start, n_start);
        for (unsigned i = 0; i < 1 << 16; i++) {
                size_t n;

                code[n_start] = (uint8_t)(i >> 8);
                code[n_start + 1] = (uint8_t)i;
                code[n_start + 2] = sib;
                n = disasm_decode(disasm, code, 16, ADDR, text, sizeof(text));
                if (n <= n_start)
                        continue;
                n_compared++;
                if (disasm_size_x86_64(code, 16) != n)
                        TAP_FAIL("%02x %02x %02x %02x: %zu bytes, LLVM says %zu: %s", code[n_start - 2],
                                 code[n_start - 1], code[n_start], code[n_start + 1],
                                 disasm_size_x86_64(code, 16), n, text);
        }
        return n_compared;
}

TEST(sizes_with_rex2)
{
        /* See is_rex2_with_b4(): no base 5 beside B4. */
        static const struct {
                uint8_t bytes[3];
                uint8_t n, sib;
        } starts[] = {
                {{0xd5, 0x00}, 2, 0x25}, {{0xd5, 0x5d}, 2, 0x24},       {{0xd5, 0x80}, 2, 0x25},
                {{0xd5, 0xff}, 2, 0x24}, {{0x66, 0xd5, 0x01}, 3, 0x25}, {{0x66, 0xd5, 0x91}, 3, 0x24},
        };
        static const uint8_t load[] = {0xd5, 0x48, 0x8b, 0x05, 0, 1, 0, 0};
        char text[DISASM_MAX_TEXT_BYTES];

        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        if (disasm_decode(disasm, load, sizeof(load), ADDR, text, sizeof(text)) != sizeof(load))
                SKIP("an LLVM that knows REX2");
        for (size_t i = 0; i < N_ELEMENTS(starts); i++)
                EXPECT_CMP(compare_rex2(disasm, starts[i].bytes, starts[i].n, starts[i].sib), >, 10000);
}

/* Instructions of APX: with 32, 64 and 16 bits, with a third register, and conditional comparisons. */
TEST(sizes_of_apx)
{
        static const uint8_t starts[][4] = {{0x62, 0xf4, 0x7c, 0x08},
                                            {0x62, 0xf4, 0xfc, 0x08},
                                            {0x62, 0xf4, 0x7d, 0x08},
                                            {0x62, 0xf4, 0x7c, 0x18},
                                            {0x62, 0xf4, 0x04, 0x02}};
        static const uint8_t test[] = {0x62, 0x04, 0x00, 0x00, 0xf7, 0x05, 1, 2, 3, 4, 5, 6, 7, 8};
        char text[DISASM_MAX_TEXT_BYTES];

        EXPECT_INT(disasm_size_x86_64(test, sizeof(test)), sizeof(test));
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        if (disasm_decode(disasm, test, sizeof(test), ADDR, text, sizeof(text)) != sizeof(test))
                SKIP("an LLVM that knows APX");
        for (size_t i = 0; i < N_ELEMENTS(starts); i++)
                EXPECT_CMP(compare_rex2(disasm, starts[i], sizeof(starts[i]), 0x25), >, 1000);
}

/* LLVM 18 ends the program at the second and third; LLVM 19 disassembles the others. */
TEST(rex2_before_what_takes_none)
{
        static const char *const cases[] = {"d5 00 75 02", "d5 ff 20 e8", "66 d5 ff 22 e8", "d5 00 0f 05"};

        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(disasm_code) code = {0};

                add_hex(disasm, cases[i], ADDR, &code);
                EXPECT_TRUE(code.n_insns > 0 && !code.insns[0].is_code);
        }
}

static const struct {
        enum disasm_arch arch;
        const char *bytes, *text;
        enum disasm_flow flow;
} without_llvm[] = {
        {DISASM_X86_64, "48 89 c3", "bytes  48 89 c3", DISASM_NEXT},
        {DISASM_X86_64, "f0 48 0f b1 0d 10 00 00 00", "bytes  f0 48 0f b1 0d 10 00 00 00", DISASM_NEXT},
        {DISASM_X86_64, "e8 fb 00 00 00", "call   0x401100", DISASM_CALL},
        {DISASM_X86_64, "75 02", "branch 0x401004", DISASM_BRANCH},
        {DISASM_X86_64, "ff e0", "jump   ff e0", DISASM_JUMP},
        {DISASM_X86_64, "f3 c3", "return f3 c3", DISASM_RETURN},
        {DISASM_X86_64, "d5 48 81 c0 04 03 02 01", "bytes  d5 48 81 c0 04 03 02 01", DISASM_NEXT},
        {DISASM_X86_64, "d5 11 ff d0", "call   d5 11 ff d0", DISASM_CALL},
        {DISASM_X86_64, "d5 00 a1 00 11 40 00 00 00 00 00", "jump   0x401100", DISASM_JUMP},
        {DISASM_AARCH64, "fd 03 00 91", "word   0x910003fd", DISASM_NEXT},
        {DISASM_AARCH64, "40 00 00 94", "call   0x401100", DISASM_CALL},
        {DISASM_AARCH64, "00 00 00 90", "word   0x90000000, 0x401000", DISASM_NEXT},
        {DISASM_AARCH64, "c0 03 5f d6", "return 0xd65f03c0", DISASM_RETURN},
};

TEST(texts_without_llvm)
{
        for (size_t i = 0; i < N_ELEMENTS(without_llvm); i++) {
                AUTO(disasm) disasm = disasm_open_bytes(without_llvm[i].arch);
                AUTO_RELEASE(disasm_code) code = {0};

                EXPECT_TRUE(!disasm_has_texts(disasm));
                expect_text(disasm, without_llvm[i].bytes, without_llvm[i].text);
                add_hex(disasm, without_llvm[i].bytes, ADDR, &code);
                EXPECT_INT(code.insns[0].flow, without_llvm[i].flow);
                EXPECT_TRUE(code.insns[0].is_code);
        }
}

TEST(basic_blocks)
{
        /* 0 cmp; 1 je to 4; 2 call to 5; 3 jmp to 1; 4 nop; 5 ud2; 6 lea of 7; 7 nop; 8 ret; 9 nop */
        static const char bytes[] =
                "83 f8 01 74 07 e8 03 00 00 00 eb f7 90 0f 0b 48 8d 05 00 00 00 00 90 c3 90";
        static const size_t want[] = {0, 1, 2, 4, 5, 6, 9, 10};
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        expect_blocks(&code, want, 0);
        add_hex(disasm, bytes, 0x1000, &code);
        EXPECT_INT(code.n_insns, 10);
        add_hex(disasm, "90 90", 0x2000, &code);
        expect_blocks(&code, want, N_ELEMENTS(want));
}

/* A jump that skips a lock prefix leads to the locked instruction. */
TEST(a_target_inside_an_instruction)
{
        static const size_t want[] = {0, 2, 4};
        AUTO_RELEASE(disasm_code) code = {0};
        OPEN_OR_SKIP(disasm, DISASM_X86_64, DISASM_ATT);

        add_hex(disasm, "90 90 f0 ff 07 75 fc 90", 0x1000, &code);
        EXPECT_INT(code.n_insns, 5);
        EXPECT_INT(code.insns[3].target, 0x1003);
        expect_blocks(&code, want, N_ELEMENTS(want));
}

TEST(several_at_a_time)
{
        OPEN_OR_SKIP(att, DISASM_X86_64, DISASM_ATT);
        OPEN_OR_SKIP(arm64, DISASM_AARCH64, DISASM_ATT);
        OPEN_OR_SKIP(intel, DISASM_X86_64, DISASM_INTEL);

        expect_text(att, "48 89 c3", "movq   %rax, %rbx");
        expect_text(arm64, "1f 20 03 d5", "nop");
        expect_text(intel, "48 89 c3", "mov    rbx, rax");
        expect_text(att, "48 89 c3", "movq   %rax, %rbx");
}

int main(int argc, char **argv)
{
        library = argc > 1 ? argv[1] : NULL;
        return tap_run_all();
}
