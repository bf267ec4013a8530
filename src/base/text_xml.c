/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_xml.h"

#include <string.h>

void text_replace_noncharacters(struct buf *out, size_t from)
{
        for (size_t i = from; i + 3 <= out->len; i++) {
                if (!memcmp(out->data + i, "\xef\xbf", 2) && (unsigned char)out->data[i + 2] >= 0xbe)
                        out->data[i + 2] = '\xbd';
        }
}

void text_add_xml(struct buf *out, const char *text, size_t len)
{
        size_t from = out->len;

        for (size_t i = 0; i < len; i++) {
                switch (text[i]) {
                case '<': buf_add_str(out, "&lt;"); break;
                case '>': buf_add_str(out, "&gt;"); break;
                case '&': buf_add_str(out, "&amp;"); break;
                case '"': buf_add_str(out, "&quot;"); break;
                default: buf_add_char(out, text[i]); break;
                }
        }
        text_replace_noncharacters(out, from);
}
