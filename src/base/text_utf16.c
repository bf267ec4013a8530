/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_utf16.h"

enum { LEAD = 0xd800, TRAIL = 0xdc00, END = 0xe000, REPLACEMENT = 0xfffd };

static void add_code_point(uint32_t code, struct buf *out)
{
        if (code < 0x80) {
                buf_add_char(out, (char)code);
        } else if (code < 0x800) {
                buf_add_char(out, (char)(0xc0 | code >> 6));
                buf_add_char(out, (char)(0x80 | (code & 0x3f)));
        } else if (code < 0x10000) {
                buf_add_char(out, (char)(0xe0 | code >> 12));
                buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (code & 0x3f)));
        } else {
                buf_add_char(out, (char)(0xf0 | code >> 18));
                buf_add_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
                buf_add_char(out, (char)(0x80 | (code & 0x3f)));
        }
}

/* The second half of a pair, if it follows; else nothing is taken. */
static uint32_t take_pair(struct cursor *c, uint32_t lead)
{
        struct cursor ahead = *c;
        uint32_t trail = cursor_u16(&ahead);

        if (ahead.failed || trail < TRAIL || trail >= END)
                return REPLACEMENT;
        *c = ahead;
        return 0x10000 + ((lead - LEAD) << 10) + (trail - TRAIL);
}

bool text_add_utf16(struct cursor *c, struct buf *out)
{
        while (cursor_left(c) >= sizeof(uint16_t)) {
                uint32_t unit = cursor_u16(c);

                if (!unit)
                        return true;
                if (unit >= TRAIL && unit < END)
                        unit = REPLACEMENT;
                else if (unit >= LEAD && unit < TRAIL)
                        unit = take_pair(c, unit);
                add_code_point(unit, out);
        }
        cursor_skip(c, cursor_left(c));
        return false;
}
