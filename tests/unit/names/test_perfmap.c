/* SPDX-License-Identifier: BSD-3-Clause */
#include "budget.h"
#include "os.h"
#include "perfmap.h"
#include "tap.h"
#include "test_data.h"

/* The checkout may be another user's. */
static const struct os_origin any_origin = {.any_owner = true};

static const char *name_at(const struct perfmap *map, uint64_t addr)
{
        static char names[8][64];
        static unsigned n;
        char *name = names[n++ % N_ELEMENTS(names)];
        struct symtab_hit hit;
        bool is_shared;

        name[0] = '\0';
        if (perfmap_find(map, addr, &hit, &is_shared))
                snprintf(name, sizeof(names[0]), "%.*s", (int)hit.name_max, hit.name);
        return name;
}

static struct perfmap *new_map(const char *text)
{
        return perfmap_new_text(text, strlen(text));
}

TEST(perfmap_reads_lines)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(perfmap) map = perfmap_new(data_path("text/perf.map"), &any_origin, NULL, &note);
        struct symtab_hit hit;
        bool is_shared;

        EXPECT_INT(note.len, 0);
        EXPECT_STR(name_at(map, 0x7f0000000fff), "");
        EXPECT_STR(name_at(map, 0x7f0000001000), "py::main:/srv/app.py");
        EXPECT_STR(name_at(map, 0x7f000000107f), "py::main:/srv/app.py");
        EXPECT_STR(name_at(map, 0x7f0000001080), "py::inner loop:/srv/app.py");
        EXPECT_STR(name_at(map, 0x7f00000010c0), "");
        EXPECT_STR(name_at(map, 0x7f000000201f), "LazyCompile:~f");
        EXPECT_STR(name_at(map, 0x7f0000002020), "");
        ASSERT_TRUE(perfmap_find(map, 0x7f0000001010, &hit, &is_shared));
        EXPECT_INT(hit.start, 0x7f0000001000);
        EXPECT_INT(hit.end, 0x7f0000001080);
        EXPECT_TRUE(!is_shared);
        EXPECT_INT(perfmap_n_shared(map), 0);
}

TEST(perfmap_lets_later_lines_win)
{
        AUTO(perfmap)
        map = new_map("100 100 old\n"
                      "180 100 new\n"
                      "100 10 newest\n"
                      "300 10 twice\n"
                      "300 10 again\n"
                      "400 100 around\n"
                      "440 10 inside\n");
        struct symtab_hit hit;
        bool is_shared;

        EXPECT_STR(name_at(map, 0x10f), "newest");
        EXPECT_STR(name_at(map, 0x110), "old");
        EXPECT_STR(name_at(map, 0x17f), "old");
        EXPECT_STR(name_at(map, 0x180), "new");
        EXPECT_STR(name_at(map, 0x27f), "new");
        EXPECT_STR(name_at(map, 0x280), "");
        EXPECT_STR(name_at(map, 0x305), "again");
        EXPECT_STR(name_at(map, 0x43f), "around");
        EXPECT_STR(name_at(map, 0x44f), "inside");
        EXPECT_STR(name_at(map, 0x450), "around");
        EXPECT_STR(name_at(map, 0x500), "");
        ASSERT_TRUE(perfmap_find(map, 0x450, &hit, &is_shared));
        EXPECT_INT(hit.start, 0x400);
        EXPECT_INT(hit.same_from, 0x450);
        EXPECT_INT(hit.same_to, 0x500);
}

static bool is_shared_at(const struct perfmap *map, uint64_t addr)
{
        struct symtab_hit hit;
        bool is_shared = false;

        return perfmap_find(map, addr, &hit, &is_shared) && is_shared;
}

TEST(perfmap_knows_functions_that_share_addresses)
{
        AUTO(perfmap)
        map = new_map("100 100 old\n"
                      "180 100 new\n"
                      "280 10 neighbour\n"
                      "300 10 twice\n"
                      "300 10 twice\n"
                      "400 100 around\n"
                      "440 10 inside\n"
                      "460 10 inside_too\n"
                      "600 10 thrice\n"
                      "600 10 thrice\n"
                      "608 10 other\n");

        EXPECT_TRUE(is_shared_at(map, 0x110));
        EXPECT_TRUE(is_shared_at(map, 0x1f0));
        EXPECT_TRUE(!is_shared_at(map, 0x285));
        EXPECT_TRUE(!is_shared_at(map, 0x305));
        EXPECT_TRUE(is_shared_at(map, 0x401));
        EXPECT_TRUE(is_shared_at(map, 0x441));
        EXPECT_TRUE(is_shared_at(map, 0x461));
        EXPECT_TRUE(is_shared_at(map, 0x601));
        EXPECT_TRUE(is_shared_at(map, 0x60a));
        EXPECT_INT(perfmap_n_shared(map), 7);
}

/* Compares every address with a plain search from the last line backwards. */
TEST(perfmap_agrees_with_a_plain_search)
{
        enum { N = 300, SPACE = 2000 };
        AUTO_RELEASE(buf) text = {0};
        AUTO(perfmap) map = NULL;
        unsigned start[N], size[N], seed = 7;
        char want[16];

        for (int i = 0; i < N; i++) {
                seed = seed * 1103515245 + 12345;
                start[i] = seed / 65536 % SPACE;
                seed = seed * 1103515245 + 12345;
                size[i] = seed / 65536 % 100 + 1;
                buf_printf(&text, "%x %x f%d\n", start[i], size[i], i);
        }
        map = perfmap_new_text(text.data, text.len);
        for (unsigned addr = 0; addr < SPACE + 200; addr++) {
                int i = N - 1;

                while (i >= 0 && (addr < start[i] || addr - start[i] >= size[i]))
                        i--;
                want[0] = '\0';
                if (i >= 0)
                        snprintf(want, sizeof(want), "f%d", i);
                EXPECT_STR(name_at(map, addr), want);
        }
}

TEST(perfmap_skips_lines_that_are_none)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(perfmap) gone = perfmap_new(data_path("text/no-such-file"), &any_origin, NULL, &note);
        AUTO(perfmap) empty = new_map("");
        AUTO(perfmap)
        map = new_map("\n 100 10 a\n100 10\n100 10 \n100 0 a\n100 a\n11112222333344445 1 a\n"
                      "ffffffffffffffff 10 a\n200 10 crlf\r\nF00 0x10 upper");

        EXPECT_STR(buf_text(&note), "no such file");
        EXPECT_STR(name_at(gone, 0), "");
        EXPECT_STR(name_at(empty, 0), "");
        EXPECT_STR(name_at(map, 0x100), "");
        EXPECT_STR(name_at(map, UINT64_MAX), "");
        EXPECT_STR(name_at(map, 0x200), "crlf");
        EXPECT_STR(name_at(map, 0xf0f), "upper");
        EXPECT_STR(name_at(map, 0xf10), "");
}

TEST(perfmap_stops_where_there_is_no_memory)
{
        AUTO_RELEASE(buf) note = {0};
        struct budget budget;
        struct perfmap *map;

        budget_init(&budget, 200);
        map = perfmap_new(data_path("text/perf.map"), &any_origin, &budget, &note);
        EXPECT_STR(name_at(map, 0x7f0000001000), "py::main:/srv/app.py");
        EXPECT_STR(name_at(map, 0x7f000000201f), "");
        EXPECT_STR(note.data, "only its first 2 functions are read: not enough memory");
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_NAMES));
        perfmap_free(map);
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

TAP_MAIN
