/* SPDX-License-Identifier: BSD-3-Clause */
/* many forks N: starts N children, one after the other; each does a little work in `child_work`.
 * many maps N: maps N different files as executable, and does a little work in `map_work` after each.
 * many stay N: the same, then prints "ready" and works until it is ended.
 * many storm MS: maps and unmaps one file as often as it can, for MS milliseconds. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { PAGE = 4096 };

static NOINLINE void child_work(void)
{
        for (volatile unsigned i = 0; i < 100000; i++)
                ;
}

static NOINLINE void map_work(void)
{
        for (volatile unsigned i = 0; i < 20000; i++)
                ;
}

static int make_forks(uint64_t n)
{
        for (uint64_t i = 0; i < n; i++) {
                pid_t child = fork();

                if (child < 0)
                        return 1;
                if (child == 0) {
                        child_work();
                        _exit(0);
                }
                waitpid(child, NULL, 0);
        }
        return 0;
}

static void *map_file(const char *name)
{
        int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
        void *at = MAP_FAILED;

        if (fd >= 0 && !ftruncate(fd, PAGE))
                at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        if (fd >= 0)
                close(fd);
        return at;
}

static int make_maps(uint64_t n)
{
        for (uint64_t i = 0; i < n; i++) {
                char name[32];

                snprintf(name, sizeof(name), "mapped-%u", (unsigned)i);
                if (map_file(name) == MAP_FAILED)
                        return 1;
                map_work();
        }
        return 0;
}

static int stay(uint64_t n)
{
        if (make_maps(n))
                return 1;
        puts("ready");
        fflush(stdout);
        for (;;)
                map_work();
}

static int make_storm(uint64_t ms)
{
        uint64_t end_ns = thread_cpu_ns() + ms * 1000000u;

        while (thread_cpu_ns() < end_ns) {
                void *at = map_file("storm");

                if (at == MAP_FAILED)
                        return 1;
                munmap(at, PAGE);
        }
        return 0;
}

int main(int argc, char **argv)
{
        if (argc == 3 && !strcmp(argv[1], "forks"))
                return make_forks(ms_of(argv[2]));
        if (argc == 3 && !strcmp(argv[1], "maps"))
                return make_maps(ms_of(argv[2]));
        if (argc == 3 && !strcmp(argv[1], "stay"))
                return stay(ms_of(argv[2]));
        if (argc == 3 && !strcmp(argv[1], "storm"))
                return make_storm(ms_of(argv[2]));
        return 2;
}
