/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a seed to a file; ends the program if this fails. */
#ifndef SAVE_SEED_H
#define SAVE_SEED_H

#include <stdio.h>
#include <stdlib.h>

#include "buf.h"

/* Writes the bytes to a file, and empties the buffer. */
static inline void save_seed(const char *folder, const char *name, struct buf *bytes)
{
        AUTO_RELEASE(buf) path = {0};
        FILE *out;

        buf_printf(&path, "%s/%s", folder, name);
        out = fopen(buf_text(&path), "wb");
        if (!out || fwrite(buf_text(bytes), 1, bytes->len, out) != bytes->len || fclose(out)) {
                perror(buf_text(&path));
                exit(1);
        }
        buf_release(bytes);
}

#endif
