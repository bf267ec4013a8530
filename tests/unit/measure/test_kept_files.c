/* SPDX-License-Identifier: BSD-3-Clause */
/* How many descriptors of mapped files a recorder keeps open, and which. */
#include <fcntl.h>
#include <unistd.h>

#include "linux_internal.h"
#include "tap.h"
#include "world.h"

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

/* The highest descriptor shows the number: each open uses the lowest free one. */
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
        EXPECT_CMP(next_fd(), <=, before + 256 + 1);
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

static struct kept_file of_build(const char *path, uint64_t inode, uint32_t owner, uint8_t build)
{
        return (struct kept_file){
                .path = path, .inode = inode, .owner = owner, .build_id = {build}, .build_id_size = 20};
}

TEST(an_equal_file_stands_for_one_that_is_not_kept)
{
        const struct kept_file kept[] = {
                of_build("/bin/a", 1, 0, 1),       of_build("/tmp/a (deleted)", 2, 1000, 2),
                of_build("/tmp/b", 3, 1000, 2),    of_build("/tmp/forged", 4, 1000, 1),
                {.path = "/tmp/data", .inode = 5},
        };
        const size_t n = N_ELEMENTS(kept);
        const struct module a = {.inode = 1, .build_id = {1}, .build_id_size = 20};
        const struct module b = {.inode = 9, .build_id = {2}, .build_id_size = 20};
        const struct module other = {.inode = 9, .build_id = {3}, .build_id_size = 20};
        const struct module without = {.inode = 5};

        EXPECT_CMP(kept_file_find(kept, n, &a, "/bin/a"), ==, &kept[0]);
        EXPECT_CMP(kept_file_find(kept, n, &b, "/tmp/a"), ==, &kept[1]);
        EXPECT_CMP(kept_file_find(kept, n, &b, "/tmp/copy"), ==, &kept[2]);
        EXPECT_CMP(kept_file_find(kept, n, &without, "/tmp/data"), ==, &kept[4]);
        EXPECT_TRUE(!kept_file_find(kept, n, &without, "/tmp/copy"));
        EXPECT_TRUE(!kept_file_find(kept, n, &other, "/bin/a"));
        EXPECT_TRUE(!kept_file_find(kept, 0, &a, "/bin/a"));
        /* Two users say that theirs is this build. */
        EXPECT_TRUE(!kept_file_find(kept, n, &a, "/bin/copy"));
        EXPECT_CMP(kept_file_find(kept, 3, &a, "/bin/copy"), ==, &kept[0]);
}

TEST(a_file_of_another_user_is_not_equal)
{
        struct kept_files files = {0};
        struct kept_file kept = of_build("/tmp/a", 1, 1000, 1);

        kept.size_bytes = 100;
        kept.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        kept_files_add(&files, &kept, KEPT_IN_PLACE);
        kept.path = "/tmp/b";
        EXPECT_TRUE(kept_files_has_equal(&files, &kept));
        kept.owner = 0;
        EXPECT_TRUE(!kept_files_has_equal(&files, &kept));
        kept.owner = 1000;
        kept.size_bytes = 99;
        EXPECT_TRUE(!kept_files_has_equal(&files, &kept));
        kept.size_bytes = 100;
        kept.build_id_size = 0;
        EXPECT_TRUE(!kept_files_has_equal(&files, &kept));
        kept_files_release(&files);
}

TEST(paths_of_equal_files_are_known_without_descriptors)
{
        struct kept_files files = {0};
        int before = next_fd();

        for (unsigned i = 0; i < 20000; i++) {
                char path[32];
                struct kept_file copy = of_build(path, i, 1000, 1);

                snprintf(path, sizeof(path), "/tmp/file%u", i);
                kept_files_add_copy(&files, &copy);
        }
        EXPECT_INT(files.n, 0);
        EXPECT_INT(files.n_copies, 16384);
        EXPECT_STR(files.copies[16383].path, "/tmp/file16383");
        EXPECT_INT(files.copies[16383].fd, -1);
        EXPECT_INT(next_fd(), before);
        kept_files_release(&files);
}

TAP_MAIN
