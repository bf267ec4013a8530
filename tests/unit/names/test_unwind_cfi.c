/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows, expressions and tables in bytes that no installed compiler writes, and unwinding through a PLT. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "budget.h"
#include "tap.h"
#include "unwind_cfi_state.h"

static void add_rule(struct buf *text, const struct cfi_rule *rule)
{
        switch (rule->kind) {
        case CFI_UNDEFINED: buf_printf(text, "u"); break;
        case CFI_OFFSET: buf_printf(text, "c%+" PRId64, rule->off); break;
        case CFI_VAL_OFFSET: buf_printf(text, "v%+" PRId64, rule->off); break;
        case CFI_REG: buf_printf(text, "r%u", rule->reg); break;
        case CFI_EXPR: buf_printf(text, "exp%u", rule->expr_bytes); break;
        case CFI_VAL_EXPR: buf_printf(text, "vexp%u", rule->expr_bytes); break;
        default: buf_printf(text, "?");
        }
}

/* `START-END CFA REG=RULE...`, or what is wrong. */
static void expect_row(struct made *made, uint64_t addr, const char *want)
{
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};
        struct cfi_row row;

        if (!made->cfi) {
                TAP_FAIL("%s", made->err.text);
                return;
        }
        if (!cfi_find(made->cfi, addr, &row, &err)) {
                EXPECT_STR(err.text, want);
                return;
        }
        buf_printf(&text, "%" PRIx64 "-%" PRIx64, row.start, row.end);
        if (row.cfa.kind == CFI_VAL_EXPR)
                buf_printf(&text, " exp%u", row.cfa.expr_bytes);
        else
                buf_printf(&text, " %u%+" PRId64, row.cfa.reg, row.cfa.off);
        for (size_t i = 0; i < row.n_rules; i++) {
                buf_printf(&text, " %u=", row.rules[i].target);
                add_rule(&text, &row.rules[i]);
        }
        if (row.is_signal)
                buf_printf(&text, " signal");
        if (row.is_signed)
                buf_printf(&text, " signed%s", row.is_key_b ? " b" : "");
        EXPECT_STR(buf_text(&text), want);
}

static void expect_x64(const char *fde, size_t fde_size, uint64_t addr, const char *want)
{
        AUTO_RELEASE(made) made = {0};

        open_entries(&made, false, BYTES(CIE_X64), fde, fde_size);
        expect_row(&made, addr, want);
}

TEST(unwind_cfi_instructions)
{
        expect_x64(BYTES(FDE), 0x1000, "1000-1100 7+8 16=c-8");
        /* push %rbp; mov %rsp, %rbp; restored at the end */
#define PUSHED FDE "\x41\x0e\20\x86\2\x43\x0d\6\2\x40\x0c\7\10\xc6"
        expect_x64(BYTES(PUSHED), 0x1000, "1000-1001 7+8 16=c-8");
        expect_x64(BYTES(PUSHED), 0x1001, "1001-1004 7+16 6=c-16 16=c-8");
        expect_x64(BYTES(PUSHED), 0x1043, "1004-1044 6+16 6=c-16 16=c-8");
        expect_x64(BYTES(PUSHED), 0x10ff, "1044-1100 7+8 16=c-8");
        expect_x64(BYTES(PUSHED), 0x1100, "no call-frame information for 0x1100");
        expect_x64(BYTES(PUSHED), 0xfff, "no call-frame information for 0xfff");
        /* All other encodings of addresses, and of advancing to them. */
        expect_x64(BYTES(FDE "\5\3\2\x11\4\x7e\x14\5\1\x15\6\x7f\11\10\11\7\12\10\x10"), 0x1000,
                   "1000-1100 7+8 3=c-16 4=c+16 5=v-8 6=v+8 8=r9 10=u");
        expect_x64(BYTES(FDE "\x2f\3\2\x2e\10\x12\7\x7e\x13\x7d"), 0x1000, "1000-1100 7+24 3=c+16 16=c-8");
        expect_x64(BYTES(FDE "\x10\3\2\x77\0\x16\4\1\x30\x0f\2\x77\10"), 0x1000,
                   "1000-1100 exp2 3=exp2 4=vexp1 16=c-8");
        expect_x64(BYTES(FDE "\3\x10\0\x0e\20\4\x10\0\0\0\x0e\30\1\x80\x10\0\0\x0e\40"), 0x1085,
                   "1080-1100 7+32 16=c-8");
        expect_x64(BYTES(FDE "\x1d\x10\0\0\0\0\0\0\0\x0e\20"), 0x1010, "1010-1100 7+16 16=c-8");
        /* A vector register has no rule here. */
        expect_x64(BYTES(FDE "\5\x11\2\6\x11"), 0x1000, "1000-1100 7+8 16=c-8");
}

TEST(unwind_cfi_remembered)
{
        expect_x64(BYTES(FDE "\x86\2\x0a\x0e\40\x83\3\x41\x0b"), 0x1000,
                   "1000-1001 7+32 3=c-24 6=c-16 16=c-8");
        expect_x64(BYTES(FDE "\x86\2\x0a\x0e\40\x83\3\x41\x0b"), 0x1001, "1001-1100 7+8 6=c-16 16=c-8");
        expect_x64(BYTES(FDE "\x0b"), 0x1000,
                   ".eh_frame: entry at 0x16: it has DW_CFA_restore_state without DW_CFA_remember_state");
        expect_x64(BYTES(FDE "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"), 0x1000,
                   ".eh_frame: entry at 0x16: more than 16 remembered rows");
}

TEST(unwind_cfi_damage)
{
        expect_x64(BYTES(FDE "\x3e"), 0x1000, ".eh_frame: entry at 0x16: instruction 0x3e is not known");
        expect_x64(BYTES(FDE "\x2d"), 0x1000, ".eh_frame: entry at 0x16: instruction 0x2d is not known");
        expect_x64(BYTES(FDE "\x0e"), 0x1000, ".eh_frame: entry at 0x16: its instructions are cut");
        expect_x64(BYTES(FDE "\x0f\5\x77"), 0x1000, ".eh_frame: entry at 0x16: its instructions are cut");
        expect_x64(BYTES(FDE "\1\0\1\0\0"), 0x1000,
                   ".eh_frame: entry at 0x16: its instructions go back from 0x1000 to 0x100");
        expect_x64(BYTES(FDE "\x0f\1\x30\x0e\10"), 0x1000,
                   ".eh_frame: entry at 0x16: its instructions change a CFA that has no register and offset");
        /* What stands behind the address is not looked at. */
        expect_x64(BYTES(FDE "\x41\x3e"), 0x1000, "1000-1001 7+8 16=c-8");
}

TEST(unwind_cfi_arm64)
{
        AUTO_RELEASE(made) made = {0};

        /* paciasp; stp x29, x30, [sp, #-16]!; then the state is negated back */
        open_entries(&made, true, BYTES("\1zRB\0\1\x78\36\1\3\x0c\37\0"),
                     BYTES(FDE "\x44\x2d\x44\x0e\20\x9d\2\x9e\1\x44\x2c"));
        expect_row(&made, 0x1000, "1000-1004 31+0");
        expect_row(&made, 0x1004, "1004-1008 31+0 signed b");
        expect_row(&made, 0x1008, "1008-100c 31+16 29=c-16 30=c-8 signed b");
        expect_row(&made, 0x100c, "100c-1100 31+16 29=c-16 30=c-8");
}

static void expect_cie(const char *cie, size_t cie_size, const char *fde, size_t fde_size, const char *want)
{
        AUTO_RELEASE(made) made = {0};

        open_entries(&made, false, cie, cie_size, fde, fde_size);
        expect_row(&made, 0x1000, want);
}

TEST(unwind_cfi_augmentations)
{
        /* Versions 3 and 4; a personality by an indirect and by an aligned pointer, and a language's data. */
        expect_cie(BYTES("\3zRS\0\1\x78\20\1\3\x0c\7\10"), BYTES(FDE), "1000-1100 7+8 signal");
        expect_cie(BYTES("\4zR\0\10\0\1\x78\20\1\3\x0c\7\10"), BYTES(FDE), "1000-1100 7+8");
        expect_cie(BYTES("\1zPLR\0\1\x78\20\7\x9b\1\2\3\4\x1b\3\x0c\7\10"),
                   BYTES("\0\x10\0\0\0\1\0\0\4\1\2\3\4"), "1000-1100 7+8");
        expect_cie(BYTES("\1zPLR\0\1\x78\20\x10\x50\0\0\0\0\0\1\2\3\4\5\6\7\10\x1b\3\x0c\7\10"),
                   BYTES("\0\x10\0\0\0\1\0\0\0"), "1000-1100 7+8");
        /* An unknown letter after those that are needed. */
        expect_cie(BYTES("\1zRq\0\1\x78\20\2\3\0\x0c\7\10"), BYTES(FDE), "1000-1100 7+8");
        /* Addresses are of 8 bytes where nothing is said. */
        expect_cie(BYTES("\1\0\1\x78\20\x0c\7\10"), BYTES("\0\x10\0\0\0\0\0\0\0\1\0\0\0\0\0\0"),
                   "1000-1100 7+8");
        expect_cie(BYTES("\1eh\0\1\2\3\4\5\6\7\10\1\x78\20\x0c\7\10"),
                   BYTES("\0\x10\0\0\0\0\0\0\0\1\0\0\0\0\0\0"), "1000-1100 7+8");
        /* Relative to the text, and to the GOT, which is missing here. */
        expect_cie(BYTES("\1zR\0\1\x78\20\1\x33\x0c\7\10"), BYTES(FDE), "1000-1100 7+8");
        /* Unknown versions and columns: the entry is ignored. */
        expect_cie(BYTES("\2zR\0\1\x78\20\1\3\x0c\7\10"), BYTES(FDE), "no call-frame information for 0x1000");
        expect_cie(BYTES("\1zR\0\1\x78\x7f\1\3\x0c\7\10"), BYTES(FDE),
                   "no call-frame information for 0x1000");
        expect_cie(BYTES("\1zR\0\1\x78\20\1\3"), BYTES(FDE),
                   ".eh_frame: entry at 0x11: no CFA is defined for 0x1000");
}

TEST(unwind_cfi_pointers_to_pointers)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};

        /* Indirect and relative to the GOT, whose first word is the address. */
        buf_add(&b.got, "\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0", 16);
        cfi_add_entry(&b.eh_frame, 0, false, BYTES("\1zR\0\1\x78\20\1\xb3\x0c\7\10"));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES("\x08\0\0\0\0\1\0\0\0"));
        open_made(&b, &made);
        expect_row(&made, 0x1000, "1000-1100 7+8");
}

/* --- Tables --- */

static void add_debug_entry(struct buf *frame, uint32_t id, const void *content, size_t size)
{
        buf_add_u32(frame, (uint32_t)size + 4);
        buf_add_u32(frame, id);
        buf_add(frame, content, size);
}

TEST(unwind_cfi_debug_frame)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};

        /* 4-byte addresses by version 4, then the 64-bit form. */
        add_debug_entry(&b.debug_frame, UINT32_MAX, BYTES("\4\0\4\0\1\x78\20\x0c\7\10"));
        add_debug_entry(&b.debug_frame, 0, BYTES("\0\x10\0\0\0\1\0\0"));
        buf_add(&b.debug_frame, "\xff\xff\xff\xff\x10\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 20);
        buf_add(&b.debug_frame, "\3\0\1\x78\20\x0c\7\20", 8);
        buf_add(&b.debug_frame, "\xff\xff\xff\xff\x18\0\0\0\0\0\0\0\x22\0\0\0\0\0\0\0", 20);
        buf_add(&b.debug_frame, "\0\x20\0\0\0\0\0\0\0\1\0\0\0\0\0\0", 16);
        open_made(&b, &made);
        expect_row(&made, 0x1080, "1000-1100 7+8");
        expect_row(&made, 0x2080, "2000-2100 7+16");
        expect_row(&made, 0x3000, "no call-frame information for 0x3000");
}

/* In .eh_frame_hdr, with the encodings of add_hdr(). */
enum { FDE_COUNT_OFF = 8 };

/* A sorted table with the position of the entry for 0x1000. */
static void add_hdr(struct cfi_builder *b, uint32_t start, uint32_t entry)
{
        buf_add(&b->eh_frame_hdr, "\1\x03\x03\x3b\0\0\x20\0\1\0\0\0", 12);
        buf_add_u32(&b->eh_frame_hdr, start - CFI_HDR_ADDR);
        buf_add_u32(&b->eh_frame_hdr, CFI_FRAME_ADDR + entry - CFI_HDR_ADDR);
}

/* `second`: the start of the other entry in the table. */
static void expect_hdr(uint32_t start, uint32_t entry, uint32_t second, uint64_t addr, const char *want)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};
        uint32_t at;

        cfi_add_entry(&b.eh_frame, 0, false, BYTES(CIE_X64));
        cfi_add_entry(&b.eh_frame, 0, true, BYTES(FDE));
        at = (uint32_t)b.eh_frame.len;
        cfi_add_entry(&b.eh_frame, 0, true, BYTES("\0\x20\0\0\0\1\0\0\0"));
        add_hdr(&b, start, entry);
        if (second) {
                buf_add_u32(&b.eh_frame_hdr, second - CFI_HDR_ADDR);
                buf_add_u32(&b.eh_frame_hdr, CFI_FRAME_ADDR + at - CFI_HDR_ADDR);
                b.eh_frame_hdr.data[FDE_COUNT_OFF] = 2;
        }
        open_made(&b, &made);
        expect_row(&made, addr, want);
}

TEST(unwind_cfi_sorted_table)
{
        expect_hdr(0x1000, 0x16, 0, 0x1000, "1000-1100 7+8 16=c-8");
        /* The table does not contain the address, or points elsewhere: the entries themselves are
         * searched. */
        expect_hdr(0x1000, 0x16, 0, 0x2000, "2000-2100 7+8 16=c-8");
        expect_hdr(0x1000, 0x1234, 0, 0x1000, "1000-1100 7+8 16=c-8");
        expect_hdr(0x1000, 0, 0, 0x1000, "1000-1100 7+8 16=c-8");
        expect_hdr(0x1000, 0x16, 0, 0x1100, "no call-frame information for 0x1100");
        /* The table has all entries.  If a start differs from that of its entry, it is not used. */
        expect_hdr(0x1000, 0x16, 0x2000, 0x1080, "1000-1100 7+8 16=c-8");
        expect_hdr(0x1000, 0x16, 0x2000, 0x2080, "2000-2100 7+8 16=c-8");
        expect_hdr(0x1000, 0x16, 0x2000, 0x1800, "no call-frame information for 0x1800");
        expect_hdr(0x1000, 0x16, 0x1100, 0x1100, "no call-frame information for 0x1100");
        expect_hdr(0x1000, 0x16, 0x1200, 0x2080, "2000-2100 7+8 16=c-8");
}

TEST(unwind_cfi_what_is_not_read)
{
        AUTO_RELEASE(cfi_builder) b = {0};
        AUTO_RELEASE(made) made = {0};
        AUTO(object) big = object_open(TEST_DATA "/elf/names-big32.so", NULL);
        AUTO(object) unlinked = object_open(TEST_DATA "/elf/names.o", NULL);
        struct err err = {0};

        open_made(&b, &made);
        EXPECT_TRUE(!made.cfi);
        EXPECT_INT(made.err.code, ERR_MISSING);
        EXPECT_STR(made.err.text, "made: no call-frame information");
        ASSERT_TRUE(big && unlinked);
        EXPECT_TRUE(!cfi_open(big, NULL, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_TRUE(!cfi_open(unlinked, NULL, &err));
        EXPECT_CONTAINS(err.text, "the file is not linked");
}

/* --- Steps --- */

/* The result of an expression with the stack's address as the CFA; 0 if it fails. */
static uint64_t eval(const char *expr, size_t size)
{
        AUTO_RELEASE(buf) fde = {0};
        AUTO_RELEASE(made) made = {0};
        struct cfi_stepped stepped;
        struct place place;

        /* CFA = r7; r3 is what the expression gives. */
        buf_add(&fde, BYTES(FDE "\x0c\7\0\x16\3"));
        buf_add_u8(&fde, (uint8_t)size);
        buf_add(&fde, expr, size);
        open_entries(&made, false, BYTES(CIE_X64), fde.data, fde.len);
        if (!made.cfi)
                return UINT64_MAX;
        set_place(&place, OBJECT_MACHINE_X86_64, 0x1000);
        /* The return address at CFA - 8 is not read by the expression, but must be readable for the step. */
        place.memory.start -= 8;
        unwind_set_reg(&place.regs, 3, 0);
        if (cfi_step(made.cfi, 0x1000, 0, &place.regs, &place.memory, &stepped) != CFI_STEP_DONE)
                return UINT64_MAX;
        return unwind_has_reg(&place.regs, 3) ? place.regs.values[3] : 0;
}

#define EVAL(expr) eval(BYTES(expr))

TEST(unwind_cfi_expressions)
{
        EXPECT_INT(EVAL(""), STACK_ADDR); /* the CFA is pushed first */
        EXPECT_INT(EVAL("\x3f"), 15);
        EXPECT_INT(EVAL("\x77\10"), STACK_ADDR + 8);
        EXPECT_INT(EVAL("\x92\2\x7f"), 1);
        EXPECT_INT(EVAL("\x77\0\x06"), 0x1001);
        EXPECT_INT(EVAL("\x77\1\x94\1"), 0x10);
        EXPECT_INT(EVAL("\x08\xff"), 255);
        EXPECT_INT(EVAL("\x09\xff"), -1);
        EXPECT_INT(EVAL("\x0a\1\x80"), 0x8001);
        EXPECT_INT(EVAL("\x0b\1\x80"), (int16_t)0x8001);
        EXPECT_INT(EVAL("\x0c\1\0\0\x80"), 0x80000001);
        EXPECT_INT(EVAL("\x0d\1\0\0\x80"), (int32_t)0x80000001);
        EXPECT_INT(EVAL("\x0e\1\0\0\0\0\0\0\x80"), INT64_MIN + 1);
        EXPECT_INT(EVAL("\x10\x80\1"), 128);
        EXPECT_INT(EVAL("\x11\x7f"), -1);
        EXPECT_INT(EVAL("\x33\x12\x22"), 6);
        EXPECT_INT(EVAL("\x33\x34\x13"), 3);
        EXPECT_INT(EVAL("\x33\x34\x14"), 3);
        EXPECT_INT(EVAL("\x33\x34\x35\x15\2"), 3);
        EXPECT_INT(EVAL("\x33\x34\x16\x1c"), 1);
        EXPECT_INT(EVAL("\x31\x32\x33\x17\x1c"), -1); /* 3 1 2 */
        EXPECT_INT(EVAL("\x31\x1f\x19"), 1);
        EXPECT_INT(EVAL("\x3f\x36\x1a"), 6);
        EXPECT_INT(EVAL("\x37\x1f\x32\x1b"), -3);
        EXPECT_INT(EVAL("\x37\x32\x1d"), 1);
        EXPECT_INT(EVAL("\x37\x32\x1e"), 14);
        EXPECT_INT(EVAL("\x30\x20"), -1);
        EXPECT_INT(EVAL("\x34\x31\x21"), 5);
        EXPECT_INT(EVAL("\x34\x23\x80\1"), 132);
        EXPECT_INT(EVAL("\x34\x31\x24"), 8);
        EXPECT_INT(EVAL("\x34\x31\x25"), 2);
        EXPECT_INT(EVAL("\x34\x1f\x31\x26"), -2);
        EXPECT_INT(EVAL("\x37\x31\x27"), 6);
        EXPECT_INT(EVAL("\x31\x1f\x31\x2d"), 1);
        EXPECT_INT(EVAL("\x31\x31\x2a"), 1);
        EXPECT_INT(EVAL("\x31\x32\x2b"), 0);
        EXPECT_INT(EVAL("\x31\x32\x2c"), 1);
        EXPECT_INT(EVAL("\x31\x32\x29"), 0);
        EXPECT_INT(EVAL("\x31\x32\x2e"), 1);
        EXPECT_INT(EVAL("\x35\x31\x28\1\0\x36"), 5); /* the branch is taken */
        EXPECT_INT(EVAL("\x35\x30\x28\1\0\x36"), 6);
        EXPECT_INT(EVAL("\x35\x2f\1\0\x36\x96"), 5);
}

TEST(unwind_cfi_expressions_that_fail)
{
        static const struct {
                const char *bytes;
                size_t size;
        } bad[] = {
                {BYTES("\x13\x13")},         /* nothing left to drop */
                {BYTES("\x13")},             /* nothing left at the end */
                {BYTES("\x31\x30\x1b")},     /* by zero */
                {BYTES("\x31\x30\x1d")},     /* likewise */
                {BYTES("\x2f\xfd\xff")},     /* for ever */
                {BYTES("\x12\x2f\xfc\xff")}, /* deeper and deeper */
                {BYTES("\x2f\x10\0")},       /* out of the expression */
                {BYTES("\x92\x40\0")},       /* a register that is not there */
                {BYTES("\x30\x06")},         /* memory that is not there */
                {BYTES("\x77\7\x94\2")},     /* in two words */
                {BYTES("\x9c")},             /* the CFA, which is what is being looked for */
        };

        for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
                if (eval(bad[i].bytes, bad[i].size) != 0)
                        TAP_FAIL("expression %zu gives a value", i);
        }
}

TEST(unwind_cfi_plt)
{
        AUTO(object) object = object_open(TEST_DATA "/elf/caller.exe", NULL);
        const struct object_section *plt = object ? object_find_section(object, ".plt") : NULL;
        AUTO(cfi) cfi = object ? cfi_open(object, NULL, NULL) : NULL;

        ASSERT_TRUE(plt && cfi);
        /* An entry jumps, pushes 5 bytes at its offset 6, and jumps on at 11. */
        for (unsigned i = 0; i < 16; i++) {
                struct cfi_stepped stepped;
                struct place place;
                unsigned n_pushed = i >= 11;

                set_place(&place, OBJECT_MACHINE_X86_64, plt->addr + 0x10 + i);
                EXPECT_INT(cfi_step(cfi, plt->addr + 0x10 + i, 0, &place.regs, &place.memory, &stepped),
                           CFI_STEP_DONE);
                EXPECT_INT(place.regs.values[UNWIND_X64_RIP], 0x1000 + n_pushed);
                EXPECT_INT(place.regs.values[UNWIND_X64_RSP], STACK_ADDR + 8 + 8 * n_pushed);
        }
}

TEST(unwind_cfi_rows_are_kept)
{
        AUTO_RELEASE(made) made = {0};

        open_entries(&made, false, BYTES(CIE_X64), BYTES(FDE));
        ASSERT_TRUE(made.cfi);
        for (unsigned i = 0; i < 10; i++) {
                struct cfi_stepped stepped;
                struct place place;

                set_place(&place, OBJECT_MACHINE_X86_64, 0x1000);
                cfi_step(made.cfi, 0x1000 + i % 2 * 0x1000, 0, &place.regs, &place.memory, &stepped);
        }
        EXPECT_INT(cfi_get_counts(made.cfi).n_read, 2);
        EXPECT_INT(cfi_get_counts(made.cfi).n_kept, 8);
}

/* Each address of a function has a row of its own, for which all instructions before it are read again. */
TEST(unwind_cfi_that_takes_too_much_work_is_given_up)
{
        enum { N_ADVANCES = 60000 };
        AUTO_RELEASE(buf) fde = {0};
        AUTO_RELEASE(made) made = {0};
        struct budget command, file;
        uint64_t left;
        unsigned n_read = 0;

        buf_add(&fde, BYTES("\0\x10\0\0\0\0\1\0\0"));
        for (unsigned i = 0; i < N_ADVANCES; i++)
                buf_add_u8(&fde, 0x41);
        open_entries(&made, false, BYTES(CIE_X64), fde.data, fde.len);
        ASSERT_TRUE(made.cfi);
        budget_init(&command, 0);
        budget_init_file(&file, &command, "long.so");
        object_set_budget(made.object, &file);
        budget_allow_work(&file, BUDGET_WORK_UNWIND, made.file.len);
        left = budget_steps_left(&file);
        EXPECT_TRUE(budget_work(&file, BUDGET_STACKS, left - 100 * N_ADVANCES / 4));
        for (unsigned i = 0; i < 1000; i++) {
                struct cfi_stepped stepped;
                struct place place;

                set_place(&place, OBJECT_MACHINE_X86_64, 0x1000);
                n_read += cfi_step(made.cfi, 0x1000 + N_ADVANCES - 1 - i, 0, &place.regs, &place.memory,
                                   &stepped) == CFI_STEP_DONE;
        }
        EXPECT_TRUE(n_read > 90 && n_read < 110);
        EXPECT_TRUE(budget_has_given_up(&command));
        budget_release(&file);
        budget_release(&command);
}

TAP_MAIN
