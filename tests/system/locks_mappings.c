/* SPDX-License-Identifier: BSD-3-Clause */
/* locks_mappings PATH: keeps the lock of its mappings. PATH is a file of stalled_fs, which hangs when this
 * program has read a line: then a thread reads the file, which locks a page of the cache for as long as the
 * server does not answer, and another one maps the file without the cache, for which the kernel empties the
 * cache, with the mappings locked. Says "ready", and "locked" when both threads wait.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_OFF = 1 << 18, MAPPED_BYTES = 1 << 19 };

static int cached, uncached;
static atomic_int tid;

static void *read_page(void *arg)
{
        char byte;

        tid = (int)syscall(SYS_gettid);
        if (pread(cached, &byte, 1, PAGE_OFF) < 0)
                perror("pread");
        return arg;
}

static void *map_file(void *arg)
{
        tid = (int)syscall(SYS_gettid);
        mmap(NULL, MAPPED_BYTES, PROT_READ, MAP_PRIVATE, uncached, 0);
        return arg;
}

/* Until the kernel function in which the thread waits has this in its name. */
static void await_function(const char *part)
{
        char path[64], name[64];
        FILE *file;

        do {
                usleep(1000);
                snprintf(path, sizeof(path), "/proc/self/task/%d/wchan", tid);
                name[0] = '\0';
                file = fopen(path, "r");
                if (file && !fgets(name, sizeof(name), file))
                        name[0] = '\0';
                if (file)
                        fclose(file);
        } while (!strstr(name, part));
}

static void begin(void *(*run)(void *), const char *part)
{
        pthread_t thread;

        tid = 0;
        if (pthread_create(&thread, NULL, run, NULL))
                exit(1);
        while (!tid)
                usleep(1000);
        await_function(part);
}

int main(int argc, char **argv)
{
        cached = argc > 1 ? open(argv[1], O_RDONLY) : -1;
        uncached = argc > 1 ? open(argv[1], O_RDONLY | O_NONBLOCK) : -1;
        if (cached < 0 || uncached < 0) {
                perror("locks_mappings");
                return 1;
        }
        puts("ready");
        fflush(stdout);
        getchar();
        begin(read_page, "request");
        begin(map_file, "folio");
        puts("locked");
        fflush(stdout);
        for (;;)
                pause();
}
