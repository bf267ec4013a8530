/* SPDX-License-Identifier: BSD-3-Clause */
/* plt_calls MS: two functions that call short functions of the C library through the procedure linkage
 * table, in turn, for MS milliseconds of CPU time.  Built without frame pointers, and linked so that the
 * table has no call-frame information. */
#include <string.h>

#include "burn.h"

static volatile int sink;
static char text[64];

NOINLINE static void left(int n)
{
        for (int i = 0; i < n; i++)
                sink += abs(i) + (int)strlen(text);
        sink++;
}

NOINLINE static void right(int n)
{
        for (int i = 0; i < n; i++)
                sink += abs(i);
        sink++;
}

int main(int argc, char **argv)
{
        uint64_t end_ns;

        if (argc != 2)
                return 2;
        end_ns = thread_cpu_ns() + ms_of(argv[1]) * 1000000u;
        while (thread_cpu_ns() < end_ns) {
                left(100000);
                right(100000);
        }
        return 0;
}
