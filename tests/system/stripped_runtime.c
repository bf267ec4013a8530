/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with the section of CPython's state, but without symbols; works for so many milliseconds of CPU
 * time. */
#include <stdlib.h>
#include <time.h>

__attribute__((section(".PyRuntime"), used)) static char state[4096];

int main(int argc, char **argv)
{
        struct timespec now;
        long ms = argc > 1 ? atol(argv[1]) : 0;
        volatile unsigned work = 0;

        do {
                for (int i = 0; i < 1000; i++)
                        work = work * 31 + (unsigned)state[i];
                clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
        return 0;
}
