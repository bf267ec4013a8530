/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects: names, files and line tables of all versions, and objects of other types. */
#include "python_image.h"
#include "python_layouts.h"
#include "tap.h"

static struct image image;
static struct python_code code;
static struct err err;

static void start(unsigned number)
{
        struct python_layout layout = layout_number(number);

        image_init(&image, &layout);
}

static bool read_code(uint64_t addr)
{
        return python_code_read(&image.runtime, &image.memory, addr, &code, &err);
}

TEST(all_versions)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                uint64_t addr;

                start(i);
                addr = image_code(&image, "Kind.work", 12);
                ASSERT_TRUE(read_code(addr));
                EXPECT_STR(code.name, "Kind.work");
                EXPECT_STR(code.file, "app.py");
                EXPECT_INT(code.first_line, 12);
                EXPECT_TRUE(!code.is_hidden);
                EXPECT_INT(python_code_line(&code, 6), 12);
                EXPECT_INT(python_code_line(&code, PYTHON_INSTR_START), 12);
                EXPECT_INT(python_code_line(&code, PYTHON_INSTR_UNKNOWN), 0);
                EXPECT_TRUE(python_code_is_same(&image.runtime, &image.memory, &code));
                image_int(&image, addr + image.runtime.layout.code_first_line, 13);
                EXPECT_TRUE(!python_code_is_same(&image.runtime, &image.memory, &code));
                python_code_release(&code);
        }
}

static void expect_same(bool is_same)
{
        EXPECT_INT(python_code_is_same(&image.runtime, &image.memory, &code), is_same);
}

/* Memory is used again: all addresses in the code object are those of the one before. */
TEST(recycled_memory)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                const struct python_layout *layout = &image.runtime.layout;
                uint64_t addr, name, file, lines;
                bool has_version;

                start(i);
                has_version = layout->code_version != PYTHON_NO_FIELD;
                addr = image_code(&image, "work", 12);
                if (has_version)
                        image_int(&image, addr + layout->code_version, 7);
                name = image_get(&image, addr + layout->code_name) + layout->text_ascii_bytes;
                file = image_get(&image, addr + layout->code_file) + layout->text_ascii_bytes;
                lines = image_get(&image, addr + layout->code_lines) + layout->bytes_data;
                ASSERT_TRUE(read_code(addr));
                image_byte(&image, name + 1, 'a');
                expect_same(has_version);
                image_byte(&image, name + 1, 'o');
                expect_same(true);
                image_byte(&image, file, 'b');
                expect_same(has_version);
                image_byte(&image, file, 'a');
                image_byte(&image, lines, 0x55);
                expect_same(true); /* of a file that exists: the table belongs to its name and first line */
                python_code_release(&code);
                image_byte(&image, file, '<');
                ASSERT_TRUE(read_code(addr));
                image_byte(&image, lines, 0x54);
                expect_same(has_version);
                image_byte(&image, lines, 0x55);
                expect_same(true);
                if (has_version) {
                        image_int(&image, addr + layout->code_version, 8);
                        expect_same(false);
                }
                python_code_release(&code);
        }
}

/* 3.12 and 3.13: there are no more numbers; then the strings count. */
TEST(code_without_a_number)
{
        uint64_t addr, name;

        start(4);
        addr = image_code(&image, "work", 12);
        name = image_get(&image, addr + image.runtime.layout.code_name);
        ASSERT_TRUE(read_code(addr));
        image_byte(&image, name + image.runtime.layout.text_ascii_bytes, 'f');
        expect_same(false);
        python_code_release(&code);
}

/* 3.11: a counter between the fields. */
TEST(code_that_is_warm)
{
        uint64_t addr;

        start(3);
        addr = image_code(&image, "work", 12);
        ASSERT_TRUE(read_code(addr));
        image_int(&image, addr + image.runtime.layout.code_mutable, 8);
        expect_same(true);
        image_byte(&image, addr + image.runtime.layout.code_mutable - 1, 8);
        expect_same(false);
        python_code_release(&code);
}

static char *text_of(unsigned kind, const void *chars, size_t n)
{
        uint64_t addr = image_code(&image, "f", 1);

        image_word(&image, addr + image.runtime.layout.code_name,
                   image_text_of(&image, kind, false, chars, n));
        return read_code(addr) ? code.name : NULL;
}

TEST(kinds_of_text)
{
        static const uint8_t latin[] = {'g', 0xfc, 'n'};
        static const uint16_t wide[] = {0x3b1, 'b', 0x20ac, 0xd800};
        static const uint32_t widest[] = {0x1f40d, 'c', 0x110000};

        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                start(i);
                EXPECT_STR(text_of(1, latin, 3), "gün");
                python_code_release(&code);
                EXPECT_STR(text_of(2, wide, 4), "αb€\xef\xbf\xbd");
                python_code_release(&code);
                EXPECT_STR(text_of(4, widest, 3), "🐍c\xef\xbf\xbd");
                python_code_release(&code);
                EXPECT_STR(text_of(1, latin, 0), "");
                python_code_release(&code);
        }
}

/* The interned state has one or two bytes of its own. */
TEST(wide_interned_state)
{
        for (unsigned shift = 8; shift <= 16; shift += 8) {
                uint64_t addr, text;

                start(9);
                addr = image_code(&image, "f", 1);
                text = image_text(&image, "interned");
                image_int(&image, text + image.runtime.layout.text_state,
                          (int32_t)(1 | (1 | 8 | 16) << shift));
                image_word(&image, addr + image.runtime.layout.code_name, text);
                ASSERT_TRUE(read_code(addr));
                EXPECT_STR(code.name, "interned");
                python_code_release(&code);
        }
}

TEST(hidden_code)
{
        uint64_t addr, text;

        start(5);
        addr = image_code(&image, "__init__", 0);
        text = image_text(&image, "__init__");
        image_word(&image, addr + image.runtime.layout.code_name, text);
        image_word(&image, addr + image.runtime.layout.code_file, text);
        ASSERT_TRUE(read_code(addr));
        EXPECT_TRUE(code.is_hidden);
        python_code_release(&code);
}

TEST(damaged_objects)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_layout layout;
                uint64_t addr, text;

                start(i);
                layout = image.runtime.layout;
                addr = image_code(&image, "f", 1);
                EXPECT_TRUE(!read_code(0x1000));
                EXPECT_INT(err.code, ERR_IO);
                EXPECT_TRUE(!read_code(image.code_type));
                EXPECT_INT(err.code, ERR_FORMAT);
                EXPECT_STR(err.text, "code object: of another type");
                image_word(&image, addr + layout.code_name, 8);
                EXPECT_TRUE(!read_code(addr));
                EXPECT_STR(err.text, "code object: damaged name or file");
                text = image_text(&image, "f");
                image_int(&image, text + layout.text_state, 0);
                image_word(&image, addr + layout.code_name, text);
                EXPECT_TRUE(!read_code(addr));
                image_int(&image, text + layout.text_state, 3 << 2 | 1 << 5); /* three bytes a character */
                EXPECT_TRUE(!read_code(addr));
                text = image_text(&image, "f");
                image_word(&image, text + layout.text_length,
                           UINT64_MAX); /* cut, and still more than there is */
                image_word(&image, addr + layout.code_name, text);
                EXPECT_TRUE(read_code(addr));
                EXPECT_CMP(strlen(code.name), <=, PYTHON_MAX_NAME_CHARS);
                python_code_release(&code);
        }
}

/* Line tables are read completely up to the limit, and a code object without one has no lines. */
TEST(long_line_tables)
{
        static uint8_t table[200000];
        uint64_t addr, bytes;
        struct python_layout layout;

        start(7);
        layout = image.runtime.layout;
        for (size_t i = 0; i < sizeof(table); i += 2)
                table[i] = 0x80 | 0 << 3;
        addr = image_code(&image, "f", 5);
        bytes = image_bytes(&image, table, sizeof(table));
        image_word(&image, addr + layout.code_lines, bytes);
        ASSERT_TRUE(read_code(addr));
        EXPECT_INT(code.n_lines, sizeof(table));
        EXPECT_INT(python_code_line(&code, 2 * (sizeof(table) / 2 - 1)), 5);
        python_code_release(&code);
        image_word(&image, bytes + layout.bytes_size, PYTHON_MAX_LINES_BYTES + 1);
        ASSERT_TRUE(read_code(addr));
        EXPECT_INT(code.n_lines, 0);
        EXPECT_INT(python_code_line(&code, 0), 0);
        python_code_release(&code);
        image_word(&image, bytes + layout.bytes_size, PYTHON_MAX_LINES_BYTES); /* not all of it is there */
        ASSERT_TRUE(read_code(addr));
        EXPECT_INT(code.n_lines, 0);
        python_code_release(&code);
}

TAP_MAIN
