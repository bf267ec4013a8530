/* SPDX-License-Identifier: BSD-3-Clause */
#include "note.h"

#include <string.h>

void note_add_error(struct buf *note, const struct err *err, const char *path)
{
        size_t len = strlen(path);
        bool has_path = !strncmp(err->text, path, len) && !strncmp(err->text + len, ": ", 2);

        if (err->code == ERR_MISSING)
                buf_add_str(note, "no such file");
        else
                buf_add_str(note, has_path ? err->text + len + 2 : err->text);
}
