/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorder remembers of the processes that make code, however many there are. */
#include <unistd.h>

#include "linux_internal.h"
#include "session_builder.h"
#include "tap.h"

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
        /* The first one makes room; the last is found in its place. */
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
