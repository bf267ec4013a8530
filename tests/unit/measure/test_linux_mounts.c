/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_mounts.h"

#include <unistd.h>

#include "os.h"
#include "os_left_out.h"
#include "tap.h"

TEST(served_file_systems_are_found)
{
        AUTO(linux_mounts)
        mounts = linux_mounts_parse("22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                                    "27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw\n"
                                    "90 27 0:45 /export /mnt/a\\040b\\134 rw - nfs4 server:/export rw,hard\n"
                                    "91 27 0:46 / /mnt/fuse rw,nosuid - fuse.sshfs host: rw\n"
                                    "92 27 8:1 / /mnt/ntfs rw - fuseblk /dev/sda1 rw\n"
                                    "93 27 0:47 / /mnt/fuse2 rw - fusectl x rw\n"
                                    "94 27 0:48 / /mnt/none rw\n"
                                    "95 27 0:49 / mnt rw - nfs x rw\n"
                                    "96 27 0:50 / /last rw - 9p x rw");

        ASSERT_CMP(mounts->n, ==, 4);
        EXPECT_STR(mounts->items[0].point, "/mnt/a b\\");
        EXPECT_TRUE(linux_mounts_find(mounts, 91) == &mounts->items[1]);
        EXPECT_STR(linux_mounts_find(mounts, 92)->point, "/mnt/ntfs");
        EXPECT_STR(linux_mounts_find(mounts, 96)->point, "/last");
        EXPECT_TRUE(!linux_mounts_find(mounts, 27));
}

TEST(those_of_a_process_that_does_not_exist)
{
        AUTO(linux_mounts) mounts = linux_mounts_new(INT32_MAX);
        const int32_t pids[] = {INT32_MAX, getpid(), getpid()};

        EXPECT_INT(mounts->n, 0);
        linux_mounts_watch(pids, N_ELEMENTS(pids));
        EXPECT_TRUE(!os_left_out(0));
}

/* These answer; tests/system/test_stalled.py has some that do not. */
TEST(folders_that_answer_are_not_left_out)
{
        struct os_stat file;

        os_add_served("/bin");
        os_add_served("/bin");
        os_add_served("/proc/1/root/no");
        EXPECT_TRUE(!os_is_left_out("/bin/sh") && !os_is_left_out("/bin") && !os_is_left_out("/binary"));
        EXPECT_TRUE(!os_is_left_out("/proc/1/root/no/file") && !os_is_left_out("/proc/1/cwd/file"));
        EXPECT_TRUE(!os_is_left_out("file") && !os_is_left_out(""));
        EXPECT_TRUE(os_stat("/bin/sh", &file));
        EXPECT_TRUE(!os_left_out(0));
}

TAP_MAIN
