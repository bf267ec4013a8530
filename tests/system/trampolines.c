/* SPDX-License-Identifier: BSD-3-Clause */
/* trampolines MS DEPTH FOLDER map|dump: calls through code in memory without a file, made as CPython makes
 * its trampolines for profilers, DEPTH times, then burns.  map: CPython's own code, named in
 * /tmp/perf-PID.map.  dump: other code (with another frame size), with its unwinding information in
 * FOLDER/jit-PID.dump.  No frame pointers. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

#if defined(__x86_64__)
/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const uint8_t python[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3};
/* sub $24, %rsp; call *%rcx; add $24, %rsp; ret */
static const uint8_t other[] = {0x48, 0x83, 0xec, 24, 0xff, 0xd1, 0x48, 0x83, 0xc4, 24, 0xc3};
#define MACHINE 62
/* A CIE, an FDE that begins 48 bytes before its own 32nd byte, and a header that is not used. */
static const uint8_t frames[] =
        "\x14\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0"
        "\x14\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x0b\0\0\0\0\x44\x0e\x20\x46\x0e\x08\0\0\0\0\0\0\0\0\0\0\0\0\0";
#elif defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; ret */
static const uint32_t python[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0060, 0xa8c17bfd, 0xd65f03c0};
#define other   python
#define frames  python
#define MACHINE 183
#else
#error "no machine code for this machine"
#endif

enum { HDR_BYTES = 8 };

typedef int evaluator_fn(int depth, int ms, int unused);
typedef int trampoline_fn(int depth, int ms, int unused, evaluator_fn *evaluator);

static trampoline_fn *trampoline;
static volatile int sink;

NOINLINE static int evaluate(int depth, int ms, int unused)
{
        int got = 0;

        if (depth)
                got = trampoline(depth - 1, ms, unused, evaluate);
        else
                burn_ms((uint64_t)ms);
        return got + sink; /* prevents a tail call */
}

/* One record of a jitdump. */
static void put(FILE *dump, uint32_t id, const uint64_t *numbers, size_t n, const void *text,
                size_t text_size, const void *code, size_t code_size)
{
        const uint32_t head[] = {id, (uint32_t)(16 + 8 * n + text_size + code_size)};
        const uint64_t time = 1;

        fwrite(head, sizeof(head), 1, dump);
        fwrite(&time, sizeof(time), 1, dump);
        fwrite(numbers, 8, n, dump);
        fwrite(text, text_size, 1, dump);
        fwrite(code, code_size, 1, dump);
}

static int write_dump(const char *folder, const void *at)
{
        const uint64_t pid = (uint64_t)getpid(), addr = (uintptr_t)at;
        const uint64_t header[] = {0x14a695444, 40 | (uint64_t)MACHINE << 32, pid << 32, 1, 0};
        const uint64_t unwinding[] = {sizeof(frames) - 1, HDR_BYTES, 0};
        const uint64_t load[] = {pid | pid << 32, addr, addr, sizeof(other), 1};
        char path[512];
        FILE *dump;

        snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)pid);
        dump = fopen(path, "w+");
        if (!dump || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
                return 3;
        fwrite(header, sizeof(header), 1, dump);
        put(dump, 4, unwinding, 3, frames, sizeof(frames) - 1, "", 0);
        put(dump, 0, load, 5, "trampoline", 11, other, sizeof(other));
        return fclose(dump);
}

static int write_map(const void *at)
{
        char path[64];
        FILE *map;

        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
        map = fopen(path, "w");
        if (!map)
                return 3;
        fprintf(map, "%lx %zx py::trampoline\n", (unsigned long)(uintptr_t)at, sizeof(python));
        return fclose(map);
}

int main(int argc, char **argv)
{
        void *at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int is_dump = argc == 5 && !strcmp(argv[4], "dump");

        if (argc != 5 || at == MAP_FAILED)
                return 2;
        memcpy(at, is_dump ? (const void *)other : (const void *)python,
               is_dump ? sizeof(other) : sizeof(python));
        __builtin___clear_cache(at, (char *)at + sizeof(python));
        if (mprotect(at, 65536, PROT_READ | PROT_EXEC) || (is_dump ? write_dump(argv[3], at) : write_map(at)))
                return 3;
        memcpy(&trampoline, &at, sizeof(trampoline));
        return evaluate((int)ms_of(argv[2]), (int)ms_of(argv[1]), 0) + sink;
}
