/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_recorded_symbols into a folder: the sections that the unit test reads. */
#include <stdio.h>
#include <stdlib.h>

#include "os.h"
#include "recorded_builder.h"

static void save(const char *folder, const char *name, void (*build)(struct buf *out))
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(os_file) file = NULL;

        build(&bytes);
        buf_printf(&path, "%s/%s", folder, name);
        file = os_file_create(buf_text(&path), NULL);
        if (!file || !os_file_write(file, bytes.data, bytes.len, NULL))
                exit(1);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        save(argv[1], "simpleperf_file", build_simpleperf_file);
        save(argv[1], "simpleperf_file2", build_simpleperf_file2);
        save(argv[1], "hiperf_symbols", build_hiperf_symbols);
        return 0;
}
