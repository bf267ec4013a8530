/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_lines.h"

#include <inttypes.h>
#include <string.h>

enum { MAGIC_BYTES = 4 };

void session_lines_begin(struct buf *out, const char magic[4], uint32_t version)
{
        buf_add(out, magic, MAGIC_BYTES);
        buf_add_u32(out, version);
}

void session_lines_add(struct buf *out, const char *key, const char *value)
{
        buf_printf(out, "%s=", key);
        for (; *value; value++)
                buf_add_char(out, *value == '\n' ? ' ' : *value);
        buf_add_char(out, '\n');
}

void session_lines_add_number(struct buf *out, const char *key, uint64_t value)
{
        buf_printf(out, "%s=%" PRIu64 "\n", key, value);
}

bool session_lines_read(struct cursor section, const char magic[4], uint32_t version, struct buf *text)
{
        const char *found = cursor_bytes(&section, MAGIC_BYTES);

        if (!found || memcmp(found, magic, MAGIC_BYTES) || cursor_u32(&section) != version || section.failed)
                return false;
        buf_add(text, section.at, cursor_left(&section));
        return true;
}

bool session_lines_next(char **at, const char **ret_key, const char **ret_value)
{
        while (*at && **at) {
                char *line = *at, *value = line + strcspn(line, "=\n"), *end = line + strcspn(line, "\n");

                *at = end + (*end == '\n');
                *end = '\0';
                if (value == end)
                        continue;
                *value = '\0';
                *ret_key = line;
                *ret_value = value + 1;
                return true;
        }
        return false;
}
