/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares with this process's own mappings, read by a simple reader. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux_maps.h"
#include "tap.h"

enum { PAGE = 4096, N_PAGES = 3000 };

static bool find(uint64_t addr, struct linux_maps *maps, struct linux_map *ret)
{
        linux_maps_begin(maps, getpid());
        while (linux_maps_next(maps, ret)) {
                if (addr >= ret->start && addr < ret->end)
                        return true;
        }
        return false;
}

TEST(all_mappings_are_there)
{
        FILE *file = fopen("/proc/self/maps", "r");
        struct linux_maps maps;
        struct linux_map map;
        char line[8192];
        unsigned n = 0;

        ASSERT_TRUE(file);
        linux_maps_begin(&maps, getpid());
        while (fgets(line, sizeof(line), file)) {
                uint64_t start, end, off, inode;
                unsigned major, minor;
                char perms[5], path[4096] = "";

                ASSERT_CMP(sscanf(line,
                                  "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]",
                                  &start, &end, perms, &off, &major, &minor, &inode, path),
                           >=, 7);
                ASSERT_TRUE(linux_maps_next(&maps, &map));
                EXPECT_INT(map.start, start);
                EXPECT_INT(map.end, end);
                EXPECT_INT(map.file_off, off);
                EXPECT_INT(map.inode, inode);
                EXPECT_INT(map.dev_major, major);
                EXPECT_INT(map.dev_minor, minor);
                EXPECT_STR(map.path, path);
                EXPECT_INT(map.can_read, perms[0] == 'r');
                EXPECT_INT(map.can_write, perms[1] == 'w');
                EXPECT_INT(map.can_execute, perms[2] == 'x');
                EXPECT_INT(map.is_shared, perms[3] == 's');
                n++;
        }
        EXPECT_TRUE(n > 10 && !linux_maps_next(&maps, &map));
        linux_maps_end(&maps);
        fclose(file);
}

/* A path with newlines that takes 4 bytes for each. */
TEST(a_long_path_is_whole)
{
        char name[200], path[4096] = "/tmp", shown[16000] = "/tmp";
        struct linux_maps maps;
        struct linux_map map;
        void *at = MAP_FAILED;
        int fd, depth = 0;

        memset(name, '\n', sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        for (; strlen(path) < 3600; depth++) {
                snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s%d", name, (int)getpid());
                ASSERT_TRUE(!mkdir(path, 0700));
                strcat(shown, "/");
                for (size_t i = 0; name[i]; i++)
                        strcat(shown, "\\012");
                snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%d", (int)getpid());
        }
        strcat(path, "/f");
        strcat(shown, "/f");
        fd = open(path, O_RDWR | O_CREAT, 0600);
        if (fd >= 0 && !ftruncate(fd, PAGE))
                at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
        EXPECT_TRUE(at != MAP_FAILED && find((uintptr_t)at, &maps, &map) && !strcmp(map.path, shown) &&
                    map.is_shared);
        linux_maps_end(&maps);
        if (fd >= 0)
                close(fd);
        unlink(path);
        for (; depth--;) {
                *strrchr(path, '/') = '\0';
                rmdir(path);
        }
        munmap(at, PAGE);
}

TEST(what_is_not_asked_for_is_not_read)
{
        struct linux_maps maps;
        struct linux_map map, last;
        char *pages = mmap(NULL, N_PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        ASSERT_CMP(pages, !=, MAP_FAILED);
        for (size_t i = 0; i < N_PAGES; i += 2)
                mprotect(pages + i * PAGE, PAGE, PROT_NONE);
        linux_maps_begin(&maps, getpid());
        ASSERT_TRUE(linux_maps_next(&maps, &map));
        EXPECT_CMP(lseek(maps.fd, 0, SEEK_CUR), <=, (off_t)sizeof(maps.text));
        while (linux_maps_next(&maps, &last))
                ;
        EXPECT_CMP(lseek(maps.fd, 0, SEEK_CUR), >, N_PAGES * 40);
        linux_maps_end(&maps);
        munmap(pages, N_PAGES * PAGE);
}

TEST(nobody_has_no_mappings)
{
        struct linux_maps maps;
        struct linux_map map;

        linux_maps_begin(&maps, 0);
        EXPECT_TRUE(!linux_maps_next(&maps, &map));
        linux_maps_end(&maps);
}

TAP_MAIN
