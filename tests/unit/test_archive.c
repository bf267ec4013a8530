/* SPDX-License-Identifier: BSD-3-Clause */
#include "archive.h"

#include <stdlib.h>

#include "annotate_session.h"
#include "map.h"
#include "perfdata_format.h"

static const char *const path = "test_archive.tmp.data";
static const char *const packed_path = "test_archive.tmp.packed";

static const struct samples_at samples[] = {{0x214, 5}, {0x259, 3}, {0x300, 1}, {0x260, 1}, {0}};

/* The session of `samples` of tests/data/dwarf/gcc5.so, written to `path`. */
static void write_session(void)
{
        report_free(report_of(path, "dwarf/gcc5.so", samples));
}

static bool archive(struct archive_request request, struct archive_result *ret, struct err *err)
{
        request.path = path;
        if (!request.max_bytes)
                request.max_bytes = ARCHIVE_DEFAULT_MAX_BYTES;
        return archive_make(&request, ret, err);
}

/* "5 square two.c:12 ..." of the rows by line of a session. */
static void list_rows(const char *session, struct buf *out)
{
        const struct report_request request = {
                .path = session, .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL | PROFILE_LINE};
        AUTO(report) report = report_make(&request, NULL);
        const struct hot *hot = report ? report_hot(report) : NULL;

        buf_clear(out);
        for (size_t i = 0; hot && i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);

                buf_printf(out, "%d %s %s ", (int)row->count, hot_text(hot, row->symbol),
                           hot_text(hot, row->line));
        }
}

static void expect_same_rows(void)
{
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};

        list_rows(path, &want);
        list_rows(packed_path, &got);
        EXPECT_CONTAINS(buf_text(&want), "two.c:");
        EXPECT_STR(buf_text(&got), buf_text(&want));
}

TEST(all_is_packed)
{
        AUTO_RELEASE(archive_result) result = {0};
        struct err err = {0};
        struct os_stat st;

        write_session();
        if (!archive((struct archive_request){.output = packed_path}, &result, &err))
                TAP_FAIL("%s", err.text);
        EXPECT_INT(result.n_modules, 1);
        EXPECT_TRUE(result.n_functions >= 2);
        EXPECT_INT(result.n_whole, result.n_functions);
        EXPECT_TRUE(os_stat(path, &st) && st.size_bytes == result.bytes_before);
        EXPECT_TRUE(os_stat(packed_path, &st) && st.size_bytes == result.bytes_after);
        expect_same_rows();
}

/* The source stands in a folder that is named; it goes first. */
static void make_source(void)
{
        static const char *const names[] = {"one.c", "two.c", "shapes.h"};

        os_make_dir("test_archive.tmp.src", NULL);
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                AUTO_RELEASE(buf) name = {0};
                AUTO(os_file) file = NULL;

                buf_printf(&name, "test_archive.tmp.src/%s", names[i]);
                file = os_file_create(buf_text(&name), NULL);
                for (uint64_t line = 1; file && line < 100; line++) {
                        AUTO_RELEASE(buf) text = {0};

                        /* What does not pack well. */
                        for (uint64_t k = 0; k < 40; k++)
                                buf_printf(&text, "%llx",
                                           (unsigned long long)map_mix(line * 1000 + k + i * 1000000));
                        buf_add_char(&text, '\n');
                        EXPECT_TRUE(os_file_write(file, text.data, text.len, NULL));
                }
        }
}

TEST(source_goes_first_then_cold_functions)
{
        struct archive_request request = {.output = packed_path, .source_folders = "test_archive.tmp.src"};
        AUTO_RELEASE(archive_result) all = {0};
        AUTO_RELEASE(archive_result) some = {0};
        AUTO_RELEASE(archive_result) few = {0};
        AUTO_RELEASE(archive_result) none = {0};
        uint64_t grown;
        struct err err = {0};

        write_session();
        make_source();
        EXPECT_TRUE(archive(request, &all, &err));
        EXPECT_TRUE(all.n_source_files >= 1 && all.n_source_lines > 10 &&
                    !strstr(buf_text(&all.note), "left out"));
        request.max_bytes = all.bytes_after - all.bytes_before - 100;
        EXPECT_TRUE(archive(request, &some, &err));
        EXPECT_INT(some.n_source_lines, 0);
        EXPECT_INT(some.n_whole, some.n_functions);
        EXPECT_CONTAINS(buf_text(&some.note), "its source, ");
        expect_same_rows();
        grown = some.bytes_after - some.bytes_before;
        request.max_bytes = grown - 100;
        EXPECT_TRUE(archive(request, &few, &err));
        EXPECT_TRUE(few.n_whole < few.n_functions);
        EXPECT_TRUE(few.bytes_after - few.bytes_before < grown);
        EXPECT_CONTAINS(buf_text(&few.note), "coldest function");
        expect_same_rows();
        request.max_bytes = 100;
        EXPECT_TRUE(!archive(request, &none, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_CONTAINS(err.text, "--max-size");
}

TEST(a_limit_that_refuses_leaves_the_session)
{
        AUTO_RELEASE(archive_result) result = {0};
        AUTO_RELEASE(buf) before = {0};
        AUTO_RELEASE(buf) after = {0};

        write_session();
        EXPECT_TRUE(os_read_file(path, 1 << 20, &before, NULL));
        EXPECT_TRUE(!archive((struct archive_request){.max_bytes = 1}, &result, NULL));
        EXPECT_TRUE(os_read_file(path, 1 << 20, &after, NULL));
        EXPECT_TRUE(before.len == after.len && !memcmp(before.data, after.data, after.len));
}

TEST(in_its_place_and_again)
{
        AUTO_RELEASE(archive_result) first = {0};
        AUTO_RELEASE(archive_result) second = {0};
        AUTO_RELEASE(buf) want = {0};
        AUTO_RELEASE(buf) got = {0};

        write_session();
        list_rows(path, &want);
        EXPECT_TRUE(archive((struct archive_request){0}, &first, NULL));
        EXPECT_TRUE(archive((struct archive_request){0}, &second, NULL));
        EXPECT_INT(second.bytes_before, first.bytes_after);
        EXPECT_INT(second.bytes_after, first.bytes_after);
        list_rows(path, &got);
        EXPECT_STR(buf_text(&got), buf_text(&want));
}

TAP_MAIN
