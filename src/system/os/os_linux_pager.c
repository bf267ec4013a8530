/* SPDX-License-Identifier: BSD-3-Clause */
/* A pager on a terminal.  The shell runs it, because the value may contain options. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "os.h"

bool os_page(const char *pager, const void *bytes, size_t size)
{
        void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN), (*old_int)(int);
        FILE *pipe;
        int status;

        /* As in git: less shows short texts without waiting for a key, and keeps colours. */
        setenv("LESS", "FRX", 0);
        pipe = popen(pager, "w");
        if (!pipe) {
                signal(SIGPIPE, old_pipe);
                return false;
        }
        /* Ctrl-C is handled by the pager. */
        old_int = signal(SIGINT, SIG_IGN);
        fwrite(bytes, 1, size, pipe);
        status = pclose(pipe);
        signal(SIGINT, old_int);
        signal(SIGPIPE, old_pipe);
        /* 126 and 127 come from the shell: there is no such program. */
        return status >= 0 && status >> 8 != 126 && status >> 8 != 127;
}
