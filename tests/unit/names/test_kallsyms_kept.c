/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's functions as a file of the symbol cache: results are those of kallsyms, and only for
 * functions that can't change before the next boot. */
#include "kallsyms_kept.h"

#include <stdlib.h>

#include "tap.h"

static const char boot[] = "d1b3c18d-ee8f-4404-b462-55d89a540d85";

/* start, group, name: the kernel, a module, code that the kernel made, and the kernel's last function. */
static const struct {
        uint64_t start;
        uint16_t group;
        const char *name;
} symbols[] = {
        {0xffffffff81000000, 0, "_stext"},       {0xffffffff81000100, 0, "do_one_initcall"},
        {0xffffffff81000200, 0, "vfs_read"},     {0xffffffff81000400, 0, "last_of_kernel"},
        {0xffffffffc0001000, 1, "nft_do_chain"}, {0xffffffffc0001200, 1, "nft_trace"},
        {0xffffffffc0009000, 2, "bpf_prog_6d"},
};

enum { N_SYMBOLS = sizeof(symbols) / sizeof(*symbols) };

static struct symtab *make_symbols(struct buf *names)
{
        struct symtab *tab = symtab_new();
        uint32_t offs[N_SYMBOLS];

        for (size_t i = 0; i < N_SYMBOLS; i++) {
                offs[i] = (uint32_t)names->len;
                buf_add(names, symbols[i].name, strlen(symbols[i].name) + 1);
        }
        symtab_add_names(tab, names->data, names->len);
        for (size_t i = 0; i < N_SYMBOLS; i++)
                symtab_add(tab, &(struct symtab_symbol){.addr = symbols[i].start,
                                                        .group = symbols[i].group,
                                                        .name_off = offs[i]});
        symtab_finish(tab);
        return tab;
}

static void write_file(struct buf *out)
{
        AUTO_RELEASE(buf) names = {0};
        AUTO(symtab) tab = make_symbols(&names);

        kallsyms_kept_write(tab, boot, out);
}

static void expect_name(const struct kallsyms_kept *kept, uint64_t addr, const char *want)
{
        struct symtab_hit hit;
        bool found = kallsyms_kept_find(kept, addr, &hit);

        if (!want) {
                EXPECT_TRUE(!found);
                return;
        }
        ASSERT_TRUE(found);
        EXPECT_STR(hit.name, want);
        EXPECT_TRUE(hit.start <= addr && addr < hit.end && !hit.group);
}

TEST(functions_of_the_kernel_are_kept_and_what_may_change_is_not)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(kallsyms_kept) kept = NULL;
        struct err err = {0};

        write_file(&bytes);
        kept = kallsyms_kept_new(bytes.data, bytes.len, boot, &err);
        ASSERT_TRUE(kept);
        expect_name(kept, 0xffffffff80ffffff, NULL);
        expect_name(kept, 0xffffffff81000000, "_stext");
        expect_name(kept, 0xffffffff810001ff, "do_one_initcall");
        expect_name(kept, 0xffffffff81000200, "vfs_read");
        expect_name(kept, 0xffffffff81000400, NULL); /* its end depends on what follows */
        expect_name(kept, 0xffffffffc0001000, NULL);
        expect_name(kept, 0xffffffffc0009000, NULL);
        expect_name(kept, UINT64_MAX, NULL);
}

TEST(the_file_of_another_boot_is_not_believed)
{
        AUTO_RELEASE(buf) bytes = {0};
        struct err err = {0};

        write_file(&bytes);
        EXPECT_TRUE(!kallsyms_kept_new(bytes.data, bytes.len, "11111111-ee8f-4404-b462-55d89a540d85", &err));
        EXPECT_STR(err.text, "was written during another boot");
        EXPECT_TRUE(!kallsyms_kept_new(bytes.data, bytes.len, "", &err));
}

/* For any cut or change: the file is refused, or results are inside it. */
TEST(damage_is_refused_or_harmless)
{
        AUTO_RELEASE(buf) bytes = {0};
        struct err err = {0};

        write_file(&bytes);
        for (size_t size = 0; size < bytes.len; size++)
                EXPECT_TRUE(!kallsyms_kept_new(bytes.data, size, boot, &err));
        for (size_t i = 0; i < bytes.len; i++) {
                AUTO(kallsyms_kept) kept = NULL;
                struct symtab_hit hit;
                char old = bytes.data[i];

                bytes.data[i] = (char)0xff;
                kept = kallsyms_kept_new(bytes.data, bytes.len, boot, &err);
                for (size_t k = 0; kept && k < N_SYMBOLS; k++) {
                        if (kallsyms_kept_find(kept, symbols[k].start, &hit))
                                EXPECT_CMP(memchr(hit.name, 0, hit.name_max), !=, NULL);
                }
                bytes.data[i] = old;
        }
}

static void remove_folder(const char *folder)
{
        AUTO_RELEASE(buf) file = {0};

        buf_printf(&file, "%s/kernel-%s-1.symbols", folder, boot);
        remove(buf_text(&file));
        remove(folder);
}

TEST(a_file_is_saved_and_found_again)
{
        static const char folder[] = "kallsyms-kept-folder";
        AUTO_RELEASE(buf) names = {0};
        AUTO(symtab) tab = make_symbols(&names);
        AUTO(kallsyms_kept) kept = NULL;
        struct err err = {0};

        remove_folder(folder);
        EXPECT_TRUE(!kallsyms_kept_open(folder, boot));
        ASSERT_TRUE(kallsyms_kept_save(tab, folder, boot, 0, &err));
        kept = kallsyms_kept_open(folder, boot);
        ASSERT_TRUE(kept);
        expect_name(kept, 0xffffffff81000200, "vfs_read");
        EXPECT_TRUE(!kallsyms_kept_open(folder, "another"));
        kallsyms_kept_free(TAKE(kept));
        remove_folder(folder);
}

TAP_MAIN
