/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks lines at blanks; breaks a word only if it is longer than a line. */
#include "manual_view.h"

#include <string.h>

#include "buf.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"

enum { INDENT = 4, ROOM = MANUAL_VIEW_COLUMNS - INDENT };

/* The number of bytes of `text` that fit into `room` columns. */
static size_t fitting(const char *text, size_t len, size_t room)
{
        AUTO_RELEASE(buf) part = {0};
        size_t n = 0;

        while (n < len) {
                size_t step = text_utf8_length((const unsigned char *)text + n);

                step = step ? step : 1;
                buf_add(&part, text + n, step);
                if (text_width(part.data) > room)
                        break;
                n += step;
        }
        return n;
}

static size_t width_of(const char *text, size_t len)
{
        AUTO_RELEASE(buf) part = {0};

        buf_add(&part, text, len);
        return text_width(buf_text(&part));
}

static void begin_line(struct buf *out)
{
        buf_add_str(out, "\n    ");
}

void manual_view_add(const char *field, const char *text, struct buf *out)
{
        AUTO_RELEASE(buf) shown = {0};
        size_t column = 0;
        const char *at;

        text_add_printable(&shown, text);
        if (!strcmp(field, "CPU") && out->len)
                buf_add_char(out, '\n');
        buf_add_str(out, field);
        begin_line(out);
        at = buf_text(&shown) + strspn(buf_text(&shown), " ");
        while (*at) {
                size_t len = strcspn(at, " "), width = width_of(at, len);

                if (column && column + 1 + width > ROOM) {
                        begin_line(out);
                        column = 0;
                }
                if (width > ROOM) {
                        len = fitting(at, len, ROOM);
                        width = width_of(at, len);
                }
                if (column)
                        buf_add_char(out, ' ');
                buf_add(out, at, len);
                column += width + (column > 0);
                at += len;
                if (*at && *at != ' ') {
                        begin_line(out);
                        column = 0;
                }
                at += strspn(at, " ");
        }
        buf_add_char(out, '\n');
}
