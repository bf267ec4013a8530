/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "data_object.h"
#include "err.h"
#include "mem.h"
#include "pe_layout.h"
#include "text.h"

#define DLL_BASE   0x180000000ull
#define X86_BASE   0x10000000ull
#define MINGW_BASE 0x140000000ull

enum {
        MAX_BYTES = 1 << 16,
        /* Of x64.dll; the MS-DOS program of lld takes 0x78 bytes. */
        PE_OFF = 0x78,
        OPTIONAL_OFF = PE_OFF + PE_OPTIONAL_HEADER_OFF,
        DIRS_OFF = OPTIONAL_OFF + PE_DATA_DIRECTORY_OFF,
        SECTIONS_OFF = OPTIONAL_OFF + PE_OPTIONAL_HEADER_BYTES,
};

TEST(pe_says_what_the_file_is)
{
        AUTO(object) x64 = open_data("pe/x64.dll");
        AUTO(object) arm64 = open_data("pe/arm64.dll");
        AUTO(object) x86 = open_data("pe/x86.dll");
        AUTO(object) program = open_data("pe/mingw.exe");
        const struct object_facts *facts;

        ASSERT_TRUE(x64 && arm64 && x86 && program);
        facts = object_get_facts(x64);
        EXPECT_INT(facts->format, OBJECT_PE);
        EXPECT_INT(facts->machine, OBJECT_MACHINE_X86_64);
        EXPECT_INT(facts->address_bytes, 8);
        EXPECT_INT(facts->load_addr, DLL_BASE);
        EXPECT_INT(facts->image_size, 24576);
        EXPECT_INT(facts->time_stamp, 0x29914cfc);
        EXPECT_INT(facts->entry, 0);
        EXPECT_TRUE(!facts->is_executable && !facts->is_relocatable);
        EXPECT_INT(object_get_facts(arm64)->machine, OBJECT_MACHINE_ARM64);
        facts = object_get_facts(x86);
        EXPECT_INT(facts->machine, OBJECT_MACHINE_X86);
        EXPECT_INT(facts->address_bytes, 4);
        EXPECT_INT(facts->load_addr, X86_BASE);
        facts = object_get_facts(program);
        EXPECT_TRUE(facts->is_executable);
        EXPECT_INT(facts->entry, MINGW_BASE + 0x101b);
        EXPECT_INT(facts->build_id_size, 0);
}

TEST(pe_names_its_pdb)
{
        AUTO(object) x64 = open_data("pe/x64.dll");
        AUTO(object) x86 = open_data("pe/x86.dll");
        AUTO(object) program = open_data("pe/mingw.exe");
        struct object_pdb pdb;
        char hex[41];

        ASSERT_TRUE(x64 && x86 && program);
        ASSERT_TRUE(object_get_pdb(x64, &pdb));
        EXPECT_STR(pdb.path, "x64.pdb");
        EXPECT_INT(pdb.age, 1);
        text_hex(hex, pdb.guid, OBJECT_GUID_BYTES);
        EXPECT_STR(hex, "461e35f40f35d40c4c4c44205044422e");
        /* The GUID, then the age in little-endian order. */
        EXPECT_INT(object_get_facts(x64)->build_id_size, OBJECT_PDB_ID_BYTES);
        text_hex(hex, object_get_facts(x64)->build_id, OBJECT_PDB_ID_BYTES);
        EXPECT_STR(hex, "461e35f40f35d40c4c4c44205044422e01000000");
        ASSERT_TRUE(object_get_pdb(x86, &pdb));
        EXPECT_STR(pdb.path, "x86.pdb");
        EXPECT_TRUE(!object_get_pdb(program, &pdb));
}

TEST(pe_sections_and_addresses)
{
        AUTO(object) object = open_data("pe/x64.dll");
        const struct object_section *text;
        struct cursor bytes;
        struct err err = {0};
        uint64_t addr = 0, file_off = 0;

        ASSERT_TRUE(object);
        EXPECT_INT(object_n_sections(object), 5);
        text = object_find_section(object, ".text");
        ASSERT_TRUE(text);
        EXPECT_INT(text->addr, DLL_BASE + 0x1000);
        EXPECT_INT(text->size_bytes, 0x99);
        /* Without what fills up the last 512 bytes. */
        EXPECT_INT(text->file_size, 0x99);
        EXPECT_INT(text->flags, OBJECT_SECTION_CODE | OBJECT_SECTION_LOADED);
        EXPECT_TRUE(!(object_find_section(object, ".rdata")->flags & OBJECT_SECTION_CODE));
        ASSERT_TRUE(object_read_section(object, text, &bytes, &err));
        EXPECT_INT(cursor_u8(&bytes), 0x55);
        EXPECT_TRUE(object_to_addr(object, text->file_off + 3, &addr));
        EXPECT_INT(addr, DLL_BASE + 0x1003);
        EXPECT_TRUE(object_to_file_off(object, addr, &file_off));
        EXPECT_INT(file_off, text->file_off + 3);
        EXPECT_TRUE(object_to_file_off(object, DLL_BASE, &file_off));
        EXPECT_INT(file_off, 0);
        EXPECT_TRUE(!object_to_file_off(object, DLL_BASE + 0x9000, &file_off));
        EXPECT_TRUE(object_read_addr(object, DLL_BASE + 0x1000, 0x99, &bytes));
}

TEST(pe_section_without_bytes_in_the_file)
{
        AUTO(object) object = open_data("pe/arm64.dll");
        const struct object_section *section = NULL;

        ASSERT_TRUE(object);
        for (size_t i = 0; i < object_n_sections(object); i++) {
                if (!strcmp(object_get_section(object, i)->name, ".packed"))
                        section = object_get_section(object, i);
        }
        ASSERT_TRUE(section);
        EXPECT_INT(section->size_bytes, 16384);
        EXPECT_INT(section->file_size, 0);
}

/* GNU's linker puts names of more than eight bytes into the table of strings. */
TEST(pe_long_names_of_sections)
{
        AUTO(object) object = open_data("pe/mingw.exe");
        const struct object_section *section;
        struct cursor bytes;
        struct err err = {0};

        ASSERT_TRUE(object);
        section = object_find_section(object, ".debug_info");
        ASSERT_TRUE(section);
        EXPECT_INT(section->size_bytes, 0x159);
        EXPECT_TRUE(object_find_section(object, ".debug_line_str"));
        ASSERT_TRUE(object_read_section(object, section, &bytes, &err));
        EXPECT_INT(cursor_u32(&bytes), 0x159 - 4);
}

TEST(pe_coff_symbols)
{
        AUTO(object) object = open_data("pe/mingw.exe");
        struct object_symbol symbol;

        ASSERT_TRUE(object);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "local_function", &symbol));
        EXPECT_INT(symbol.addr, MINGW_BASE + 0x1000);
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_FUNCTION);
        EXPECT_INT(symbol.binding, OBJECT_LOCAL);
        EXPECT_STR(symbol.section->name, ".text");
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "exported_function", &symbol));
        EXPECT_INT(symbol.addr, MINGW_BASE + 0x100a);
        EXPECT_INT(symbol.binding, OBJECT_GLOBAL);
        /* A name of less than eight bytes is in the symbol itself. */
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "start", &symbol));
        EXPECT_INT(symbol.addr, MINGW_BASE + 0x101b);
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, "a_variable_with_a_long_name", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_DATA);
        EXPECT_STR(symbol.section->name, ".data");
        ASSERT_TRUE(find_symbol(object, OBJECT_SYMBOLS, ".text", &symbol));
        EXPECT_INT(symbol.kind, OBJECT_SYMBOL_OTHER);
        /* Absolute symbols are not addresses; a file is not a symbol. */
        EXPECT_TRUE(!find_symbol(object, OBJECT_SYMBOLS, "__subsystem__", &symbol));
        EXPECT_TRUE(!find_symbol(object, OBJECT_SYMBOLS, ".file", &symbol));
}

static void expect_export(struct object *object, const char *name, uint64_t addr, int kind)
{
        struct object_symbol symbol;

        if (!find_symbol(object, OBJECT_DYNAMIC_SYMBOLS, name, &symbol)) {
                TAP_FAIL("%s is not exported", name);
                return;
        }
        EXPECT_INT(symbol.addr, addr);
        EXPECT_INT(symbol.kind, kind);
        EXPECT_TRUE(symbol.is_defined);
}

TEST(pe_exports)
{
        AUTO(object) object = open_data("pe/x64.dll");
        struct object_symbol symbol;
        struct object_symbols symbols;

        ASSERT_TRUE(object);
        expect_export(object, "main", DLL_BASE + 0x1000, OBJECT_SYMBOL_FUNCTION);
        expect_export(object, "large", DLL_BASE + 0x101e, OBJECT_SYMBOL_FUNCTION);
        expect_export(object, "value", DLL_BASE + 0x3000, OBJECT_SYMBOL_DATA);
        expect_export(object, "Ordinal9", DLL_BASE + 0x103f, OBJECT_SYMBOL_FUNCTION);
        /* Another library's; a gap; one that has a name. */
        EXPECT_TRUE(!find_symbol(object, OBJECT_DYNAMIC_SYMBOLS, "sleeps", &symbol));
        EXPECT_TRUE(!find_symbol(object, OBJECT_DYNAMIC_SYMBOLS, "Ordinal8", &symbol));
        EXPECT_TRUE(!find_symbol(object, OBJECT_DYNAMIC_SYMBOLS, "Ordinal7", &symbol));
        ASSERT_TRUE(object_symbols_begin(object, OBJECT_DYNAMIC_SYMBOLS, &symbols));
        EXPECT_INT(symbols.n_symbols, 4);
        EXPECT_TRUE(!object_symbols_begin(object, OBJECT_SYMBOLS, &symbols));
}

TEST(pe_exports_of_32_bits)
{
        AUTO(object) object = open_data("pe/x86.dll");

        ASSERT_TRUE(object);
        expect_export(object, "first", X86_BASE + 0x1000, OBJECT_SYMBOL_FUNCTION);
        expect_export(object, "Ordinal5", X86_BASE + 0x1006, OBJECT_SYMBOL_FUNCTION);
        expect_export(object, "value", X86_BASE + 0x3000, OBJECT_SYMBOL_DATA);
}

static bool has_range(const struct object_range *ranges, size_t n, uint64_t start, uint64_t size_bytes)
{
        for (size_t i = 0; i < n; i++) {
                if (ranges[i].start == start)
                        return ranges[i].size_bytes == size_bytes;
        }
        return false;
}

TEST(pe_functions)
{
        AUTO(object) x64 = open_data("pe/x64.dll");
        AUTO(object) arm64 = open_data("pe/arm64.dll");
        AUTO(object) x86 = open_data("pe/x86.dll");
        struct object_range *ranges;
        size_t n;

        ASSERT_TRUE(x64 && arm64 && x86);
        /* Eleven entries, two of which continue the one before. */
        n = object_list_functions(x64, &ranges);
        EXPECT_INT(n, 9);
        EXPECT_TRUE(has_range(ranges, n, DLL_BASE + 0x1000, 0x1e));
        EXPECT_TRUE(has_range(ranges, n, DLL_BASE + 0x1077, 0x11));
        free(ranges);
        n = object_list_functions(arm64, &ranges);
        EXPECT_TRUE(has_range(ranges, n, DLL_BASE + 0x1000, 40));
        EXPECT_TRUE(has_range(ranges, n, DLL_BASE + 0x102c, 148));
        free(ranges);
        EXPECT_INT(object_list_functions(x86, &ranges), 0);
        free(ranges);
}

TEST(pe_entries_by_address)
{
        AUTO(object) object = open_data("pe/arm64.dll");
        struct object_unwind entry, found;

        ASSERT_TRUE(object);
        for (size_t i = 0; i < object_n_unwind(object); i++) {
                ASSERT_TRUE(object_get_unwind(object, i, &entry));
                ASSERT_TRUE(object_find_unwind(object, entry.start, &found));
                EXPECT_INT(found.start, entry.start);
                ASSERT_TRUE(object_find_unwind(object, entry.end - 1, &found));
                EXPECT_INT(found.start, entry.start);
        }
        EXPECT_TRUE(!object_find_unwind(object, DLL_BASE, &found));
        EXPECT_TRUE(!object_find_unwind(object, 0, &found));
        EXPECT_TRUE(!object_find_unwind(object, UINT64_MAX, &found));
}

/* --- Damaged files --- */

static size_t read_data(const char *name, uint8_t *bytes)
{
        FILE *file = fopen(data_path(name), "rb");
        size_t size = file ? fread(bytes, 1, MAX_BYTES, file) : 0;

        if (file)
                fclose(file);
        return size;
}

static void expect_refused(const uint8_t *bytes, size_t size, const char *text)
{
        struct err err = {0};
        AUTO(object) object = object_open_bytes(bytes, size, "wild", &err);

        EXPECT_TRUE(!object);
        EXPECT_STR(err.text, text);
}

TEST(pe_refusals_name_the_file_and_the_place)
{
        uint8_t *bytes = mem_new(MAX_BYTES, 1);
        size_t size = read_data("pe/x64.dll", bytes);

        ASSERT_CMP(size, >, SECTIONS_OFF);
        expect_refused(bytes, 2,
                       "wild: is not a PE image (an MZ program, and the header at 0x0 is not a PE header)");
        expect_refused(bytes, PE_OFF,
                       "wild: is not a PE image (an MZ program, and the header at 0x78 is not a PE header)");
        expect_refused(bytes, PE_OFF + 10, "wild: PE header at 0x78 is cut");
        expect_refused(bytes, OPTIONAL_OFF + 10, "wild: PE optional header at 0x90 is cut");
        expect_refused(bytes, SECTIONS_OFF + 50, "wild: table of 5 sections at 0x180 lies outside the file");
        bytes[OPTIONAL_OFF + PE_MAGIC_OFF] = 7;
        expect_refused(bytes, size, "wild: PE optional header at 0x90 is neither PE32 nor PE32+");
        bytes[OPTIONAL_OFF + PE_MAGIC_OFF] = 0x0b;
        bytes[PE_OFF + PE_SIZE_OF_OPTIONAL_HEADER_OFF] = 60;
        expect_refused(bytes, size, "wild: PE optional header is cut after 60 bytes");
        bytes[PE_OFF + PE_NUMBER_OF_SECTIONS_OFF] = 0x01;
        bytes[PE_OFF + PE_NUMBER_OF_SECTIONS_OFF + 1] = 0x04;
        expect_refused(bytes, size, "wild: PE optional header is cut after 60 bytes");
        bytes[PE_OFF + PE_SIZE_OF_OPTIONAL_HEADER_OFF] = 0xf0;
        expect_refused(bytes, size, "wild: PE header at 0x78: it has 1025 sections, the limit is 1024");
        bytes[PE_OFF + PE_NUMBER_OF_SECTIONS_OFF] = 5;
        bytes[PE_OFF + PE_NUMBER_OF_SECTIONS_OFF + 1] = 0;
        memset(bytes + OPTIONAL_OFF + PE_IMAGE_BASE_OFF, 0xff, 8);
        bytes[OPTIONAL_OFF + PE_MAGIC_OFF + 1] = 2;
        expect_refused(
                bytes, size,
                "wild: PE optional header at 0x90: image base 0xffffffffffffffff leaves no room for the image");
        bytes[PE_OFF] = 'N';
        expect_refused(bytes, size,
                       "wild: is not a PE image (an MZ program, and the header at 0x78 is not a PE header)");
        free(bytes);
}

/* Makes all lookups; results must be consistent. */
static void ask_everything(struct object *object)
{
        struct object_symbols symbols;
        struct object_symbol symbol;
        struct object_range *ranges;
        struct object_unwind entry;
        struct cursor bytes;
        struct object_pdb pdb;

        for (size_t i = 0; i < object_n_sections(object); i++)
                object_read_section(object, object_get_section(object, i), &bytes, NULL);
        for (enum object_table table = OBJECT_SYMBOLS; table <= OBJECT_DYNAMIC_SYMBOLS; table++) {
                if (!object_symbols_begin(object, table, &symbols))
                        continue;
                while (object_symbols_next(&symbols, &symbol)) {
                        if (!object_symbols_name(&symbols, &symbol)[0])
                                TAP_FAIL("a symbol without a name");
                }
        }
        object_list_functions(object, &ranges);
        free(ranges);
        for (size_t i = 0; i < object_n_unwind(object); i++) {
                if (object_get_unwind(object, i, &entry) && entry.end <= entry.start)
                        TAP_FAIL("an entry without a byte");
        }
        object_find_unwind(object, DLL_BASE + 0x1000, &entry);
        if (object_get_pdb(object, &pdb) && !pdb.path)
                TAP_FAIL("a PDB without a path");
}

static void open_wild(const uint8_t *bytes, size_t size)
{
        /* No byte to spare behind it. */
        uint8_t *exact = mem_new(size, 1);
        struct err err = {0};
        struct object *object;

        memcpy(exact, bytes, size);
        object = object_open_bytes(exact, size, "wild", &err);
        if (object)
                ask_everything(object);
        else if (!text_starts(err.text, "wild: "))
                TAP_FAIL("'%s' does not name the file", err.text);
        object_free(object);
        free(exact);
}

static const char *const images[] = {"pe/x64.dll", "pe/arm64.dll", "pe/x86.dll", "pe/mingw.exe"};

TEST(pe_cut_files)
{
        uint8_t *bytes = mem_new(MAX_BYTES, 1);

        for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
                size_t size = read_data(images[i], bytes);

                ASSERT_TRUE(size);
                for (size_t cut = 2; cut < size; cut += cut < 0x400 ? 1 : 61)
                        open_wild(bytes, cut);
        }
        free(bytes);
}

TEST(pe_changed_bytes)
{
        static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
        uint8_t *bytes = mem_new(MAX_BYTES, 1);

        for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
                size_t size = read_data(images[i], bytes);

                ASSERT_TRUE(size);
                for (size_t at = 2; at < size; at += at < 0x300 ? 1 : 37) {
                        uint8_t was = bytes[at];

                        for (size_t v = 0; v < sizeof(values); v++) {
                                bytes[at] = values[v];
                                open_wild(bytes, size);
                        }
                        bytes[at] = was;
                }
        }
        free(bytes);
}

static void put_u32(uint8_t *at, uint32_t value)
{
        for (size_t i = 0; i < 4; i++)
                at[i] = (uint8_t)(value >> 8 * i);
}

/* Each directory at the end of its section, after it, and of any size. */
TEST(pe_wild_directories)
{
        static const uint32_t wild[] = {0, 1, 0x1098, 0x1fff, 0x21a0, 0x5fff, 0x7fffffff, 0xffffffff};
        uint8_t *bytes = mem_new(MAX_BYTES, 1);
        size_t size = read_data("pe/x64.dll", bytes);

        ASSERT_TRUE(size);
        for (size_t dir = 0; dir < 16; dir++) {
                uint8_t *at = bytes + DIRS_OFF + PE_DIRECTORY_BYTES * dir, saved[PE_DIRECTORY_BYTES];

                memcpy(saved, at, sizeof(saved));
                for (size_t i = 0; i < 64; i++) {
                        put_u32(at + PE_DIRECTORY_RVA_OFF, wild[i / 8]);
                        put_u32(at + PE_DIRECTORY_SIZE_OFF, wild[i % 8]);
                        open_wild(bytes, size);
                }
                memcpy(at, saved, sizeof(saved));
        }
        free(bytes);
}

TAP_MAIN
