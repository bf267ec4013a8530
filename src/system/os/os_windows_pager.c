/* SPDX-License-Identifier: BSD-3-Clause */
/* A pager on a console.  cmd.exe runs it, because the value may contain options. */
#include <stdio.h>

#include "os.h"

bool os_page(const char *pager, const void *bytes, size_t size)
{
        FILE *pipe = _popen(pager, "wb");

        if (!pipe)
                return false;
        fwrite(bytes, 1, size, pipe);
        /* cmd.exe returns 1 if there is no such program, and 9009 in a script. */
        return !_pclose(pipe);
}
