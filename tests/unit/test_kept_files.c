/* SPDX-License-Identifier: BSD-3-Clause */
/* How many descriptors of mapped files a recorder holds, and which. */
#include <fcntl.h>
#include <unistd.h>

#include "linux_internal.h"
#include "tap.h"

static void add(struct kept_files *files, unsigned number, enum kept_class class)
{
        char path[32];
        struct kept_file kept = {
                .path = path, .inode = number, .fd = open("/dev/null", O_RDONLY | O_CLOEXEC)};

        snprintf(path, sizeof(path), "/tmp/file%u", number);
        kept_files_add(files, &kept, class);
}

static bool has(const struct kept_files *files, unsigned number)
{
        char path[32];

        snprintf(path, sizeof(path), "/tmp/file%u", number);
        for (size_t i = 0; i < files->n; i++) {
                if (files->items[i].inode == number && !strcmp(files->items[i].path, path))
                        return fcntl(files->items[i].fd, F_GETFD) >= 0;
        }
        return false;
}

/* The highest descriptor tells: each open takes the lowest that is free. */
static int next_fd(void)
{
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        close(fd);
        return fd;
}

TEST(the_first_and_the_newest_are_kept)
{
        struct kept_files files = {0};
        int before = next_fd();

        for (unsigned i = 0; i < 10000; i++) {
                const struct kept_file *oldest = kept_files_oldest(&files, KEPT_IN_PLACE);

                if ((i < 256) != !oldest)
                        EXPECT_INT(i, -1);
                if (oldest && oldest->inode != i - 128)
                        EXPECT_INT(oldest->inode, i - 128);
                add(&files, i, KEPT_IN_PLACE);
        }
        EXPECT_INT(files.n, 256);
        EXPECT_TRUE(next_fd() <= before + 256 + 1);
        EXPECT_TRUE(has(&files, 0) && has(&files, 127) && !has(&files, 128) && !has(&files, 9871));
        EXPECT_TRUE(has(&files, 9872) && has(&files, 9999));
        kept_files_release(&files);
        EXPECT_INT(next_fd(), before);
}

TEST(files_in_place_do_not_displace_those_out_of_reach)
{
        struct kept_files files = {0};

        for (unsigned i = 0; i < 100; i++)
                add(&files, i, KEPT_OUT_OF_REACH);
        for (unsigned i = 1000; i < 2000; i++)
                add(&files, i, KEPT_IN_PLACE);
        EXPECT_TRUE(!kept_files_oldest(&files, KEPT_OUT_OF_REACH));
        EXPECT_TRUE(has(&files, 0) && has(&files, 99) && has(&files, 1999));
        EXPECT_INT(files.n, 356);
        kept_files_release(&files);
}

TAP_MAIN
