/* SPDX-License-Identifier: BSD-3-Clause */
/* The section: "WPEN", version u32, number of marks u32. Each mark: kind u8, offset u64, path with its
 * NUL. */
#include "end_marks.h"

#include <string.h>

#define MAGIC "WPEN"
enum { VERSION = 1, MAGIC_BYTES = 4, COUNT_AT = 8 };

void end_marks_open(struct buf *section)
{
        if (section->len)
                return;
        buf_add(section, MAGIC, MAGIC_BYTES);
        buf_add_u32(section, VERSION);
        buf_add_u32(section, 0);
}

bool end_marks_add(struct buf *section, const struct end_mark *mark)
{
        uint32_t n;

        end_marks_open(section);
        memcpy(&n, section->data + COUNT_AT, sizeof(n));
        if (n == END_MARKS_MAX)
                return false;
        n++;
        memcpy(section->data + COUNT_AT, &n, sizeof(n));
        buf_add_u8(section, (uint8_t)mark->kind);
        buf_add_u64(section, mark->offset);
        buf_add(section, mark->path, strlen(mark->path) + 1);
        return true;
}

bool end_marks_begin(struct cursor section, struct end_marks *ret)
{
        struct cursor c = section;
        const void *magic = cursor_bytes(&c, MAGIC_BYTES);
        uint32_t version = cursor_u32(&c), n = cursor_u32(&c);

        if (c.failed || memcmp(magic, MAGIC, MAGIC_BYTES) || version != VERSION || n > END_MARKS_MAX)
                return false;
        *ret = (struct end_marks){c, n};
        return true;
}

bool end_marks_next(struct end_marks *marks, struct end_mark *ret)
{
        struct end_mark mark;
        uint8_t kind;

        if (!marks->n_left)
                return false;
        marks->n_left--;
        kind = cursor_u8(&marks->at);
        mark.offset = cursor_u64(&marks->at);
        mark.path = cursor_str(&marks->at, NULL);
        if (!mark.path || kind >= END_MARK_N_KINDS) {
                marks->n_left = 0;
                return false;
        }
        mark.kind = (enum end_mark_kind)kind;
        *ret = mark;
        return true;
}
