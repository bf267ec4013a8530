/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the sessions of tests/replay into the folder that is its argument.  Run by hand. */
#include <stdio.h>

#include "every_kind.h"

static int save(struct session_builder *b, const char *folder, const char *name)
{
        AUTO_RELEASE(buf) file = {0};
        char path[500];
        FILE *out;

        builder_file(b, &file);
        builder_release(b);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        out = fopen(path, "wb");
        if (out && fwrite(file.data, 1, file.len, out) == file.len && !fclose(out))
                return 0;
        perror(path);
        return 1;
}

int main(int argc, char **argv)
{
        struct session_builder b;

        builder_init(&b);
        every_kind_records(&b);
        every_kind_features(&b);
        return argc == 2 ? save(&b, argv[1], "every_kind.data") : 2;
}
