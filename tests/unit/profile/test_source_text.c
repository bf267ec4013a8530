/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_text.h"

#include "os.h"
#include "tap.h"

static void write_file(const char *path, const char *text)
{
        struct os_file *file = os_file_create(path, NULL);

        EXPECT_TRUE(file && os_file_write(file, text, strlen(text), NULL) && os_file_close(file, NULL));
}

TEST(lines_of_a_file)
{
        AUTO(source_text) source = source_text_new(NULL, NULL, NULL);
        struct os_stat st;

        write_file("source-1.tmp", "one\r\n\n\tthree\nlast");
        EXPECT_STR(source_text_line(source, "source-1.tmp", 1), "one");
        EXPECT_STR(source_text_line(source, "source-1.tmp", 2), "");
        EXPECT_STR(source_text_line(source, "source-1.tmp", 3), "\tthree");
        EXPECT_STR(source_text_line(source, "source-1.tmp", 4), "last");
        EXPECT_TRUE(!source_text_line(source, "source-1.tmp", 5));
        EXPECT_TRUE(!source_text_line(source, "source-1.tmp", 0));
        ASSERT_TRUE(os_stat("source-1.tmp", &st));
        EXPECT_TRUE(!source_text_note(source, "source-1.tmp", 0));
        EXPECT_TRUE(!source_text_note(source, "source-1.tmp", st.mtime_ns));
        EXPECT_STR(source_text_note(source, "source-1.tmp", st.mtime_ns - 1), "is newer than the program");
        os_remove("source-1.tmp", NULL);
}

/* Debug information can name any number of large files. */
TEST(files_have_a_limit_together)
{
        enum { N_FILES = 6, FILE_BYTES = 60 << 20 };
        AUTO(source_text) source = source_text_new(NULL, NULL, NULL);
        AUTO_RELEASE(buf) text = {0};
        size_t n_left_out = 0;
        char name[32];

        buf_add_zeros(&text, FILE_BYTES);
        memset(text.data, 'x', text.len);
        text.data[0] = '\n';
        for (int i = 0; i < N_FILES; i++) {
                struct os_file *file;
                const char *note;

                snprintf(name, sizeof(name), "source-large-%d.tmp", i);
                file = os_file_create(name, NULL);
                ASSERT_TRUE(file && os_file_write(file, text.data, text.len, NULL) &&
                            os_file_close(file, NULL));
                note = source_text_note(source, name, 0);
                EXPECT_CMP(!note, ==, (source_text_line(source, name, 2) != NULL));
                if (note)
                        EXPECT_STR(note, "was left out, because the files before it have 256 MiB");
                n_left_out += note != NULL;
                os_remove(name, NULL);
        }
        EXPECT_INT(n_left_out, N_FILES - 4);
        EXPECT_TRUE(source_text_line(source, "source-large-0.tmp", 2)); /* is kept */
}

TEST(a_missing_file_is_told)
{
        AUTO(source_text) source = source_text_new("/no-such-folder", NULL, NULL);

        EXPECT_TRUE(!source_text_line(source, "/nowhere/x.c", 1));
        EXPECT_STR(source_text_note(source, "/nowhere/x.c", 0),
                   "was not found: name its folder with --source-path");
}

TEST(files_are_looked_for_under_the_users_folders)
{
        AUTO(source_text) source = source_text_new("C:\\nothing:D:/x:source-tree.tmp;other", NULL, NULL);

        /* os_make_dir lets nobody else enter. */
        source_text_take_private(source, true);
        EXPECT_TRUE(os_make_dir("source-tree.tmp", NULL) && os_make_dir("source-tree.tmp/Python", NULL));
        write_file("source-tree.tmp/Python/ceval.c", "here\n");
        write_file("source-tree.tmp/x.c", "there\n");
        EXPECT_STR(source_text_line(source, "/build/python3.11/./Python/ceval.c", 1), "here");
        EXPECT_STR(source_text_line(source, "C:\\a\\x.c", 1), "there");
        EXPECT_STR(source_text_line(source, "x.c", 1), "there");
        EXPECT_TRUE(!source_text_line(source, "/build/y.c", 1));
        os_remove("source-tree.tmp/Python/ceval.c", NULL);
        os_remove("source-tree.tmp/x.c", NULL);
}

static bool find_remote(void *ctx, const char *path, struct buf *out)
{
        ++*(int *)ctx;
        buf_add_str(out, "source-3.tmp");
        return !strcmp(path, "/build/far.c");
}

TEST(others_are_asked_once)
{
        int n_asked = 0;
        AUTO(source_text) source = source_text_new(NULL, find_remote, &n_asked);

        write_file("source-3.tmp", "from afar\n");
        EXPECT_STR(source_text_line(source, "/build/far.c", 1), "from afar");
        EXPECT_TRUE(!source_text_line(source, "/build/nowhere.c", 1));
        EXPECT_TRUE(!source_text_line(source, "/build/nowhere.c", 2));
        EXPECT_INT(n_asked, 2);
        os_remove("source-3.tmp", NULL);
}

/* The files of servers for each of two builds that name the same path. */
static bool find_by_build(void *ctx, const char *path, struct buf *out)
{
        buf_printf(out, "source-build-%d.tmp", *(int *)ctx);
        return true;
}

TEST(what_servers_have_for_one_module_is_not_anothers)
{
        int build = 1;
        AUTO(source_text) source = source_text_new(NULL, find_by_build, &build);
        struct digest one, two;

        write_file("source-build-1.tmp", "honest\n");
        write_file("source-build-2.tmp", "forged\n");
        write_file("source-build-local.tmp", "here\n");
        for (int round = 0; round < 2; round++) {
                for (build = 1; build <= 2; build++) {
                        source_text_ask_for(source, (struct source_asker){.module = (uint32_t)build});
                        EXPECT_STR(source_text_line(source, "/build/a.c", 1),
                                   build == 1 ? "honest" : "forged");
                        EXPECT_STR(source_text_line(source, "source-build-local.tmp", 1), "here");
                }
        }
        two = source_text_digest(source, "/build/a.c");
        source_text_ask_for(source, (struct source_asker){.module = 1});
        one = source_text_digest(source, "/build/a.c");
        EXPECT_CMP(memcmp(&one, &two, sizeof(one)), !=, 0);
        for (build = 1; build <= 2; build++) {
                char name[] = "source-build-0.tmp";

                name[13] = (char)('0' + build);
                os_remove(name, NULL);
        }
        os_remove("source-build-local.tmp", NULL);
}

TEST(packed_lines_are_of_packed_modules)
{
        AUTO(source_archive_writer) writer = source_archive_writer_new();
        AUTO_RELEASE(buf) section = {0};
        AUTO(source_archive) archive = NULL;
        AUTO(source_text) source = source_text_new(NULL, NULL, NULL);

        source_archive_begin(writer, "source-5.tmp", 0);
        source_archive_add_line(writer, 1, "packed");
        ASSERT_TRUE(source_archive_write(writer, &section, NULL));
        archive = source_archive_open(cursor_make(section.data, section.len), NULL, NULL);
        ASSERT_TRUE(archive);
        write_file("source-5.tmp", "of this machine\n");
        source_text_use_archive(source, archive);
        for (int round = 0; round < 2; round++) {
                source_text_ask_for(source, (struct source_asker){.module = 1, .is_archived = true});
                EXPECT_STR(source_text_line(source, "source-5.tmp", 1), "packed");
                source_text_ask_for(source, (struct source_asker){.module = 2});
                EXPECT_STR(source_text_line(source, "source-5.tmp", 1), "of this machine");
        }
        os_remove("source-5.tmp", NULL);
}

/* Also in the user's folder, because debug information may lead out of it.  Files from debuginfod are
 * always read. */
TEST(root_reads_what_all_users_may_read)
{
        static const char name[] = "source-4.tmp";
        struct os_file *file;
        int n_asked = 0;

        os_remove(name, NULL);
        file = os_file_create_private(name, NULL);
        ASSERT_TRUE(file && os_file_write(file, "secret\n", 7, NULL) && os_file_close(file, NULL));
        for (int is_taken = 0; is_taken < 2; is_taken++) {
                AUTO(source_text) source = source_text_new(".", find_remote, &n_asked);
                bool is_refused = os_is_superuser() && !is_taken;
                int64_t mtime_ns;

                source_text_take_private(source, is_taken);
                for (unsigned i = 0; i < 2; i++) {
                        const char *path = i ? "/x/source-4.tmp" : name;

                        if (is_refused)
                                EXPECT_TRUE(!source_text_line(source, path, 1));
                        else
                                EXPECT_STR(source_text_line(source, path, 1), "secret");
                        EXPECT_INT(source_text_is_refused(source, path), is_refused);
                        EXPECT_INT(source_text_find(source, path, &mtime_ns), !is_refused);
                        if (is_refused)
                                EXPECT_CONTAINS(source_text_note(source, path, 0), "--force");
                }
        }
        EXPECT_TRUE(os_rename(name, "source-3.tmp", NULL));
        AUTO(source_text) source = source_text_new(NULL, find_remote, &n_asked);
        EXPECT_STR(source_text_line(source, "/build/far.c", 1), "secret");
        os_remove("source-3.tmp", NULL);
}

TEST(hostile_bytes_are_lines_too)
{
        AUTO(source_text) source = source_text_new(NULL, NULL, NULL);
        struct os_file *file = os_file_create("source-2.tmp", NULL);

        EXPECT_TRUE(os_file_write(file, "a\0b\n\0\nc", 7, NULL) && os_file_close(file, NULL));
        for (uint32_t i = 1; i < 9; i++)
                source_text_line(source, "source-2.tmp", i);
        EXPECT_STR(source_text_line(source, "source-2.tmp", 1), "a");
        EXPECT_STR(source_text_line(source, "source-2.tmp", 2), "");
        EXPECT_STR(source_text_line(source, "source-2.tmp", 3), "c");
        os_remove("source-2.tmp", NULL);
}

TAP_MAIN
