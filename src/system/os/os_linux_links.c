/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbolic links on Linux. */
#include <stdlib.h>
#include <unistd.h>

#include "os.h"

bool os_real_path(const char *path, struct buf *out)
{
        char *real = realpath(path, NULL);

        if (!real)
                return false;
        buf_add_str(out, real);
        free(real);
        return true;
}

bool os_read_link(const char *path, struct buf *out)
{
        char target[4096];
        ssize_t n = readlink(path, target, sizeof(target));

        if (n < 0 || (size_t)n == sizeof(target))
                return false;
        buf_add(out, target, (size_t)n);
        return true;
}
