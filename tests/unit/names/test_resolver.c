/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codec.h"
#include "jitdump.h"
#include "os.h"
#include "resolver.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "resolver_kernel.h"
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
        EXPECT_CMP(symbol.size, >, 5);
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
        const struct resolver_facts *facts = resolver_get_facts(resolver, id);
        struct resolver_image image = facts->image;
        struct symbol symbol;

        ASSERT_TRUE(facts->has_image);
        EXPECT_TRUE(image.is_executable);
        EXPECT_INT(image.load_addr, 0x400000);
        EXPECT_INT(image.build_id_size, 20);
        symbol = resolver_find(resolver, id, image.entry - image.load_addr);
        EXPECT_STR(resolver_text(resolver, symbol.name), "_start");
        EXPECT_INT(symbol.addr, image.entry);
        EXPECT_INT(symbol.start, image.entry);
}

TEST(facts_tell_what_the_file_is_worth)
{
        AUTO(object) object = object_open(data_path("elf/names.so"), NULL);
        AUTO(resolver) resolver = new_resolver();
        const struct resolver_module known = {
                .kind = RESOLVER_FILE,
                .path = data_path("elf/names.so"),
                .build_id = object_get_facts(object)->build_id,
                .build_id_size = object_get_facts(object)->build_id_size,
        };
        const struct resolver_module gone = {.kind = RESOLVER_FILE, .path = "/nowhere/at/all"};
        const struct resolver_facts *of_known =
                resolver_get_facts(resolver, resolver_add_module(resolver, &known));
        const struct resolver_facts *of_other =
                resolver_get_facts(resolver, add_file(resolver, "elf/names.so"));
        const struct resolver_facts *of_gone =
                resolver_get_facts(resolver, resolver_add_module(resolver, &gone));

        EXPECT_INT(of_known->source_rule, RESOLVER_SOURCE_PROVEN);
        EXPECT_INT(of_other->source_rule, RESOLVER_SOURCE_UNPROVEN); /* no build id to compare with */
        EXPECT_INT(of_gone->source_rule, RESOLVER_SOURCE_UNPROVEN);
        EXPECT_TRUE(of_other->has_file && of_other->has_all_names && of_other->object);
        EXPECT_INT(of_other->file_bytes, object_file_bytes(object));
        EXPECT_TRUE(!of_gone->has_file && !of_gone->has_all_names && !of_gone->object);
        EXPECT_INT(of_gone->file_bytes, 0);
        EXPECT_INT(of_gone->n_sections, 0);
        EXPECT_TRUE(!resolver_get_facts(resolver, add_file(resolver, "elf/frames-only.so"))->has_all_names);
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

        EXPECT_INT(resolver_find(resolver, gone, 0x1100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, gone), "no such file");
        EXPECT_TRUE(!resolver_get_facts(resolver, gone)->has_image);
        EXPECT_INT(resolver_find(resolver, text, 0x1100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, text), "is not an object file (neither ELF nor PE)");
        EXPECT_INT(resolver_find(resolver, differs, 0x1100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, differs), "its build id is not that of the recorded file");
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

static void expect_range(struct resolver *resolver, resolver_id id, uint64_t addr, uint64_t start,
                         uint64_t size)
{
        struct symbol symbol = resolver_find(resolver, id, addr);

        EXPECT_INT(symbol.status, SYMBOL_RANGE);
        EXPECT_INT(symbol.start, start);
        EXPECT_INT(symbol.size, size);
        EXPECT_INT(symbol.addr, addr);
}

static resolver_id add_file_of_build(struct resolver *resolver, const char *name, const uint8_t build_id[20])
{
        struct resolver_module module = {
                .kind = RESOLVER_FILE, .path = data_path(name), .build_id = build_id, .build_id_size = 20};

        return resolver_add_module(resolver, &module);
}

/* That of names.so, and of its debug file. */
static const uint8_t names_build_id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23,
                                           0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};

TEST(resolver_reads_the_debug_file_of_a_build_id)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id stripped = add_file_of_build(resolver, "elf/names-stripped.so", names_build_id);
        resolver_id other = add_file_of_build(resolver, "elf/names-mini.so", names_build_id);
        resolver_id gone = add_file_of_build(resolver, "elf/no-such-file", names_build_id);

        expect_name(resolver, stripped, 0x1100, "local_leaf");
        expect_name(resolver, stripped, 0x1041, "_underscored@plt");
        EXPECT_TRUE(!resolver_note(resolver, stripped));
        expect_name(resolver, other, 0x1100, "local_leaf");
        EXPECT_STR(resolver_note(resolver, other),
                   "its build id is not that of the recorded file; its names come from its debug file");
        expect_name(resolver, gone, 0x1100, "local_leaf");
        EXPECT_STR(resolver_note(resolver, gone), "no such file; its names come from its debug file");
}

TEST(resolver_reads_the_debug_file_of_a_link)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id id = add_file(resolver, "elf/names-link.so");

        expect_name(resolver, id, 0x1103, "local_leaf");
        EXPECT_TRUE(!resolver_note(resolver, id));
}

TEST(resolver_refuses_a_debug_file_of_another_build)
{
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module module = {.kind = RESOLVER_FILE,
                                         .path = data_path("elf/wrong/names-link.so"),
                                         .open_path = data_path("elf/names-link.so")};
        resolver_id id = resolver_add_module(resolver, &module);

        EXPECT_INT(resolver_find(resolver, id, 0x1103).status, SYMBOL_RANGE);
        EXPECT_CONTAINS(resolver_note(resolver, id), "elf/wrong/names-link.debug is of another build");
}

TEST(resolver_reads_the_small_object_inside)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id id = add_file(resolver, "elf/names-mini.so");

        expect_name(resolver, id, 0x1120, "global_one");
        if (!codec_available(CODEC_XZ))
                SKIP("this build has no xz");
        expect_name(resolver, id, 0x1100, "local_leaf");
        EXPECT_TRUE(!resolver_note(resolver, id));
}

TEST(resolver_gives_ranges_where_there_are_no_names)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id frames = add_file(resolver, "elf/frames-only.so");
        resolver_id program = add_file(resolver, "elf/caller-now.exe");

        expect_range(resolver, frames, 0x10c3, 0x10c0, 0xa);
        expect_range(resolver, frames, 0x1163, 0x1130, 0x34);
        EXPECT_INT(resolver_find(resolver, frames, 0x1164).status, SYMBOL_NONE);
        EXPECT_INT(resolver_find(resolver, frames, 0x1164).addr, 0x1164);
        EXPECT_CONTAINS(resolver_note(resolver, frames), "is stripped");
        expect_range(resolver, program, 0x1041, 0x1040, 0x16);
        expect_name(resolver, program, 0x1031, "global_one@plt");
        expect_range(resolver, program, 0x1001, 0x1000, 0x30);
}

TEST(resolver_keeps_the_names_of_function_pieces)
{
        AUTO(resolver) resolver = new_resolver();
        resolver_id id = add_file(resolver, "elf/caller-arm64-bti.exe");

        expect_name(resolver, id, 0x4d0, "unnamed_when_stripped.constprop.0");
        expect_name(resolver, id, 0x49c, "_underscored@plt");
}

TEST(resolver_names_the_kernel)
{
        struct resolver_options options = {.kallsyms_path = data_path("text/kallsyms")};
        AUTO(resolver) resolver = resolver_new(&options);
        struct resolver_module kernel = {.kind = RESOLVER_KERNEL, .path = "[kernel.kallsyms]_text"};
        struct resolver_module module = {.kind = RESOLVER_KERNEL, .path = "[nf_tables]"};
        resolver_id kernel_id = resolver_add_module(resolver, &kernel);
        resolver_id module_id = resolver_add_module(resolver, &module);
        struct symbol symbol;

        expect_name(resolver, kernel_id, 0xffffffff81000110, "do_one_initcall");
        symbol = resolver_find(resolver, kernel_id, 0xffffffff81000111);
        EXPECT_INT(symbol.module, 0);
        EXPECT_INT(symbol.start, 0xffffffff81000100);
        EXPECT_INT(symbol.addr, 0xffffffff81000111);
        symbol = resolver_find(resolver, module_id, 0xffffffffc0001004);
        EXPECT_STR(resolver_text(resolver, symbol.name), "nft_do_chain");
        EXPECT_STR(resolver_text(resolver, symbol.module), "nf_tables");
        EXPECT_TRUE(!resolver_note(resolver, module_id));
}

TEST(resolver_takes_no_names_from_another_kernel)
{
        static const uint8_t build_id[20] = {1};
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module kernel = {.kind = RESOLVER_KERNEL,
                                         .path = "[kernel.kallsyms]_text",
                                         .build_id = build_id,
                                         .build_id_size = 20};
        resolver_id id = resolver_add_module(resolver, &kernel);
        struct os_stat stat;

        if (!os_stat("/sys/kernel/notes", &stat))
                SKIP("no /sys/kernel/notes");
        EXPECT_INT(resolver_find(resolver, id, 0xffffffff81000100).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, id), "its build id is not that of the running kernel");
}

TEST(resolver_names_functions_of_a_perf_map)
{
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module map = {
                .kind = RESOLVER_PERFMAP, .origin.any_owner = true, .path = data_path("text/perf.map")};
        struct resolver_module gone = {
                .kind = RESOLVER_PERFMAP, .origin.any_owner = true, .path = data_path("text/perf-0.map")};
        resolver_id id = resolver_add_module(resolver, &map);
        resolver_id gone_id = resolver_add_module(resolver, &gone);

        expect_name(resolver, id, 0x7f0000001010, "py::main:/srv/app.py");
        EXPECT_INT(resolver_find(resolver, gone_id, 1).status, SYMBOL_NONE);
        EXPECT_STR(resolver_note(resolver, gone_id), "no such file");
}

TEST(resolver_asks_a_jitdump_before_the_perf_map)
{
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module both = {.kind = RESOLVER_PERFMAP,
                                       .origin.any_owner = true,
                                       .path = data_path("text/perf.map"),
                                       .jitdump_path = "/elsewhere/jit-4711.dump",
                                       .jitdump_open_path = data_path("jit/jit-4711.dump")};
        struct resolver_module dump = {.kind = RESOLVER_PERFMAP,
                                       .origin.any_owner = true,
                                       .path = data_path("text/perf-0.map"),
                                       .jitdump_path = data_path("jit/jit-4711.dump")};
        resolver_id id = resolver_add_module(resolver, &both);
        resolver_id dump_id = resolver_add_module(resolver, &dump);
        struct symbol symbol;

        expect_name(resolver, id, 0x7f0000001010, "py::main:/srv/app.py");
        expect_name(resolver, id, 0x7f0000001040, "in_the_dump");
        expect_name(resolver, id, 0x7f0000001060, "py::main:/srv/app.py");
        expect_name(resolver, id, 0x7f000000103f, "py::main:/srv/app.py");
        EXPECT_INT(resolver_find(resolver, id, 0x7f0000001010).module, 0);
        symbol = resolver_find(resolver, id, 0x7f0000001050);
        EXPECT_STR(resolver_text(resolver, symbol.module), "jit-4711.dump");
        EXPECT_INT(symbol.start, 0x7f0000001040);
        EXPECT_INT(symbol.size, 0x20);
        expect_name(resolver, dump_id, 0x7f000000505f - 0x40, "_ZN5after1fEv");
        EXPECT_INT(resolver_find(resolver, dump_id, 0x7f0000001010).status, SYMBOL_NONE);
        EXPECT_TRUE(!resolver_note(resolver, dump_id));
        EXPECT_STR(
                resolver_doubt(resolver, dump_id),
                "code of jit-4711.dump was replaced while it ran: the names are those of the latest code and may be wrong");
}

/* If code at one address was replaced, each function has its own offset. */
TEST(resolver_asks_a_jitdump_by_offsets)
{
        AUTO(resolver) resolver = new_resolver();
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump)
        dump = jitdump_new(data_path("jit/jit-4711.dump"), &(struct os_origin){.any_owner = true}, NULL,
                           &note);
        struct resolver_module described = {
                .kind = RESOLVER_JITDUMP, .path = "/elsewhere/jit-4711.dump", .jitdump = dump};
        resolver_id id = resolver_add_module(resolver, &described);
        const struct jitdump_load *load = jitdump_get_load(dump, 0);
        struct resolver_extent *extents;
        struct symbol symbol = resolver_find(resolver, id, load->code_off + 1);
        const uint8_t *code, *whole;

        EXPECT_STR(resolver_text(resolver, symbol.name), "in_the_dump");
        EXPECT_INT(symbol.start, load->code_off);
        EXPECT_INT(symbol.size, load->size_bytes);
        EXPECT_INT(resolver_find(resolver, id, 8).status, SYMBOL_NONE);
        ASSERT_CMP(resolver_find_extents(resolver, id, load->code_off + 1, &extents), ==, 1);
        EXPECT_TRUE(resolver_read_code(resolver, id, extents[0].start, load->size_bytes, &whole));
        EXPECT_TRUE(resolver_read_code(resolver, id, extents[0].start + 1, load->size_bytes - 1, &code));
        EXPECT_CMP(code, ==, whole + 1);
        EXPECT_TRUE(!resolver_read_code(resolver, id, extents[0].start + 1, load->size_bytes, &code));
        free(extents);
}

TEST(resolver_doubts_names_of_a_perf_map_that_share_addresses)
{
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module map = {
                .kind = RESOLVER_PERFMAP, .origin.any_owner = true, .path = "perf-77.map"};
        const char text[] = "1000 100 first\n1080 100 second\n2000 10 alone\n";
        FILE *file = fopen(map.path, "wb");
        resolver_id id, again;

        ASSERT_TRUE(file);
        fputs(text, file);
        fclose(file);
        id = resolver_add_module(resolver, &map);
        again = resolver_add_module(resolver, &map);
        expect_name(resolver, id, 0x2001, "alone");
        expect_name(resolver, again, 0x2001, "alone");
        EXPECT_TRUE(!resolver_doubt(resolver, again));
        expect_name(resolver, id, 0x1001, "first");
        EXPECT_STR(resolver_doubt(resolver, id),
                   "2 functions of perf-77.map overlap in memory: their names may be wrong");
        os_remove(map.path, NULL);
}

TEST(resolver_says_why_a_jitdump_has_no_names)
{
        AUTO(resolver) resolver = new_resolver();
        struct resolver_module gone = {.kind = RESOLVER_PERFMAP,
                                       .origin.any_owner = true,
                                       .path = data_path("text/perf.map"),
                                       .jitdump_path = "/no-such-folder/jit-1.dump"};
        resolver_id id = resolver_add_module(resolver, &gone);

        expect_name(resolver, id, 0x7f0000001010, "py::main:/srv/app.py");
        EXPECT_STR(resolver_note(resolver, id), "jit-1.dump: no such file");
}

TEST(resolver_makes_names_readable_when_asked)
{
        struct resolver_options plain = {0}, readable = {.demangle = true}, whole = {.demangle_params = true};
        AUTO(resolver) as_is = resolver_new(&plain);
        AUTO(resolver) by_name = resolver_new(&readable);
        AUTO(resolver) long_names = resolver_new(&whole);

        expect_name(as_is, add_file(as_is, "elf/cxx.so"), 0x1061, "_ZN4area5shape4sizeEi");
        expect_name(by_name, add_file(by_name, "elf/cxx.so"), 0x1061, "area::shape::size");
        expect_name(long_names, add_file(long_names, "elf/cxx.so"), 0x1061, "area::shape::size(int)");
        expect_name(by_name, 0, 0x1010, "area::outside@plt");
        expect_name(as_is, 0, 0x1041, "_ZN4area7guardedEi.cold");
        expect_name(by_name, 0, 0x1041, "area::guarded");
        expect_name(long_names, 0, 0x1041, "area::guarded(int) [clone .cold]");
}

TEST(resolver_tells_kernel_modules_from_the_kernel)
{
        AUTO_RELEASE(buf) name = {0};

        EXPECT_TRUE(!resolver_kernel_module_name("[kernel.kallsyms]_text", &name));
        EXPECT_TRUE(!resolver_kernel_module_name("/boot/vmlinux-6.1", &name));
        EXPECT_TRUE(resolver_kernel_module_name("[nf_tables]", &name));
        EXPECT_STR(buf_text(&name), "nf_tables");
        buf_clear(&name);
        EXPECT_TRUE(resolver_kernel_module_name("/lib/modules/6.1/kernel/sound/snd-hda.ko.xz", &name));
        EXPECT_STR(buf_text(&name), "snd_hda");
}

/* names.so has one variable, `counter`, of 4 bytes at 0x4028, the offset 0x3028 of the file. */
TEST(variables_have_names)
{
        const struct resolver_options options = {0};
        AUTO(resolver) resolver = resolver_new(&options);
        resolver_id id =
                resolver_add_module(resolver, &(struct resolver_module){.kind = RESOLVER_FILE,
                                                                        .path = data_path("elf/names.so")});
        struct resolver_variable variable;

        for (uint64_t i = 0; i < 4; i++) {
                ASSERT_TRUE(resolver_find_variable(resolver, id, 0x3028 + i, &variable));
                EXPECT_STR(resolver_text(resolver, variable.name), "counter");
                EXPECT_INT(variable.start, 0x4028);
                EXPECT_INT(variable.size_bytes, 4);
                EXPECT_INT(variable.addr, 0x4028 + i);
        }
        EXPECT_TRUE(!resolver_find_variable(resolver, id, 0x302c, &variable)); /* behind all data */
        EXPECT_TRUE(!resolver_find_variable(resolver, id, 0x1100, &variable)); /* code */
        EXPECT_TRUE(!resolver_find_variable(resolver, id, UINT64_MAX, &variable));
}

TAP_MAIN
