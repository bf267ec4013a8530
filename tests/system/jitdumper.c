/* SPDX-License-Identifier: BSD-3-Clause */
/* jitdumper FOLDER MS [again|gone]: makes a loop in anonymous memory, tells of it in FOLDER/jit-PID.dump as a JIT compiler
 * does, and runs it.  `again`: the memory had another function before that was told of, too; `gone`: the file is removed
 * before the end. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

#if defined(__x86_64__)
/* dec rdi; jnz -5; ret */
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#define MACHINE 62
#elif defined(__aarch64__)
/* subs x0, x0, #1; b.ne -4; ret */
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#define MACHINE 183
#else
#error "no machine code for this machine"
#endif

typedef void loop_fn(uint64_t n);

struct header {
        uint32_t magic, version, size, machine, pad, pid;
        uint64_t time, flags;
};

struct load {
        uint32_t id, size;
        uint64_t time;
        uint32_t pid, tid;
        uint64_t vma, addr, code_size, index;
};

static uint64_t now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The file, with the page mapped that a profiler sees. */
static FILE *open_dump(const char *folder, char path[512])
{
        struct header header = {0x4a695444, 1, sizeof(header), MACHINE, 0, (uint32_t)getpid(), now_ns(), 0};
        FILE *dump;

        snprintf(path, 512, "%s/jit-%d.dump", folder, (int)getpid());
        dump = fopen(path, "w+");
        if (!dump || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
                return NULL;
        return fwrite(&header, sizeof(header), 1, dump) == 1 ? dump : NULL;
}

static int tell(FILE *dump, const void *at, const char *name)
{
        static uint64_t index;
        size_t name_size = strlen(name) + 1;
        struct load load = {
                .size = (uint32_t)(sizeof(load) + name_size + sizeof(code)),
                .time = now_ns(),
                .pid = (uint32_t)getpid(),
                .tid = (uint32_t)getpid(),
                .vma = (uintptr_t)at,
                .addr = (uintptr_t)at,
                .code_size = sizeof(code),
                .index = index++,
        };

        return fwrite(&load, sizeof(load), 1, dump) != 1 || fwrite(name, name_size, 1, dump) != 1 ||
               fwrite(at, sizeof(code), 1, dump) != 1 || fflush(dump);
}

int main(int argc, char **argv)
{
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const char *how = argc > 3 ? argv[3] : "";
        char path[512];
        uint64_t end_ns;
        loop_fn *loop;
        FILE *dump;

        if (argc < 3 || at == MAP_FAILED)
                return 2;
        memcpy(at, code, sizeof(code));
        __builtin___clear_cache(at, (char *)at + sizeof(code));
        dump = open_dump(argv[1], path);
        if (!dump || mprotect(at, 4096, PROT_READ | PROT_EXEC))
                return 3;
        if (!strcmp(how, "again") && tell(dump, at, "dumped_before"))
                return 3;
        if (tell(dump, at, "dumped_loop"))
                return 3;
        memcpy(&loop, &at, sizeof(loop));
        end_ns = thread_cpu_ns() + ms_of(argv[2]) * 1000000u;
        while (thread_cpu_ns() < end_ns)
                loop(100000);
        if (!strcmp(how, "gone"))
                unlink(path);
        return fclose(dump);
}
