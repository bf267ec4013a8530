/* SPDX-License-Identifier: BSD-3-Clause */
#include "symtab.h"

#include "budget.h"
#include "tap.h"
#include "test_data.h"

static const char names[] = "\0first\0second\0_under\0longer_name\0third";

static uint32_t off_of(const char *name)
{
        for (uint32_t at = 1; at < sizeof(names); at += (uint32_t)strlen(names + at) + 1) {
                if (!strcmp(names + at, name))
                        return at;
        }
        return 0;
}

static struct symtab *new_tab(void)
{
        struct symtab *tab = symtab_new();

        symtab_add_names(tab, names, sizeof(names));
        return tab;
}

static void add(struct symtab *tab, const char *name, uint64_t addr, uint64_t size,
                enum object_binding binding)
{
        symtab_add(tab, &(struct symtab_symbol){
                                .addr = addr,
                                .size_bytes = size,
                                .name_off = off_of(name),
                                .binding = (uint8_t)binding,
                        });
}

static const char *name_at(const struct symtab *tab, uint64_t addr)
{
        struct symtab_hit hit;

        return symtab_find(tab, addr, &hit) ? hit.name : "";
}

TEST(symtab_finds_inside_and_not_beyond)
{
        AUTO(symtab) tab = new_tab();
        struct symtab_hit hit;

        add(tab, "second", 0x200, 0x10, OBJECT_GLOBAL);
        add(tab, "first", 0x100, 0x10, OBJECT_GLOBAL);
        add(tab, "third", 0xfffffffffffffff0, 0x100, OBJECT_GLOBAL);
        symtab_finish(tab);
        EXPECT_INT(symtab_n_symbols(tab), 3);
        EXPECT_STR(name_at(tab, 0xff), "");
        EXPECT_STR(name_at(tab, 0x100), "first");
        EXPECT_STR(name_at(tab, 0x10f), "first");
        EXPECT_STR(name_at(tab, 0x110), "");
        EXPECT_STR(name_at(tab, 0x20f), "second");
        EXPECT_STR(name_at(tab, 0xfffffffffffffff8), "third");
        ASSERT_TRUE(symtab_find(tab, 0x205, &hit));
        EXPECT_INT(hit.start, 0x200);
        EXPECT_INT(hit.end, 0x210);
        EXPECT_TRUE(!hit.end_is_guessed);
}

TEST(symtab_chooses_among_names_as_perf_does)
{
        AUTO(symtab) tab = new_tab();

        add(tab, "first", 0x100, 0, OBJECT_GLOBAL); /* a size wins over everything */
        add(tab, "second", 0x100, 8, OBJECT_WEAK);
        add(tab, "first", 0x200, 8, OBJECT_WEAK); /* then not weak */
        add(tab, "second", 0x200, 8, OBJECT_LOCAL);
        add(tab, "first", 0x300, 8, OBJECT_LOCAL); /* then global */
        add(tab, "second", 0x300, 8, OBJECT_GLOBAL);
        add(tab, "_under", 0x400, 8, OBJECT_GLOBAL); /* then fewer underscores */
        add(tab, "third", 0x400, 8, OBJECT_GLOBAL);
        add(tab, "third", 0x500, 8, OBJECT_GLOBAL); /* then the longer one */
        add(tab, "longer_name", 0x500, 8, OBJECT_GLOBAL);
        add(tab, "first", 0x600, 8, OBJECT_GLOBAL); /* then the first */
        add(tab, "third", 0x600, 8, OBJECT_GLOBAL);
        symtab_finish(tab);
        EXPECT_INT(symtab_n_symbols(tab), 6);
        EXPECT_STR(name_at(tab, 0x100), "second");
        EXPECT_STR(name_at(tab, 0x200), "second");
        EXPECT_STR(name_at(tab, 0x300), "second");
        EXPECT_STR(name_at(tab, 0x400), "third");
        EXPECT_STR(name_at(tab, 0x500), "longer_name");
        EXPECT_STR(name_at(tab, 0x600), "first");
}

TEST(symtab_gives_an_end_to_what_has_no_size)
{
        AUTO(symtab) tab = new_tab();
        struct symtab_hit hit;

        add(tab, "first", 0x100, 0, OBJECT_GLOBAL);
        add(tab, "second", 0x180, 0x10, OBJECT_GLOBAL);
        symtab_add(tab, &(struct symtab_symbol){.addr = 0x200, .limit = 0x240, .name_off = off_of("third")});
        add(tab, "longer_name", 0x1010, 0, OBJECT_GLOBAL);
        symtab_finish(tab);
        EXPECT_STR(name_at(tab, 0x17f), "first");
        EXPECT_STR(name_at(tab, 0x190), "");
        EXPECT_STR(name_at(tab, 0x23f), "third");
        EXPECT_STR(name_at(tab, 0x240), "");
        ASSERT_TRUE(symtab_find(tab, 0x1011, &hit));
        EXPECT_TRUE(hit.end_is_guessed);
        EXPECT_INT(hit.end, 0x3000);
}

TEST(symtab_answers_with_the_innermost)
{
        AUTO(symtab) tab = new_tab();
        struct symtab_hit hit;

        add(tab, "first", 0x100, 0x1000, OBJECT_GLOBAL);
        add(tab, "second", 0x200, 0x100, OBJECT_GLOBAL);
        add(tab, "third", 0x280, 0x10, OBJECT_GLOBAL);
        symtab_add(tab,
                   &(struct symtab_symbol){
                           .addr = 0x400, .limit = 0x800, .name_off = off_of("_under"), .is_label = true});
        symtab_finish(tab);
        EXPECT_STR(name_at(tab, 0x1ff), "first");
        EXPECT_STR(name_at(tab, 0x27f), "second");
        EXPECT_STR(name_at(tab, 0x28f), "third");
        EXPECT_STR(name_at(tab, 0x290), "second");
        EXPECT_STR(name_at(tab, 0x300), "first");
        EXPECT_STR(name_at(tab, 0x410), "first");
        EXPECT_STR(name_at(tab, 0x1100), "");
        ASSERT_TRUE(symtab_find(tab, 0x210, &hit));
        EXPECT_INT(hit.same_from, 0x200);
        EXPECT_INT(hit.same_to, 0x280);
        ASSERT_TRUE(symtab_find(tab, 0x300, &hit));
        EXPECT_INT(hit.start, 0x100);
        EXPECT_INT(hit.same_from, 0x300);
}

TEST(symtab_of_many_agrees_with_a_plain_search)
{
        enum { N = 20000 };
        static uint64_t starts[N], sizes[N];
        AUTO(symtab) tab = new_tab();
        uint64_t seed = 1;
        struct symtab_hit hit;

        for (int i = 0; i < N; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                starts[i] = (seed >> 33) * 64 + 0xffff800000000000u;
                sizes[i] = (seed >> 20) % 64 + 1;
                add(tab, "first", starts[i], sizes[i], OBJECT_GLOBAL);
        }
        symtab_finish(tab);
        for (int i = 0; i < N; i++) {
                if (!symtab_find(tab, starts[i] + sizes[i] - 1, &hit) || hit.start != starts[i])
                        TAP_FAIL("symbol %d is not found", i);
        }
        EXPECT_TRUE(!symtab_find(tab, 0, &hit));
        EXPECT_TRUE(!symtab_find(tab, UINT64_MAX, &hit));
}

TEST(symtab_without_symbols_finds_nothing)
{
        AUTO(symtab) tab = symtab_new();

        symtab_finish(tab);
        EXPECT_STR(name_at(tab, 0x100), "");
}

TAP_MAIN

/* Of the table's symbols only those of functions are kept, and nothing that was needed to sort them. */
TEST(what_is_kept_counts)
{
        enum { MOST_OF_SYMBOL = 56 };
        struct budget budget;
        struct err err = {0};
        AUTO(object) object = object_open(data_path("elf/names-mini.so"), &err);
        AUTO(symtab) tab = symtab_new();

        ASSERT_TRUE(object != NULL);
        budget_init(&budget, 0);
        object_set_budget(object, &budget);
        ASSERT_TRUE(symtab_add_object(tab, object, OBJECT_DYNAMIC_SYMBOLS));
        symtab_finish(tab);
        EXPECT_CMP(symtab_n_symbols(tab), >, 0);
        EXPECT_CMP(budget.used_bytes, >, 0);
        EXPECT_CMP(budget.used_bytes, <=, MOST_OF_SYMBOL * symtab_n_symbols(tab));
        symtab_free(TAKE(tab));
        EXPECT_INT(budget.used_bytes, 0);
        object_set_budget(object, NULL);
        budget_release(&budget);
}
