/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_xml.h"

void text_add_xml(struct buf *out, const char *text, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                switch (text[i]) {
                case '<': buf_add_str(out, "&lt;"); break;
                case '>': buf_add_str(out, "&gt;"); break;
                case '&': buf_add_str(out, "&amp;"); break;
                case '"': buf_add_str(out, "&quot;"); break;
                default: buf_add_char(out, text[i]); break;
                }
        }
}
