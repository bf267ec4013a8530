/* SPDX-License-Identifier: BSD-3-Clause */
/* calls vdso MS: reads the time in a loop.  calls kernel MS: makes system calls in a loop. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static NOINLINE void ask_vdso(void)
{
        struct timespec now;

        for (int i = 0; i < 10000; i++)
                clock_gettime(CLOCK_MONOTONIC, &now);
}

static NOINLINE void ask_kernel(void)
{
        for (int i = 0; i < 2000; i++)
                syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
        uint64_t end_ns;

        if (argc != 3)
                return 2;
        end_ns = thread_cpu_ns() + ms_of(argv[2]) * 1000000u;
        while (thread_cpu_ns() < end_ns) {
                if (!strcmp(argv[1], "vdso"))
                        ask_vdso();
                else
                        ask_kernel();
        }
        return 0;
}
