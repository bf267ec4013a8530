/* SPDX-License-Identifier: BSD-3-Clause */
#include "os.h"
#include "resolver.h"
#include "tap.h"
#include "test_data.h"

static struct resolver *new_resolver(void)
{
        static char debug_dir[512];
        static const char *const dirs[] = {debug_dir, NULL};
        struct resolver_options options = {.debug_dirs = dirs};

        snprintf(debug_dir, sizeof(debug_dir), "%s", data_path("elf/debug"));
        return resolver_new(&options);
}

static resolver_id add_file(struct resolver *resolver, const char *name)
{
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = data_path(name)};

        return resolver_add_module(resolver, &module);
}

static void expect_name(struct resolver *resolver, resolver_id id, uint64_t addr, const char *want)
{
        struct symbol symbol = resolver_find(resolver, id, addr);

        if (symbol.status != SYMBOL_NAMED) {
                TAP_FAIL("0x%" PRIx64 " has no name, want '%s'", addr, want);
                return;
        }
        if (strcmp(resolver_text(resolver, symbol.name), want) != 0)
                TAP_FAIL("0x%" PRIx64 " is '%s', want '%s'", addr, resolver_text(resolver, symbol.name),
                         want);
}

TEST(resolver_names_functions_of_a_file)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id id = add_file(resolver, "elf/names.so");
        struct symbol symbol;

        expect_name(resolver, id, 0x1100, "local_leaf");
        expect_name(resolver, id, 0x1101, "local_leaf");
        expect_name(resolver, id, 0x1120, "global_one");
        expect_name(resolver, id, 0x1130, "_underscored");
        expect_name(resolver, id, 0x1150, "hidden_two");
        expect_name(resolver, id, 0x1080, "in_another_section");
        expect_name(resolver, id, 0x10c3, "no_size");
        expect_name(resolver, id, 0x10c7, "with_label");
        expect_name(resolver, id, 0x10c8, "free_label");
        expect_name(resolver, id, 0x11b9, "tail_without_size");
        symbol = resolver_find(resolver, id, 0x1125);
        EXPECT_INT(symbol.start, 0x1120);
        EXPECT_INT(symbol.addr, 0x1125);
        EXPECT_TRUE(symbol.size > 5);
        EXPECT_INT(resolver_find(resolver, id, 0x1126).name, symbol.name);
        EXPECT_INT(resolver_find(resolver, id, 0x1126).addr, 0x1126);
        symbol = resolver_find(resolver, id, 0x11ba);
        EXPECT_INT(symbol.status, SYMBOL_NONE);
        EXPECT_INT(resolver_find(resolver, id, 0x99999999).addr, 0x99999999);
        EXPECT_TRUE(!resolver_note(resolver, id));
}

TEST(resolver_counts_addresses_as_the_object_does)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id id = add_file(resolver, "elf/caller-ibt.exe");
        struct resolver_image image;
        struct symbol symbol;

        ASSERT_TRUE(resolver_get_image(resolver, id, &image));
        EXPECT_TRUE(image.is_executable);
        EXPECT_INT(image.load_addr, 0x400000);
        EXPECT_INT(image.build_id_size, 20);
        symbol = resolver_find(resolver, id, image.entry - image.load_addr);
        EXPECT_STR(resolver_text(resolver, symbol.name), "_start");
        EXPECT_INT(symbol.addr, image.entry);
        EXPECT_INT(symbol.start, image.entry);
}

TEST(resolver_says_why_there_are_no_names)
{
        AUTO(resolver) resolver = new_resolver();
        static const uint8_t build_id[20] = {1};
        struct resolver_module other = {.kind = RESOLVER_FILE,
                                        .path = data_path("elf/names.so"),
                                        .build_id = build_id,
                                        .build_id_size = 20};
        struct resolver_module none = {.kind = RESOLVER_NONE};
        resolver_id gone = add_file(resolver, "elf/no-such-file");
        resolver_id text = add_file(resolver, "elf/names.c");
        resolver_id differs = resolver_add_module(resolver, &other);
        resolver_id nothing = resolver_add_module(resolver, &none);
        struct resolver_image image;

        EXPECT_INT(resolver_find(resolver, gone, 0x1100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, gone), "no such file");
        EXPECT_TRUE(!resolver_get_image(resolver, gone, &image));
        EXPECT_INT(resolver_find(resolver, text, 0x1100).status, SYMBOL_NONE);
        EXPECT_CONTAINS(resolver_note(resolver, text), "is no object file");
        EXPECT_INT(resolver_find(resolver, differs, 0x1100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, differs), "build id differs");
        EXPECT_INT(resolver_find(resolver, nothing, 0x1100).status, SYMBOL_NONE);
        EXPECT_INT(resolver_find(resolver, nothing, 0x1100).addr, 0x1100);
}

TEST(resolver_reads_an_image_in_memory)
{
        AUTO(resolver) resolver = new_resolver();
        AUTO_RELEASE(buf) bytes = {0};
        struct err err = {0};
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = "[vdso]"};
        resolver_id id;

        ASSERT_TRUE(os_read_file(data_path("elf/names.so"), 1 << 20, &bytes, &err));
        module.image = (const uint8_t *)bytes.data;
        module.image_size = bytes.len;
        id = resolver_add_module(resolver, &module);
        expect_name(resolver, id, 0x1120, "global_one");
}

TAP_MAIN
