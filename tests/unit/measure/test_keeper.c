/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorder stores about mapped files and about processes that make code, and that this is limited. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux_internal.h"
#include "os.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

#define PREFIX "test_keeper.tmp"

/* Above the numbers that this machine gives to processes. */
enum { STRANGER = 4 << 20 };

static void see(struct keeper *keeper, struct session_builder *b)
{
        struct cursor all = cursor_make(b->records.data, b->records.len), record;
        struct perf_header header;

        while (record_next(&all, &header, &record))
                keeper_see(keeper, &header, (uint8_t *)b->records.data + (record.start - all.start));
        buf_clear(&b->records);
}

/* --- files --- */

static bool write_file(const char *path, const void *bytes, size_t size)
{
        FILE *file = fopen(path, "w");
        bool ok = file && fwrite(bytes, 1, size, file) == size;

        return file && !fclose(file) && ok;
}

static void add_map(struct session_builder *b, const char *path, uint64_t inode, bool is_code)
{
        builder_begin(b, PERF_RECORD_MMAP2, PERF_MISC_USER);
        builder_u32(b, STRANGER);
        builder_u32(b, STRANGER);
        builder_u64(b, 0x1000);
        builder_u64(b, 0x1000);
        builder_u64(b, 0);
        builder_u64(b, 0); /* device */
        builder_u64(b, inode);
        builder_u64(b, 0);
        builder_u32(b, is_code ? 5 : 1);
        builder_u32(b, 2);
        builder_str(b, path);
        builder_id(b, 1, STRANGER, STRANGER);
        builder_end(b);
}

static void map_file(struct keeper *keeper, const char *path, bool is_code)
{
        struct session_builder b;
        AUTO_RELEASE(buf) full = {0};
        char folder[4096];
        struct stat st;

        if (!getcwd(folder, sizeof(folder)) || stat(path, &st)) {
                TAP_FAIL("%s is not there", path);
                return;
        }
        buf_printf(&full, "%s/%s", folder, path);
        builder_init(&b);
        add_map(&b, full.data, st.st_ino, is_code);
        see(keeper, &b);
        builder_release(&b);
}

TEST(of_equal_programs_one_is_kept)
{
        AUTO_RELEASE(buf) program = {0};
        AUTO_RELEASE(keeper) keeper = {0};

        ASSERT_TRUE(os_read_file(data_path("elf/caller.exe"), 1 << 20, &program, NULL));
        keeper_init(&keeper);
        for (unsigned i = 0; i < 300; i++) {
                char path[32];

                snprintf(path, sizeof(path), PREFIX "%u", i);
                ASSERT_TRUE(write_file(path, program.data, program.len));
                map_file(&keeper, path, true);
                remove(path);
        }
        EXPECT_INT(keeper.files.n, 300);
        EXPECT_INT(keeper.kept.n, 1);
        /* A stripped file has the same build id, another size, and fewer names. */
        ASSERT_TRUE(write_file(PREFIX, program.data, program.len + 1));
        map_file(&keeper, PREFIX, true);
        EXPECT_INT(keeper.kept.n, 2);
        EXPECT_INT(keeper.n_not_kept, 0);
        remove(PREFIX);
}

TEST(a_file_of_data_is_not_kept)
{
        AUTO_RELEASE(buf) program = {0};
        AUTO_RELEASE(keeper) keeper = {0};

        ASSERT_TRUE(os_read_file(data_path("elf/caller.exe"), 1 << 20, &program, NULL));
        keeper_init(&keeper);
        ASSERT_TRUE(write_file(PREFIX "1", "text", 4) && write_file(PREFIX "2", "text", 4) &&
                    write_file(PREFIX "3", program.data, program.len));
        map_file(&keeper, PREFIX "1", false);
        EXPECT_INT(keeper.kept.n, 0);
        map_file(&keeper, PREFIX "2", true);
        EXPECT_INT(keeper.kept.n, 1);
        map_file(&keeper, PREFIX "3", false);
        EXPECT_INT(keeper.kept.n, 2);
        for (unsigned i = 1; i < 4; i++) {
                char path[32];

                snprintf(path, sizeof(path), PREFIX "%u", i);
                remove(path);
        }
}

TEST(files_that_were_seen_are_forgotten)
{
        AUTO_RELEASE(keeper) keeper = {0};
        struct session_builder b;

        keeper_init(&keeper);
        builder_init(&b);
        for (unsigned i = 0; i < 40000; i++) {
                char path[32];

                snprintf(path, sizeof(path), "/no/program%u", i);
                builder_mmap(&b, 1, STRANGER, 0x1000, 0x1000, 0, path);
                see(&keeper, &b);
                if (keeper.files.n > 16384)
                        break;
        }
        EXPECT_CMP(keeper.files.n, <=, 16384);
        builder_release(&b);
}

/* --- users --- */

static size_t count_users(struct keeper *keeper, const char *path)
{
        struct session_builder b;
        size_t n;

        builder_init(&b);
        builder_mmap(&b, 1, getpid(), 0x1000, 0x1000, 0, path);
        see(keeper, &b);
        n = keeper->users.n_items;
        builder_comm(&b, 2, getpid(), getpid(), "next", true);
        see(keeper, &b);
        EXPECT_INT(keeper->users.n_items, 0);
        builder_release(&b);
        return n;
}

TEST(users_of_processes_that_may_make_code)
{
        AUTO_RELEASE(keeper) keeper = {0};

        keeper_init(&keeper);
        EXPECT_INT(count_users(&keeper, "//anon"), 1);
        EXPECT_INT(count_users(&keeper, "[heap]"), 1);
        EXPECT_INT(count_users(&keeper, "/memfd:doublemapper (deleted)"), 1);
        EXPECT_INT(count_users(&keeper, "/tmp/jit-1.dump"), 1);
        /* Every program has these. */
        EXPECT_INT(count_users(&keeper, "[vdso]"), 0);
        EXPECT_INT(count_users(&keeper, "/bin/sh"), 0);
}

/* Forked children of a process that makes code, each of which runs another program then. */
TEST(users_of_processes_that_run_another_program_are_forgotten)
{
        AUTO_RELEASE(keeper) keeper = {0};
        struct session_builder b;

        keeper_init(&keeper);
        builder_init(&b);
        builder_mmap(&b, 1, getpid(), 0x1000, 0x1000, 0, "//anon");
        for (int32_t pid = STRANGER; pid < STRANGER + 70000; pid++) {
                builder_fork(&b, 1, pid, getpid(), pid, getpid(), 0);
                if (pid > STRANGER)
                        builder_comm(&b, 1, pid, pid, "other", true);
                see(&keeper, &b);
        }
        EXPECT_INT(keeper.users.n_items, 2);
        EXPECT_INT(keeper.users.items[0].pid, getpid());
        EXPECT_INT(keeper.users.items[1].pid, STRANGER);
        EXPECT_INT(keeper.users.items[1].user, geteuid());
        /* The first one is removed to make room; the last one is found. */
        builder_comm(&b, 1, getpid(), getpid(), "next", true);
        see(&keeper, &b);
        EXPECT_INT(keeper.users.n_items, 1);
        builder_fork(&b, 1, STRANGER + 1, STRANGER, STRANGER + 1, STRANGER, 0);
        builder_comm(&b, 1, STRANGER, STRANGER, "next", true);
        see(&keeper, &b);
        EXPECT_INT(keeper.users.n_items, 1);
        EXPECT_INT(keeper.users.items[0].pid, STRANGER + 1);
        builder_release(&b);
}

TAP_MAIN
