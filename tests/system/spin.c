/* SPDX-License-Identifier: BSD-3-Clause */
/* spin MS [ignore-term] [unlink FILE]: burns CPU in `spin_here`.  Prints "ready" first, so that a recorder
 * can attach when it runs. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

static NOINLINE void spin_here(uint64_t ms)
{
        burn_ms(ms);
}

int main(int argc, char **argv)
{
        if (argc < 2)
                return 2;
        for (int i = 2; i < argc; i++) {
                if (!strcmp(argv[i], "ignore-term"))
                        signal(SIGTERM, SIG_IGN);
                else if (!strcmp(argv[i], "unlink") && i + 1 < argc && unlink(argv[++i]))
                        return 3;
        }
        puts("ready");
        fflush(stdout);
        spin_here(ms_of(argv[1]));
        return 0;
}
