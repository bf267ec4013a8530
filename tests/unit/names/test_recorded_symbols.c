/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorded_symbols.h"

#include "buf.h"
#include "recorded_builder.h"
#include "resolver.h"
#include "simpleperf_info.h"
#include "tap.h"

static struct cursor none(void)
{
        return (struct cursor){.failed = true};
}

static struct cursor over(const struct buf *bytes)
{
        return cursor_make(bytes->data, bytes->len);
}

static struct recorded_symbols *open_one(struct cursor file, struct cursor file2, struct cursor hiperf,
                                         struct buf *note)
{
        return recorded_symbols_new(&(struct recorded_sections){file, file2, hiperf}, note);
}

static void expect_name(const struct recorded_file *file, uint64_t addr, const char *name)
{
        struct symtab_hit hit;

        if (!recorded_file_find(file, addr, &hit)) {
                EXPECT_TRUE(!name);
                return;
        }
        ASSERT_TRUE(name);
        EXPECT_STR(hit.name, name);
}

TEST(names_of_feature_file)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        const struct recorded_file *file;

        build_simpleperf_file(&bytes);
        AUTO(recorded_symbols) symbols = open_one(over(&bytes), none(), none(), &note);
        EXPECT_INT(note.len, 0);
        EXPECT_INT(recorded_symbols_n_files(symbols), 2);
        file = recorded_symbols_find(symbols, "/lib/one.so");
        ASSERT_TRUE(file);
        EXPECT_TRUE(file->kind == RECORDED_FILE && file->has_off);
        EXPECT_INT(file->vaddr, 0x2000);
        EXPECT_INT(file->off, 0x1000);
        expect_name(file, 0x2010, "_Z3onei");
        expect_name(file, 0x202f, "_Z3onei");
        expect_name(file, 0x2030, NULL);
        expect_name(file, 0x2040, "two");
        expect_name(file, 0x2050, NULL);
        file = recorded_symbols_find(symbols, "/vendor/mod.ko");
        ASSERT_TRUE(file);
        EXPECT_TRUE(file->kind == RECORDED_KERNEL_MODULE && !file->has_off);
        EXPECT_TRUE(!recorded_symbols_find(symbols, "/lib/other.so"));
}

TEST(names_of_feature_file2)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        const struct recorded_file *file;

        build_simpleperf_file2(&bytes);
        AUTO(recorded_symbols) symbols = open_one(none(), over(&bytes), none(), &note);
        EXPECT_INT(note.len, 0);
        file = recorded_symbols_find(symbols, "/lib/two.so");
        ASSERT_TRUE(file);
        EXPECT_INT(file->off, 0x800);
        expect_name(file, 0x3010, "three");
        expect_name(file, 0x300f, NULL);
}

TEST(names_of_hiperf)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        const struct recorded_file *file;

        build_hiperf_symbols(&bytes);
        AUTO(recorded_symbols) symbols = open_one(none(), none(), over(&bytes), &note);
        EXPECT_INT(note.len, 0);
        file = recorded_symbols_find(symbols, "/lib/three.so");
        ASSERT_TRUE(file);
        EXPECT_INT(file->build_id_size, 3);
        EXPECT_INT(file->build_id[1], 0xff);
        EXPECT_INT(file->vaddr - file->off, 0x1000);
        expect_name(file, 0x5105, "four()");
        file = recorded_symbols_find(symbols, "[kernel.kallsyms]");
        ASSERT_TRUE(file && file->kind == RECORDED_KERNEL);
        expect_name(file, 0xffffffc000001fff, "first");
        expect_name(file, 0xffffffc000002004, "second");
}

/* What is whole before the damage stays. */
TEST(a_cut_section_keeps_its_whole_files)
{
        AUTO_RELEASE(buf) bytes = {0};
        uint32_t first;

        build_simpleperf_file(&bytes);
        memcpy(&first, bytes.data, sizeof(first));
        for (size_t len = 0; len < bytes.len; len++) {
                AUTO_RELEASE(buf) note = {0};
                AUTO(recorded_symbols)
                symbols = open_one(cursor_make(bytes.data, len), none(), none(), &note);

                EXPECT_CMP(recorded_symbols_n_files(symbols), <, 2);
                EXPECT_INT(note.len == 0, len == 0 || len == sizeof(first) + first);
        }
}

/* The names end with the bytes, even if their number is larger. */
TEST(a_number_of_names_beyond_the_section)
{
        static const uint32_t many = UINT32_MAX;
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        const size_t number_off = 4 + sizeof("/lib/one.so") + 4 + 8;

        build_simpleperf_file(&bytes);
        memcpy(bytes.data + number_off, &many, sizeof(many));
        AUTO(recorded_symbols) symbols = open_one(over(&bytes), none(), none(), &note);
        EXPECT_INT(recorded_symbols_n_files(symbols), 0);
        EXPECT_TRUE(note.len);
}

TEST(damage_is_told_with_its_place)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};

        build_hiperf_symbols(&bytes);
        AUTO(recorded_symbols)
        symbols = open_one(none(), none(), cursor_make(bytes.data, bytes.len - 1), &note);
        EXPECT_INT(recorded_symbols_n_files(symbols), 1);
        EXPECT_TRUE(strstr(buf_text(&note), "FILES_SYMBOL of hiperf is damaged at offset 0x"));
}

/* A file that is missing on this machine: its offsets are converted to addresses, and its names are made
 * readable. */
TEST(the_resolver_asks_recorded_names)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        struct symbol symbol;

        build_simpleperf_file(&bytes);
        AUTO(recorded_symbols) symbols = open_one(over(&bytes), none(), none(), &note);
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.demangle = true});
        resolver_id id = resolver_add_module(
                resolver,
                &(struct resolver_module){
                        .kind = RESOLVER_FILE,
                        .path = "/lib/one.so",
                        .recorded[0] = {recorded_symbols_find(symbols, "/lib/one.so"), 0x1000},
                        .not_used = "was recorded on another machine, and its build id is not known",
                });

        symbol = resolver_find(resolver, id, 0x1014);
        EXPECT_CMP(symbol.status, ==, SYMBOL_NAMED);
        EXPECT_STR(resolver_text(resolver, symbol.name), "one");
        EXPECT_INT(symbol.addr, 0x2014);
        EXPECT_INT(symbol.start, 0x2010);
        EXPECT_CMP(resolver_find(resolver, id, 0x1034).status, ==, SYMBOL_NONE);
}

TEST(the_resolver_counts_kernel_modules_from_their_start)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        const uint64_t start = 0xffffffc000100000;
        struct symbol symbol;

        build_simpleperf_file(&bytes);
        AUTO(recorded_symbols) symbols = open_one(over(&bytes), none(), none(), &note);
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.demangle = true});
        resolver_id id = resolver_add_module(
                resolver,
                &(struct resolver_module){
                        .kind = RESOLVER_NONE,
                        .recorded[0] = {recorded_symbols_find(symbols, "/vendor/mod.ko"), 0x40 - start},
                });

        symbol = resolver_find(resolver, id, start + 10);
        EXPECT_CMP(symbol.status, ==, SYMBOL_NAMED);
        EXPECT_STR(resolver_text(resolver, symbol.name), "in_module");
        EXPECT_INT(symbol.start, start + 8);
}

TEST(pairs_of_meta_info)
{
        static const char info[] = "clockid\0monotonic\0event_type_info\0a,b,2,47\nbad\ncpu-cycles,0,0";
        struct cursor c = cursor_make(info, sizeof(info));
        const char *text = simpleperf_info_find(c, "event_type_info");
        struct simpleperf_event event;

        EXPECT_STR(simpleperf_info_find(c, "clockid"), "monotonic");
        EXPECT_TRUE(!simpleperf_info_find(c, "monotonic"));
        ASSERT_TRUE(text && simpleperf_event_next(&text, &event));
        EXPECT_TRUE(event.name_len == 3 && !memcmp(event.name, "a,b", 3));
        EXPECT_INT(event.type, 2);
        EXPECT_INT(event.config, 47);
        ASSERT_TRUE(simpleperf_event_next(&text, &event));
        EXPECT_INT(event.name_len, 10);
        EXPECT_TRUE(!simpleperf_event_next(&text, &event));
}

TAP_MAIN
