/* SPDX-License-Identifier: BSD-3-Clause */
/* copied_code MS: copies a part of its code into anonymous memory at the same addresses, as programs do
 * that want huge pages for their code, and runs it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

enum { PAGE = 4096 };

#define COPIED __attribute__((noinline, section("copied"), aligned(PAGE)))

extern char __start_copied[], __stop_copied[];

static volatile uint64_t sum;

COPIED static void copied_inner(uint64_t n)
{
        for (uint64_t i = 0; i < n; i++)
                sum += i * 7;
}

COPIED static void copied_outer(uint64_t n)
{
        for (int i = 0; i < 10; i++)
                copied_inner(n / 10);
        sum++;
}

static int copy_code(void)
{
        size_t size = ((size_t)(__stop_copied - __start_copied) + PAGE - 1) / PAGE * PAGE;
        char *copy = malloc(size);

        if (!copy)
                return 1;
        memcpy(copy, __start_copied, size);
        if (mmap(__start_copied, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != __start_copied)
                return 1;
        memcpy(__start_copied, copy, size);
        __builtin___clear_cache(__start_copied, __start_copied + size);
        free(copy);
        return mprotect(__start_copied, size, PROT_READ | PROT_EXEC);
}

int main(int argc, char **argv)
{
        uint64_t end_ns;

        if (argc != 2 || copy_code())
                return 2;
        end_ns = thread_cpu_ns() + ms_of(argv[1]) * 1000000u;
        while (thread_cpu_ns() < end_ns)
                copied_outer(1000000);
        return 0;
}
