/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_label.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

const char *python_label_file(const char *path)
{
        const char *base = text_base_name(path), *folder;

        if (base == path || (strcmp(base, "__init__.py") != 0 && strcmp(base, "__main__.py") != 0))
                return base;
        for (folder = base - 1; folder > path && folder[-1] != '/' && folder[-1] != '\\'; folder--)
                ;
        return folder < base - 1 ? folder : base;
}

void python_label_add(struct buf *out, const char *function, const char *path, uint32_t line)
{
        buf_printf(out, "%s [%s", *function ? function : "?", *path ? python_label_file(path) : "?");
        if (line)
                buf_printf(out, ":%" PRIu32, line);
        buf_add_char(out, ']');
}
