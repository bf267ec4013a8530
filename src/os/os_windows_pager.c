/* SPDX-License-Identifier: BSD-3-Clause */
/* A pager at a console: cmd.exe runs it, as its value may have options. */
#include <stdio.h>

#include "os.h"

bool os_page(const char *pager, const void *bytes, size_t size)
{
        FILE *pipe = _popen(pager, "wb");

        if (!pipe)
                return false;
        fwrite(bytes, 1, size, pipe);
        /* 1 is cmd.exe's where there is no such program; 9009 a script's. */
        return !_pclose(pipe);
}
