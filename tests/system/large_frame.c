/* SPDX-License-Identifier: BSD-3-Clause */
/* large_frame MS: burns CPU time below a function with 200 KB of local variables. */
#include <string.h>

#include "burn.h"

static volatile char seen;

NOINLINE static void with_large_frame(const char *ms)
{
        char block[200000];

        memset(block, *ms, sizeof(block));
        burn_ms(ms_of(ms));
        seen = block[ms_of(ms) % sizeof(block)];
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        with_large_frame(argv[1]);
        return 0;
}
