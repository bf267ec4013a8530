/* SPDX-License-Identifier: BSD-3-Clause */
#include "buf.h"
#include "codec.h"
#include "data_object.h"
#include "elf_layout.h"
#include "err.h"
#include "os.h"
#include "text.h"

TEST(elf_says_what_the_file_is)
{
        AUTO(object) library = open_data("elf/names.so");
        AUTO(object) program = open_data("elf/caller.exe");
        AUTO(object) fixed = open_data("elf/caller-ibt.exe");
        AUTO(object) arm = open_data("elf/caller-arm64.exe");
        const struct object_facts *facts;
        char hex[41];

        ASSERT_TRUE(library && program && fixed && arm);
        facts = object_get_facts(library);
        EXPECT_INT(facts->machine, OBJECT_MACHINE_X86_64);
        EXPECT_INT(facts->address_bytes, 8);
        EXPECT_TRUE(!facts->is_executable && !facts->is_relocatable);
        EXPECT_INT(facts->build_id_size, 20);
        text_hex(hex, facts->build_id, 20);
        EXPECT_STR(hex, "0123456789abcdef0123456789abcdef01234567");
        facts = object_get_facts(program);
        EXPECT_TRUE(facts->is_executable);
        EXPECT_INT(facts->load_addr, 0);
        EXPECT_CMP(facts->entry, >, 0x1000);
        EXPECT_TRUE(object_get_facts(fixed)->is_executable);
        EXPECT_INT(object_get_facts(fixed)->load_addr, 0x400000);
        EXPECT_INT(object_get_facts(arm)->machine, OBJECT_MACHINE_ARM64);
        EXPECT_TRUE(object_get_facts(arm)->is_executable);
}

TEST(elf_sections_and_addresses)
{
        AUTO(object) object = open_data("elf/caller-ibt.exe");
        const struct object_section *text;
        uint64_t addr, file_off;
        struct cursor bytes;

        ASSERT_TRUE(object);
        text = object_find_section(object, ".text");
        ASSERT_TRUE(text);
        EXPECT_TRUE(text->flags & OBJECT_SECTION_CODE);
        EXPECT_TRUE(!object_find_section(object, ".no_such"));
        EXPECT_TRUE(object_to_addr(object, text->file_off + 3, &addr));
        EXPECT_INT(addr, text->addr + 3);
        EXPECT_TRUE(object_to_file_off(object, text->addr + 3, &file_off));
        EXPECT_INT(file_off, text->file_off + 3);
        EXPECT_TRUE(!object_to_addr(object, 0x100000, &addr));
        EXPECT_TRUE(!object_to_file_off(object, 0x100000, &file_off));
        EXPECT_TRUE(object_read_addr(object, text->addr, 4, &bytes));
        EXPECT_INT(cursor_u32(&bytes), 0x08ec8348); /* sub $8, %rsp */
        EXPECT_TRUE(!object_read_addr(object, text->addr, 0x100000, &bytes));
}

static bool contains(const struct cursor *bytes, const char *text)
{
        size_t len = strlen(text);

        for (size_t i = 0; i + len <= cursor_left(bytes); i++) {
                if (!memcmp(bytes->at + i, text, len))
                        return true;
        }
        return false;
}

static void expect_unpacks(const char *name, bool packed)
{
        AUTO(object) object = open_data(name);
        const struct object_section *section;
        struct cursor bytes, again;
        struct err err = {0};

        ASSERT_TRUE(object);
        section = object_find_section(object, ".debug_str");
        ASSERT_TRUE(section);
        EXPECT_INT(!!(section->flags & OBJECT_SECTION_PACKED), packed);
        ASSERT_TRUE(object_read_section(object, section, &bytes, &err));
        ASSERT_TRUE(object_read_section(object, section, &again, &err));
        EXPECT_CMP(bytes.start, ==, again.start);
        EXPECT_TRUE(contains(&bytes, "global_one"));
}

TEST(elf_unpacks_sections)
{
        if (!codec_available(CODEC_ZLIB))
                SKIP("this build has no zlib");
        expect_unpacks("elf/names.so", false);
        expect_unpacks("elf/names-zlib.so", true);
        expect_unpacks("elf/names-zdebug.so", true);
}

TEST(elf_unpacks_several_sections_and_keeps_a_failure)
{
        const struct object_section *sections[4] = {NULL};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(object) object = NULL;
        struct cursor content;
        struct err err = {0};

        if (!codec_available(CODEC_ZLIB))
                SKIP("this build has no zlib");
        ASSERT_TRUE(os_read_file(data_path("elf/names-zlib.so"), 1 << 20, &bytes, &err));
        object = object_open_bytes(bytes.data, bytes.len, "names", &err);
        ASSERT_TRUE(object);
        sections[0] = sections[1] = object_find_section(object, ".debug_str");
        sections[3] = object_find_section(object, ".debug_info");
        ASSERT_TRUE(sections[0] && sections[3]);
        bytes.data[sections[3]->file_off + sections[3]->file_size / 2] ^= 0x55;
        object_unpack_sections(object, sections, N_ELEMENTS(sections));
        bytes.data[sections[3]->file_off + sections[3]->file_size / 2] ^= 0x55;
        EXPECT_TRUE(object_read_section(object, sections[0], &content, &err));
        EXPECT_TRUE(contains(&content, "global_one"));
        EXPECT_TRUE(!object_read_section(object, sections[3], &content, &err));
        EXPECT_STR(err.text, "names: .debug_info: zlib stream is cut or damaged");
}

TEST(elf_lists_symbols)
{
        AUTO(object) object = open_data("elf/names.so");
        struct object_symbol symbol;

        ASSERT_TRUE(object);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "local_leaf", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_FUNCTION);
        EXPECT_INT(symbol.binding, OBJECT_LOCAL);
        EXPECT_INT(symbol.addr, 0x1100);
        EXPECT_TRUE(symbol.size_bytes > 0 && symbol.is_defined);
        EXPECT_STR(symbol.section->name, ".text");
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "weak_alias_with_a_long_name", &symbol));
        EXPECT_INT(symbol.binding, OBJECT_WEAK);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "picked", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_FUNCTION);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "inner_label", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_LABEL);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "counter", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_DATA);
}

TEST(elf_of_32_bits_and_the_other_byte_order)
{
        AUTO(object) object = open_data("elf/names-big32.so");
        struct object_symbol symbol;

        ASSERT_TRUE(object);
        EXPECT_INT(object_get_facts(object)->address_bytes, 4);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "global_one", &symbol));
        EXPECT_INT(symbol.addr, 0x103c0);
        EXPECT_INT(symbol.size_bytes, 52);
}

TEST(elf_that_was_not_linked_counts_in_file_offsets)
{
        AUTO(object) object = open_data("elf/names.o");
        struct object_symbol symbol;
        uint64_t addr;

        ASSERT_TRUE(object);
        EXPECT_TRUE(object_get_facts(object)->is_relocatable);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "global_one", &symbol));
        EXPECT_INT(symbol.addr, symbol.section->file_off);
        EXPECT_TRUE(object_to_addr(object, symbol.addr, &addr));
        EXPECT_INT(addr, symbol.addr);
}

/* The first `size` bytes of a file, with byte `at` (if it is inside) set to `value`, must be refused. */
static void expect_refused(size_t size, size_t at, uint8_t value, const char *want)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(object) object = NULL;
        struct err err = {0};

        ASSERT_TRUE(os_read_file(data_path("elf/names.so"), 1 << 20, &bytes, &err));
        if (at < bytes.len)
                bytes.data[at] = (char)value;
        object = object_open_bytes(bytes.data, size, "a.so", &err);
        EXPECT_TRUE(!object);
        EXPECT_STR(err.text, want);
}

TEST(elf_errors_name_file_and_place)
{
        struct err err = {0};

        expect_refused(0, 0, 0x7f, "a.so: is empty");
        expect_refused(100, 1, 'e', "a.so: is not an object file (neither ELF nor PE)");
        expect_refused(10, 0, 0x7f, "a.so: ELF header is cut after 10 bytes");
        expect_refused(60, 0, 0x7f, "a.so: ELF header is cut after 60 bytes");
        expect_refused(100, ELF_EI_CLASS_OFF, 3, "a.so: ELF header: class 3 is not known");
        expect_refused(100, ELF_EI_DATA_OFF, 0, "a.so: ELF header: byte order 0 is not known");
        expect_refused(100, 0, 0x7f, "a.so: segment table at 0x40 lies outside the file");
        expect_refused(100, ELF_E_PHENTSIZE_OFF, 5, "a.so: segment table: entries of 5 bytes, 56 are needed");
        expect_refused(1000, ELF_E_SHENTSIZE_OFF, 5,
                       "a.so: section table: entries of 5 bytes, 64 are needed");
        EXPECT_TRUE(!object_open(data_path("elf/no-such-file"), &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_TRUE(!object_open(data_path("elf/names.c"), &err));
        EXPECT_CONTAINS(err.text, "names.c: is not an object file");
}

TEST(elf_lists_functions_of_the_unwind_tables)
{
        AUTO(object) by_table = open_data("elf/names-stripped.so");
        AUTO(object) by_walk = open_data("elf/frames-only.so");
        AUTO(object) arm = open_data("elf/names-arm64.so");
        AUTO(object) unlinked = open_data("elf/names.o");
        struct object_range *ranges;

        ASSERT_TRUE(by_table && by_walk && arm && unlinked);
        ASSERT_CMP(object_list_functions(by_table, &ranges), ==, 9);
        EXPECT_INT(ranges[0].start, 0x1000);
        EXPECT_INT(ranges[0].size_bytes, 0x60);
        EXPECT_INT(ranges[2].start, 0x1100);
        EXPECT_INT(ranges[2].size_bytes, 0xd);
        EXPECT_INT(ranges[8].start, 0x1180);
        EXPECT_INT(ranges[8].size_bytes, 0x38);
        free(ranges);
        EXPECT_TRUE(!object_find_section(by_walk, ".eh_frame_hdr"));
        ASSERT_CMP(object_list_functions(by_walk, &ranges), ==, 9);
        EXPECT_INT(ranges[0].start, 0x1000);
        EXPECT_INT(ranges[1].start, 0x1040);
        EXPECT_INT(ranges[8].size_bytes, 0x34);
        free(ranges);
        EXPECT_CMP(object_list_functions(arm, &ranges), >=, 8);
        free(ranges);
        EXPECT_INT(object_list_functions(unlinked, &ranges), 0);
}

/* Clears the section table of a file in memory, as in an image that was read from a process. */
static void forget_sections(struct buf *bytes)
{
        memset(bytes->data + ELF_E_SHOFF_OFF, 0, 8);
        memset(bytes->data + ELF_E_SHNUM_OFF, 0, ELF_EHDR_BYTES - ELF_E_SHNUM_OFF);
}

TEST(elf_without_sections_has_segments_notes_and_frames)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(object) object = NULL;
        struct object_range *ranges;
        struct object_stub *stubs;
        struct object_symbols symbols;
        struct err err = {0};
        uint64_t addr;

        ASSERT_TRUE(os_read_file(data_path("elf/names.so"), 1 << 20, &bytes, &err));
        forget_sections(&bytes);
        object = object_open_bytes(bytes.data, bytes.len, "image", &err);
        ASSERT_TRUE(object);
        EXPECT_INT(object_n_sections(object), 0);
        EXPECT_INT(object_get_facts(object)->build_id_size, 20);
        EXPECT_TRUE(object_to_addr(object, 0x1120, &addr) && addr == 0x1120);
        EXPECT_INT(object_list_functions(object, &ranges), 9);
        free(ranges);
        EXPECT_INT(object_list_stubs(object, &stubs), 0);
        EXPECT_TRUE(!object_symbols_begin(object, OBJECT_SYMBOLS, &symbols));
}

/* Replaces the GNU build id, which has 20 bytes, by Go's. */
static void put_go_build_id(struct buf *bytes, const char *text)
{
        static const uint8_t gnu[] = {3, 0, 0, 0, 'G', 'N', 'U', 0}, go[] = {4, 0, 0, 0, 'G', 'o', 0, 0};

        for (size_t i = 0; i + sizeof(gnu) + 20 <= bytes->len; i++) {
                if (memcmp(bytes->data + i, gnu, sizeof(gnu)) != 0)
                        continue;
                memcpy(bytes->data + i, go, sizeof(go));
                memcpy(bytes->data + i + sizeof(go), text, 20);
        }
}

TEST(the_build_id_of_gos_linker)
{
        static const struct {
                const char *text, *wanted;
        } cases[] = {{"action/content/12345", "action/content/12345"}, {"no\x01 text and \xff......", ""}};

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) bytes = {0};
                AUTO(object) object = NULL;
                struct err err = {0};
                char id[OBJECT_GO_BUILD_ID_BYTES + 1] = "?";

                ASSERT_TRUE(os_read_file(data_path("elf/names.so"), 1 << 20, &bytes, &err));
                object = object_open_bytes(bytes.data, bytes.len, "gnu", &err);
                ASSERT_TRUE(object && !object_find_go_build_id(object, id));
                object_free(TAKE(object));
                put_go_build_id(&bytes, cases[i].text);
                object = object_open_bytes(bytes.data, bytes.len, "go", &err);
                ASSERT_TRUE(object);
                EXPECT_INT(object_get_facts(object)->build_id_size, 0);
                EXPECT_INT(object_find_go_build_id(object, id), strlen(cases[i].wanted));
                EXPECT_STR(id, cases[i].wanted);
        }
}

struct want_stub {
        uint64_t addr, size;
        const char *name;
};

static void expect_stubs(const char *file, const struct want_stub *want, size_t n_want)
{
        AUTO(object) object = open_data(file);
        struct object_symbols symbols;
        struct object_stub *stubs;
        size_t n;

        ASSERT_TRUE(object && object_symbols_begin(object, OBJECT_DYNAMIC_SYMBOLS, &symbols));
        n = object_list_stubs(object, &stubs);
        EXPECT_INT(n, n_want);
        for (size_t i = 0; i < n && i < n_want; i++) {
                EXPECT_INT(stubs[i].addr, want[i].addr);
                EXPECT_INT(stubs[i].size_bytes, want[i].size);
                EXPECT_STR(symbols.names + stubs[i].name_off, want[i].name);
        }
        free(stubs);
}

TEST(elf_knows_where_stubs_of_the_plt_lead)
{
        static const struct want_stub lazy[] = {{0x1010, 16, "calls_all"},
                                                {0x1020, 16, "_underscored"},
                                                {0x1030, 8, "global_one"}}; /* the last one in .plt.got */
        static const struct want_stub cet[] = {{0x401010, 16, "calls_all"},    {0x401020, 16, "_underscored"},
                                               {0x401030, 16, "global_one"},   {0x401040, 16, "calls_all"},
                                               {0x401050, 16, "_underscored"}, {0x401060, 16, "global_one"}};
        static const struct want_stub arm[] = {
                {0x3e0, 16, "calls_all"}, {0x3f0, 16, "_underscored"}, {0x400, 16, "global_one"}};
        static const struct want_stub bti[] = {
                {0x480, 24, "calls_all"}, {0x498, 24, "_underscored"}, {0x4b0, 24, "global_one"}};

        expect_stubs("elf/caller.exe", lazy, N_ELEMENTS(lazy));
        expect_stubs("elf/caller-now.exe", lazy, N_ELEMENTS(lazy));
        expect_stubs("elf/caller-ibt.exe", cet, N_ELEMENTS(cet));
        expect_stubs("elf/caller-arm64.exe", arm, N_ELEMENTS(arm));
        expect_stubs("elf/caller-arm64-bti.exe", bti, N_ELEMENTS(bti));
}

TEST(elf_says_where_its_debug_file_is)
{
        AUTO(object) object = open_data("elf/names-link.so");
        AUTO(object) debug = open_data("elf/.debug/names-link.debug");
        AUTO(object) plain = open_data("elf/names.so");
        const char *name = NULL;
        uint32_t crc = 0;

        ASSERT_TRUE(object && debug && plain);
        ASSERT_TRUE(object_get_debuglink(object, &name, &crc));
        EXPECT_STR(name, "names-link.debug");
        EXPECT_INT(object_crc32(debug), crc);
        EXPECT_TRUE(!object_get_debuglink(plain, &name, &crc));
}

TEST(elf_opens_the_small_object_inside)
{
        AUTO(object) object = open_data("elf/names-mini.so");
        AUTO(object) plain = open_data("elf/names.so");
        AUTO(object) small = NULL;
        struct object_symbol symbol;
        struct err err = {0};

        ASSERT_TRUE(object && plain);
        EXPECT_TRUE(!object_open_debugdata(plain, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        if (!codec_available(CODEC_XZ))
                SKIP("this build has no xz");
        small = object_open_debugdata(object, &err);
        ASSERT_TRUE(small);
        EXPECT_TRUE(find_symbol(small, OBJECT_SYMBOLS, "local_leaf", &symbol));
        EXPECT_TRUE(!find_symbol(small, OBJECT_SYMBOLS, "global_one", &symbol));
}

TEST(build_ids_compare_as_perf_cuts_and_pads_them)
{
        static const uint8_t full[24] = {1, 2, 3, 4, 5, 6, 7, 8};
        static const uint8_t other[20] = {1, 2, 3, 4, 5, 6, 7, 9};

        EXPECT_TRUE(object_build_id_equal(full, 20, full, 20));
        EXPECT_TRUE(object_build_id_equal(full, 8, full, 20));
        EXPECT_TRUE(object_build_id_equal(full, 24, full, 20));
        EXPECT_TRUE(!object_build_id_equal(full, 7, full, 20));
        EXPECT_TRUE(!object_build_id_equal(full, 20, other, 20));
        EXPECT_TRUE(!object_build_id_equal(full, 0, full, 20));
}

TAP_MAIN
