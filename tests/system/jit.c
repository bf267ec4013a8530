/* SPDX-License-Identifier: BSD-3-Clause */
/* jit MS [nameless|memfd]: generates a loop in anonymous memory, as a JIT compiler does, names it in
 * /tmp/perf-PID.map, and runs it. With memfd the memory is a file's, which is mapped twice, as by .NET. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

#if defined(__x86_64__)
/* dec rdi; jnz -5; ret */
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
/* subs x0, x0, #1; b.ne -4; ret */
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#else
#error "no machine code for this machine"
#endif

typedef void loop_fn(uint64_t n);

static int name_it(const void *at)
{
        char path[64];
        FILE *map;

        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
        map = fopen(path, "w");
        if (!map)
                return 1;
        fprintf(map, "%" PRIxPTR " %zx jit_hot_loop\n", (uintptr_t)at, sizeof(code));
        return fclose(map);
}

static void *put_anonymous(void)
{
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (at == MAP_FAILED)
                return NULL;
        memcpy(at, code, sizeof(code));
        return mprotect(at, 4096, PROT_READ | PROT_EXEC) ? NULL : at;
}

static void *put_in_file(void)
{
        int fd = memfd_create("doublemapper", 0);
        void *writes, *at;

        if (fd < 0 || ftruncate(fd, 8192))
                return NULL;
        writes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
        at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 4096);
        if (writes == MAP_FAILED || at == MAP_FAILED)
                return NULL;
        memcpy(writes, code, sizeof(code));
        return at;
}

int main(int argc, char **argv)
{
        const char *way = argc > 2 ? argv[2] : "";
        void *at = !strcmp(way, "memfd") ? put_in_file() : put_anonymous();
        uint64_t end_ns;
        loop_fn *loop;

        if (argc < 2 || !at)
                return 2;
        __builtin___clear_cache(at, (char *)at + sizeof(code));
        if (strcmp(way, "nameless") && name_it(at))
                return 3;
        memcpy(&loop, &at, sizeof(loop));
        end_ns = thread_cpu_ns() + ms_of(argv[1]) * 1000000u;
        while (thread_cpu_ns() < end_ns)
                loop(100000);
        return 0;
}
