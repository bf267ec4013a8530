/* SPDX-License-Identifier: BSD-3-Clause */
/* jitdumper FOLDER MS [again|gone|swap|ticks|map]: writes a loop into anonymous memory, describes it in
 * FOLDER/jit-PID.dump as a JIT compiler does, and runs it.
 *   again   the file also describes a function that was at the same address before
 *   gone    the file is removed before the program ends
 *   swap    two functions run by turns at one address, for MS milliseconds of CPU time in all; the time of
 *           each is printed
 *   ticks   the same as swap, but the times in the file are those of another clock
 *   map     the same as swap, but the functions are described only in /tmp/perf-PID.map */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

#if defined(__x86_64__)
/* dec rdi; jnz -5; ret */
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
/* Two loops, dec rdi; jnz -5 and sub rdi, 1; nop; jnz -7, each between push rbp; mov rbp, rsp and pop rbp. */
static const uint8_t long_code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
static const uint8_t short_code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xef,
                                     0x01, 0x90, 0x75, 0xf9, 0x5d, 0xc3};
#define MACHINE 62
#elif defined(__aarch64__)
/* subs x0, x0, #1; b.ne -4; ret */
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
/* Two loops, each between stp x29, x30, [sp, #-16]!; mov x29, sp and ldp x29, x30, [sp], #16: subs x0, x0,
 * #1; b.ne -4, and sub x0, x0, #1; nop; cbnz x0, -8. */
static const uint32_t long_code[] = {0xa9bf7bfd, 0x910003fd, 0xf1000400, 0x54ffffe1, 0xa8c17bfd, 0xd65f03c0};
static const uint32_t short_code[] = {0xa9bf7bfd, 0x910003fd, 0xd1000400, 0xd503201f,
                                      0xb5ffffc0, 0xa8c17bfd, 0xd65f03c0};
#define MACHINE 183
#else
#error "no machine code for this machine"
#endif

typedef void loop_fn(uint64_t n);

enum { TURNS = 6, SHORT_PARTS = 1, LONG_PARTS = 3 };

struct function {
        const char *name;
        const void *code;
        size_t size;
};

static const struct function short_one = {"short_turn", short_code, sizeof(short_code)};
static const struct function long_one = {"long_turn", long_code, sizeof(long_code)};

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

/* Opens the dump file and maps a page of it as executable: profilers find the file by this mapping. */
static FILE *open_dump(const char *folder, bool ticks, char path[512])
{
        struct header header = {0x4a695444,         1,        sizeof(header), MACHINE, 0,
                                (uint32_t)getpid(), now_ns(), ticks};
        FILE *dump;

        snprintf(path, 512, "%s/jit-%d.dump", folder, (int)getpid());
        dump = fopen(path, "w+");
        if (!dump || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
                return NULL;
        return fwrite(&header, sizeof(header), 1, dump) == 1 ? dump : NULL;
}

static int tell(FILE *dump, const void *at, const struct function *function)
{
        static uint64_t index;
        size_t name_size = strlen(function->name) + 1;
        struct load load = {
                .size = (uint32_t)(sizeof(load) + name_size + function->size),
                .time = now_ns(),
                .pid = (uint32_t)getpid(),
                .tid = (uint32_t)getpid(),
                .vma = (uintptr_t)at,
                .addr = (uintptr_t)at,
                .code_size = function->size,
                .index = index++,
        };

        return fwrite(&load, sizeof(load), 1, dump) != 1 || fwrite(function->name, name_size, 1, dump) != 1 ||
               fwrite(function->code, function->size, 1, dump) != 1 || fflush(dump);
}

static NOINLINE void run(const void *at, uint64_t ms)
{
        uint64_t end_ns = thread_cpu_ns() + ms * 1000000u;
        loop_fn *loop;

        memcpy(&loop, &at, sizeof(loop));
        while (thread_cpu_ns() < end_ns)
                loop(100000);
}

static int put(void *at, const struct function *function)
{
        if (mprotect(at, 4096, PROT_READ | PROT_WRITE))
                return 3;
        memset(at, 0, 4096);
        memcpy(at, function->code, function->size);
        __builtin___clear_cache(at, (char *)at + function->size);
        return mprotect(at, 4096, PROT_READ | PROT_EXEC) ? 3 : 0;
}

static int tell_map(FILE *map, const void *at, const struct function *function)
{
        return fprintf(map, "%" PRIxPTR " %zx %s\n", (uintptr_t)at, function->size, function->name) < 0 ||
               fflush(map);
}

static int take_turns(FILE *file, void *at, uint64_t ms, bool is_map)
{
        const struct function *const both[] = {&long_one, &short_one};
        const uint64_t parts[] = {LONG_PARTS, SHORT_PARTS};
        uint64_t taken_ns[2] = {0};

        for (unsigned turn = 0; turn < 2 * TURNS; turn++) {
                const struct function *function = both[turn % 2];
                uint64_t begin_ns = thread_cpu_ns();

                if (put(at, function) || (is_map ? tell_map(file, at, function) : tell(file, at, function)))
                        return 3;
                run(at, ms * parts[turn % 2] / (LONG_PARTS + SHORT_PARTS) / TURNS);
                taken_ns[turn % 2] += thread_cpu_ns() - begin_ns;
        }
        for (unsigned i = 0; i < 2; i++)
                printf("%s %" PRIu64 "\n", both[i]->name, taken_ns[i]);
        return fclose(file);
}

int main(int argc, char **argv)
{
        const struct function before = {"dumped_before", code, sizeof(code)};
        const struct function loop = {"dumped_loop", code, sizeof(code)};
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const char *how = argc > 3 ? argv[3] : "";
        bool has_ticks = !strcmp(how, "ticks"), is_map = !strcmp(how, "map");
        char path[512];
        FILE *file;

        if (argc < 3 || at == MAP_FAILED)
                return 2;
        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
        file = is_map ? fopen(path, "w") : open_dump(argv[1], has_ticks, path);
        if (!file || put(at, &loop))
                return 3;
        if (!strcmp(how, "swap") || has_ticks || is_map)
                return take_turns(file, at, ms_of(argv[2]), is_map);
        if (!strcmp(how, "again") && tell(file, at, &before))
                return 3;
        if (tell(file, at, &loop))
                return 3;
        run(at, ms_of(argv[2]));
        if (!strcmp(how, "gone"))
                unlink(path);
        return fclose(file);
}
