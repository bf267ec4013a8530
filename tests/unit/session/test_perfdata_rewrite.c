/* SPDX-License-Identifier: BSD-3-Clause */
#include "perfdata_rewrite.h"

#include <stdlib.h>

#include "os.h"
#include "perfdata_format.h"
#include "perfdata_layout.h"
#include "perfdata_writer.h"
#include "small_session.h"

static const char *const in_path = "test_perfdata_rewrite.tmp.data";
static const char *const out_path = "test_perfdata_rewrite.tmp.out";
static const char *const old_path = "test_perfdata_rewrite.tmp.out.old";

static void write_whole(const char *path, const void *bytes, size_t size)
{
        struct os_file *file = os_file_create(path, NULL);

        EXPECT_TRUE(file && os_file_write(file, bytes, size, NULL) && os_file_close(file, NULL));
}

static void build(struct session_builder *b)
{
        builder_init(b);
        build_small(b);
        builder_feature_str(b, FEATURE_HOSTNAME, "here");
        builder_feature(b, 235, "old", 3);
        builder_feature(b, 236, "gone", 4);
}

static void expect_section(const struct perfdata_reader *reader, unsigned feature, const char *want)
{
        struct cursor c = perfdata_feature(reader, feature);

        EXPECT_CMP(c.failed, ==, !want);
        EXPECT_TRUE(!want || (cursor_left(&c) == strlen(want) && !memcmp(c.at, want, cursor_left(&c))));
}

static void expect_records(const char *path, const char *want)
{
        AUTO(perfdata_reader) reader = perfdata_open(path, NULL);
        AUTO_RELEASE(buf) list = {0};

        ASSERT_TRUE(reader && list_records(reader, false, &list, NULL));
        EXPECT_STR(buf_text(&list), want);
        EXPECT_INT(perfdata_get_damage(reader)->cut_bytes, 0);
        EXPECT_INT(perfdata_get_damage(reader)->n_malformed, 0);
        EXPECT_TRUE(!perfdata_get_damage(reader)->features_missing);
        EXPECT_TRUE(!perfdata_get_damage(reader)->data_size_missing);
}

static bool rewrite(const char *path, bool keep_old, uint64_t *ret_bytes, struct err *err)
{
        static const struct perfdata_section sections[] = {
                {228, "new", 3}, {235, "newer", 5}, {236, NULL, 0}};
        AUTO(perfdata_reader) reader = perfdata_open(in_path, err);
        AUTO_RELEASE(buf) made = {0};

        if (!reader || !perfdata_rewrite(reader, path, sections, N_ELEMENTS(sections), &made, ret_bytes, err))
                return false;
        perfdata_reader_free(TAKE(reader));
        return perfdata_rewrite_put(buf_text(&made), path, keep_old, err);
}

static void expect_rewritten(const char *path, uint64_t bytes)
{
        AUTO(perfdata_reader) reader = perfdata_open(path, NULL);

        ASSERT_TRUE(reader);
        EXPECT_INT(perfdata_get_layout(reader)->file_bytes, bytes);
        EXPECT_STR(perfdata_feature_str(reader, FEATURE_HOSTNAME), "here");
        expect_section(reader, 228, "new");
        expect_section(reader, 235, "newer");
        expect_section(reader, 236, NULL);
        expect_records(path, small_by_time);
}

TEST(sections_are_added_replaced_and_removed)
{
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        struct err err = {0};
        struct os_stat st;
        uint64_t bytes = 0;

        remove(out_path);
        remove(old_path);
        build(&b);
        builder_file(&b, &file);
        builder_release(&b);
        write_whole(in_path, file.data, file.len);
        if (!rewrite(out_path, true, &bytes, &err))
                TAP_FAIL("%s", err.text);
        expect_rewritten(out_path, bytes);
        EXPECT_TRUE(!os_stat(old_path, &st));
        EXPECT_TRUE(rewrite(out_path, true, &bytes, &err));
        EXPECT_TRUE(os_stat(old_path, &st));
        EXPECT_TRUE(rewrite(in_path, false, &bytes, &err));
        expect_rewritten(in_path, bytes);
        EXPECT_TRUE(rewrite(in_path, false, &bytes, &err));
        expect_rewritten(in_path, bytes);
}

/* Their content is not copied: the new file has it where the old one has it. */
TEST(sections_in_pieces_stay_in_pieces)
{
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        struct perfdata_writer *w;
        struct os_stat before = {0};
        struct err err = {0};
        uint64_t bytes;

        remove(in_path);
        builder_init(&b);
        build_small(&b);
        w = perfdata_writer_open(in_path, &err);
        ASSERT_TRUE(w);
        perfdata_writer_add_event(w, &b.attrs[0], "my-clock:u", b.ids, 1);
        EXPECT_TRUE(perfdata_writer_begin(w, &err) && perfdata_writer_put_section(w, 234, "wai", 3, &err) &&
                    perfdata_writer_put(w, b.records.data, b.records.len, &err) &&
                    perfdata_writer_put_section(w, 234, "ts", 2, &err) && perfdata_writer_close(w, &err));
        builder_release(&b);
        EXPECT_TRUE(os_stat(in_path, &before));
        EXPECT_TRUE(rewrite(out_path, false, &bytes, &err));
        EXPECT_INT(bytes, before.size_bytes + 2 * 16 + strlen("new") + strlen("newer"));
        reader = perfdata_open(out_path, &err);
        ASSERT_TRUE(reader);
        expect_section(reader, 234, "waits");
        expect_section(reader, 228, "new");
}

TEST(all_in_front_of_the_sections_stays)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) again = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        uint64_t bytes, end;

        build(&b);
        builder_file(&b, &file);
        builder_release(&b);
        write_whole(in_path, file.data, file.len);
        EXPECT_TRUE(rewrite(out_path, false, &bytes, NULL));
        EXPECT_TRUE(os_read_file(out_path, 1 << 20, &again, NULL));
        reader = perfdata_open(in_path, NULL);
        ASSERT_TRUE(reader);
        end = perfdata_get_layout(reader)->data_off + perfdata_get_layout(reader)->data_bytes;
        ASSERT_CMP(again.len, >, end);
        EXPECT_TRUE(!memcmp(again.data, file.data, PERFDATA_FLAGS_OFF));
        EXPECT_TRUE(!memcmp(again.data + PERFDATA_HEADER_BYTES, file.data + PERFDATA_HEADER_BYTES,
                            (size_t)end - PERFDATA_HEADER_BYTES));
}

/* A killed recorder left no data size and no features; and a file that is cut in the middle of a record. */
TEST(what_is_whole_of_an_unfinished_session_is_taken)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO(perfdata_reader) reader = NULL;
        struct session_builder b;
        uint64_t bytes, end;
        struct err err = {0};

        build(&b);
        builder_file(&b, &file);
        builder_release(&b);
        write_whole(in_path, file.data, file.len);
        reader = perfdata_open(in_path, NULL);
        ASSERT_TRUE(reader);
        end = perfdata_get_layout(reader)->data_off + perfdata_get_layout(reader)->data_bytes;
        perfdata_reader_free(TAKE(reader));
        memset(file.data + PERFDATA_FLAGS_OFF, 0, PERFDATA_HEADER_BYTES - PERFDATA_FLAGS_OFF);
        for (int has_size = 0; has_size < 2; has_size++) {
                if (!has_size)
                        memset(file.data + PERFDATA_DATA_SIZE_OFF, 0, 8);
                write_whole(in_path, file.data, (size_t)end);
                if (!rewrite(out_path, false, &bytes, &err))
                        TAP_FAIL("%s", err.text);
                expect_records(out_path, small_by_time);
        }
        write_whole(in_path, file.data, (size_t)end - 20);
        EXPECT_TRUE(rewrite(out_path, false, &bytes, &err));
        expect_records(out_path, "COMM MMAP2 FINISHED_ROUND 1000:400100/0 2000:400300/0 2500:400400/0 "
                                 "3000:400200/0 ");
}

static void expect_refused(struct session_builder *b, const char *words)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) kept = {0};
        struct err err = {0};
        uint64_t bytes;

        builder_file(b, &file);
        builder_release(b);
        write_whole(in_path, file.data, file.len);
        EXPECT_TRUE(!rewrite(in_path, false, &bytes, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_CONTAINS(err.text, words);
        EXPECT_TRUE(os_read_file(in_path, 1 << 20, &kept, NULL));
        EXPECT_TRUE(kept.len == file.len && !memcmp(kept.data, file.data, file.len));
}

TEST(what_cannot_be_written_again_is_refused)
{
        struct session_builder b;

        builder_init(&b);
        b.pipe = true;
        build_small(&b);
        expect_refused(&b, "was recorded to a pipe");
        builder_init(&b);
        b.swap = true;
        build_small(&b);
        expect_refused(&b, "has the byte order of another machine");
}

/* If the new file can't be written, it is removed, and the old one does not change. */
TEST(a_folder_that_is_not_there)
{
        struct session_builder b;
        AUTO_RELEASE(buf) file = {0};
        struct err err = {0};
        uint64_t bytes;

        build(&b);
        builder_file(&b, &file);
        builder_release(&b);
        write_whole(in_path, file.data, file.len);
        EXPECT_TRUE(!rewrite("no-such-folder/out.data", false, &bytes, &err));
        EXPECT_CONTAINS(err.text, "no-such-folder/out.data");
}

TAP_MAIN
