/* SPDX-License-Identifier: BSD-3-Clause */
/* Path of the files in tests/data: WPERF_TEST_DATA, else the source folder of the build. */
#ifndef TEST_DATA_H
#define TEST_DATA_H

#include <stdio.h>
#include <stdlib.h>

/* The path of a file there; valid until the eighth call after this one. */
static inline const char *data_path(const char *name)
{
        static char paths[8][512];
        static unsigned n;
        const char *dir = getenv("WPERF_TEST_DATA");
        char *path = paths[n++ % 8];

        snprintf(path, sizeof(paths[0]), "%s/%s", dir ? dir : TEST_DATA, name);
        return path;
}

#endif
