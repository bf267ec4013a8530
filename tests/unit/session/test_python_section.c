/* SPDX-License-Identifier: BSD-3-Clause */
/* Python places are numbered in the order in which they are added; what is written is read again; a damaged
 * section is refused. */
#include "python_section.h"

#include <stdlib.h>

#include "mem.h"
#include "section_layout.h"
#include "tap.h"

/* The section ends with the codes, the places, the number of files, and the files. */
enum {
        CODE_FILE_OFF = 4,
        CODE_FIRST_LINE_OFF = 8,
        CODE_BYTES = 12,
        PLACE_CODE_OFF = 0,
        PLACE_BYTES = 8,
        N_FILES_BYTES = 4,
        FILE_PATH_OFF = 0,
        FILE_BYTES = 20,
        /* What write_with() writes. */
        N_PLACES = 3,
        N_FILES = 2,
        N_FILES_FROM_END = N_FILES * FILE_BYTES + N_FILES_BYTES,
};

static const uint64_t first = PYTHON_PLACES_BASE + PYTHON_PLACE_BYTES;

static struct python_section *read(const struct buf *bytes)
{
        return python_section_new(cursor_make(bytes->data, bytes->len));
}

TEST(places_are_numbered_and_known_again)
{
        AUTO(python_places) places = python_places_new();

        EXPECT_INT(python_places_add(places, "parse", "/a/app.py", 5, 6), first);
        EXPECT_INT(python_places_add(places, "parse", "/a/app.py", 5, 7), first + 16);
        EXPECT_INT(python_places_add(places, "parse", "/b/app.py", 5, 6), first + 32);
        EXPECT_INT(python_places_add(places, "parse", "/a/app.py", 15, 6), first + 48);
        EXPECT_INT(python_places_add(places, "other", "/a/app.py", 5, 6), first + 64);
        EXPECT_INT(python_places_add(places, "parse", "/a/app.py", 5, 6), first);
        EXPECT_INT(python_places_add(places, "other", "/a/app.py", 5, 6), first + 64);
        EXPECT_INT(python_places_n(places), 5);
}

static void write_with(struct buf *out, bool has_files)
{
        AUTO(python_places) places = python_places_new();
        const struct python_counts counts = {2318, 2310, 2, {{3, "in start-up"}, {5, "generator at exit"}}};

        python_places_add(places, "parse", "/a/app.py", 5, 6);
        python_places_add(places, "", "", 0, 0);
        python_places_add(places, "parse", "/a/app.py", 5, 9);
        if (has_files) {
                python_places_add_file(places, "/a/app.py", 5000000000, -7);
                python_places_add_file(places, "", 0, INT64_MAX);
        }
        python_places_write(places, &counts, out);
}

static void write(struct buf *out)
{
        write_with(out, true);
}

TEST(what_is_written_is_read)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_section) section = NULL;

        write(&bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->counts.n_stacks, 2318);
        EXPECT_INT(section->counts.n_merged, 2310);
        EXPECT_INT(section->counts.n_reasons, 2);
        EXPECT_INT(section->counts.reasons[1].count, 5);
        EXPECT_STR(section->counts.reasons[1].text, "generator at exit");
        EXPECT_INT(section->n_codes, 2);
        ASSERT_CMP(section->n_places, ==, 3);
        EXPECT_STR(section->codes[section->places[0].code].function, "parse");
        EXPECT_STR(section->codes[section->places[0].code].file, "/a/app.py");
        EXPECT_INT(section->codes[section->places[0].code].first_line, 5);
        EXPECT_INT(section->places[0].line, 6);
        EXPECT_STR(section->codes[section->places[1].code].function, "");
        EXPECT_INT(section->places[2].code, section->places[0].code);
        EXPECT_INT(section->places[2].line, 9);
}

TEST(code_is_found_by_the_offset_of_a_place)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_section) section = NULL;

        write(&bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_TRUE(!python_section_code_at(section, 0));
        EXPECT_TRUE(!python_section_code_at(section, 7));
        EXPECT_TRUE(python_section_code_at(section, 8) == &section->codes[section->places[0].code]);
        EXPECT_TRUE(python_section_code_at(section, 15) == &section->codes[section->places[0].code]);
        EXPECT_TRUE(python_section_code_at(section, 16) == &section->codes[section->places[0].code]);
        EXPECT_TRUE(python_section_code_at(section, 32) == &section->codes[section->places[1].code]);
        EXPECT_TRUE(python_section_code_at(section, 55) == &section->codes[section->places[2].code]);
        EXPECT_TRUE(!python_section_code_at(section, 56));
        EXPECT_TRUE(!python_section_code_at(section, UINT64_MAX));
}

TEST(files_are_found_by_their_path)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_section) section = NULL;
        const struct python_section_file *file;

        write(&bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        file = python_section_find_file(section, "/a/app.py");
        ASSERT_TRUE(file);
        EXPECT_INT(file->size_bytes, 5000000000);
        EXPECT_INT(file->mtime_ns, -7);
        EXPECT_TRUE(python_section_find_file(section, ""));
        EXPECT_TRUE(!python_section_find_file(section, "/a/other.py"));
}

/* Older recorders wrote nothing behind the places. */
TEST(a_section_without_files_is_read)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_section) section = NULL;

        write_with(&bytes, false);
        buf_truncate(&bytes, bytes.len - N_FILES_BYTES);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n_places, 3);
        EXPECT_INT(section->n_files, 0);
        EXPECT_TRUE(!python_section_find_file(section, "/a/app.py"));
}

TEST(a_shorter_section_is_none)
{
        AUTO_RELEASE(buf) bytes = {0};

        write(&bytes);
        for (size_t n = 0; n < bytes.len; n++) {
                if (n == bytes.len - N_FILES_FROM_END)
                        continue; /* without files */
                struct buf part = {0};
                AUTO(python_section) section = NULL;

                buf_add(&part, bytes.data, n);
                section = read(&part);
                EXPECT_TRUE(!section);
                buf_release(&part);
        }
}

TEST(impossible_files_are_refused)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_section) section = NULL;

        write(&bytes);
        bytes.data[bytes.len - N_FILES_FROM_END] = N_FILES + 1;
        section = read(&bytes);
        EXPECT_TRUE(!section);
        bytes.data[bytes.len - N_FILES_FROM_END] = N_FILES;
        memset(bytes.data + bytes.len - FILE_BYTES + FILE_PATH_OFF, 0xff, 4);
        section = read(&bytes);
        EXPECT_TRUE(!section);
}

TEST(impossible_numbers_are_refused)
{
        AUTO_RELEASE(buf) bytes = {0};
        const uint32_t none = 2;
        AUTO(python_section) section = NULL;
        char *last_place, *last_code;

        write_with(&bytes, false);
        buf_truncate(&bytes, bytes.len - N_FILES_BYTES);
        last_place = bytes.data + bytes.len - PLACE_BYTES;
        last_code = bytes.data + bytes.len - N_PLACES * PLACE_BYTES - CODE_BYTES;
        memcpy(last_place + PLACE_CODE_OFF, &none, sizeof(none));
        section = read(&bytes);
        EXPECT_TRUE(!section);
        memset(last_place + PLACE_CODE_OFF, 0, 4);
        memset(last_code + CODE_FIRST_LINE_OFF, 0xff, 4); /* any is right */
        section = read(&bytes);
        EXPECT_TRUE(section);
        python_section_free(TAKE(section));
        memset(last_code + CODE_FILE_OFF, 0xff, 4);
        section = read(&bytes);
        EXPECT_TRUE(!section);
        bytes.data[SECTION_VERSION_OFF] = 2;
        section = read(&bytes);
        EXPECT_TRUE(!section);
}

TEST(approximate_frames_are_marked)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_places) places = python_places_new();
        AUTO(python_section) section = NULL;
        struct python_counts counts = {.n_stacks = 2, .n_merged = 1};

        python_places_add(places, "f", "app.py", 1, 1);
        python_places_write(places, &counts, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_TRUE(!section->counts.is_approximate);
        python_section_free(TAKE(section));
        counts.is_approximate = true;
        buf_clear(&bytes);
        python_places_write(places, &counts, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_TRUE(section->counts.is_approximate);
        buf_truncate(&bytes, bytes.len - 2);
        python_section_free(TAKE(section));
        section = read(&bytes);
        EXPECT_TRUE(!section);
}

/* Otherwise reading many codes with this text would take hours. */
TEST(a_text_without_end_is_refused)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_places) places = python_places_new();
        const struct python_counts counts = {0};
        AUTO(python_section) section = NULL;
        char *name = mem_new(PYTHON_MAX_TEXT_BYTES + 11, 1), *at;

        memset(name, 'x', PYTHON_MAX_TEXT_BYTES + 10);
        python_places_add(places, name, "app.py", 1, 1);
        python_places_write(places, &counts, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(strlen(section->codes[0].function), PYTHON_MAX_TEXT_BYTES);
        at = memchr(bytes.data, 'x', bytes.len);
        at[PYTHON_MAX_TEXT_BYTES] = 'x'; /* instead of its NUL: the file's name is now a part of it */
        python_section_free(TAKE(section));
        section = read(&bytes);
        EXPECT_TRUE(!section);
        free(name);
}

/* The places that do not fit have no address, and the others are kept. */
TEST(the_section_is_bounded)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_places) places = python_places_new();
        const struct python_counts counts = {0};
        AUTO(python_section) section = NULL;
        uint32_t n = 0;

        while (python_places_add(places, "f", "app.py", 1, n))
                n++;
        EXPECT_TRUE(n > 8000000 && n <= PYTHON_MAX_SECTION_BYTES / 8);
        EXPECT_INT(python_places_add(places, "f", "app.py", 1, 0), first);
        EXPECT_INT(python_places_add(places, "g", "app.py", 1, 0), 0);
        python_places_write(places, &counts, &bytes);
        EXPECT_CMP(bytes.len, <=, PYTHON_MAX_SECTION_BYTES);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(section->n_places, n);
}

/* A character of several bytes is not split. */
TEST(long_names_end_where_a_character_does)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(python_places) places = python_places_new();
        const struct python_counts counts = {0};
        AUTO(python_section) section = NULL;
        char *name = mem_new(PYTHON_MAX_TEXT_BYTES + 3, 1);

        memset(name, 'x', PYTHON_MAX_TEXT_BYTES - 1);
        memcpy(name + PYTHON_MAX_TEXT_BYTES - 1, "\xc3\xa9", 2);
        python_places_add(places, name, "app.py", 1, 1);
        python_places_write(places, &counts, &bytes);
        section = read(&bytes);
        ASSERT_TRUE(section);
        EXPECT_INT(strlen(section->codes[0].function), PYTHON_MAX_TEXT_BYTES - 1);
        free(name);
}

TAP_MAIN
