/* SPDX-License-Identifier: BSD-3-Clause */
#include "kallsyms.h"
#include "tap.h"
#include "test_data.h"

static void expect_name(struct kallsyms *kallsyms, uint64_t addr, const char *want, const char *module)
{
        struct symtab_hit hit;

        if (!kallsyms_find(kallsyms, addr, &hit)) {
                TAP_FAIL("0x%" PRIx64 " has no name, want '%s'", addr, want);
                return;
        }
        EXPECT_STR(hit.name, want);
        EXPECT_STR(kallsyms_module(kallsyms, &hit), module);
}

static void expect_none(struct kallsyms *kallsyms, uint64_t addr)
{
        struct symtab_hit hit;

        if (kallsyms_find(kallsyms, addr, &hit))
                TAP_FAIL("0x%" PRIx64 " is '%s', want none", addr, hit.name);
}

TEST(kallsyms_names_kernel_and_modules)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) kallsyms = kallsyms_new(data_path("text/kallsyms"), &note);

        EXPECT_INT(note.len, 0);
        expect_none(kallsyms, 0xffffffff80ffffff);
        expect_name(kallsyms, 0xffffffff81000000, "_stext", "");
        expect_name(kallsyms, 0xffffffff810001ff, "do_one_initcall", "");
        expect_name(kallsyms, 0xffffffff81000200, "rcu_note.cold", "");
        expect_name(kallsyms, 0xffffffff81000350, "rcu_note.cold", "");
        expect_name(kallsyms, 0xffffffffc0001000, "nft_do_chain", "nf_tables");
        expect_name(kallsyms, 0xffffffffc0009000, "veth_xmit", "veth");
        expect_name(kallsyms, 0xffffffffc000a100, "bpf_prog_6deef7357e7b4530", "bpf");
}

TEST(kallsyms_ends_the_last_symbol_of_a_module_with_its_page)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) kallsyms = kallsyms_new(data_path("text/kallsyms"), &note);

        expect_name(kallsyms, 0xffffffff81001fff, "last_of_kernel", "");
        expect_none(kallsyms, 0xffffffff81002000);
        expect_name(kallsyms, 0xffffffffc0002fff, "nft_trace", "nf_tables");
        expect_none(kallsyms, 0xffffffffc0003000);
}

static void expect_note(const char *text, const char *want)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) kallsyms = kallsyms_new_text(text, strlen(text), &note);

        expect_none(kallsyms, 0);
        EXPECT_CONTAINS(buf_text(&note), want);
}

TEST(kallsyms_says_when_addresses_are_hidden)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) gone = kallsyms_new(data_path("text/no-such-file"), &note);

        EXPECT_CONTAINS(buf_text(&note), "no-such-file");
        expect_none(gone, 0xffffffff81000000);
        expect_note("0000000000000000 T _text\n0000000000000000 t x\t[m]\n", "kptr_restrict");
        expect_note("", "no functions");
        expect_note("ffffffff81000000 D jiffies\n", "no functions");
}

TEST(kallsyms_skips_lines_that_are_none)
{
        static const char text[] =
                "\n x\nffff\nffff T\nffff T \nzz T a\n1000 T good\tx]\n1010 t $x\n1020 T end";
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) kallsyms = kallsyms_new_text(text, sizeof(text) - 1, &note);

        expect_name(kallsyms, 0x1018, "good", "");
        expect_name(kallsyms, 0x1020, "end", "");
}

TAP_MAIN
