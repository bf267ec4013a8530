/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

enum { MAX_UTF8 = 4 };

size_t text_utf8_length(const unsigned char *at)
{
        size_t n = at[0] < 0x80   ? 1
                   : at[0] < 0xc2 ? 0
                   : at[0] < 0xe0 ? 2
                   : at[0] < 0xf0 ? 3
                   : at[0] < 0xf5 ? 4
                                  : 0;

        for (size_t i = 1; i < n; i++) {
                if ((at[i] & 0xc0) != 0x80)
                        return 0;
        }
        if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
            (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
                return 0;
        return n;
}

uint32_t text_utf8_code(const unsigned char *at)
{
        if (at[0] < 0x80)
                return at[0];
        if (at[0] < 0xe0)
                return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
        if (at[0] < 0xf0)
                return (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        return (at[0] & 0x07u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu);
}

void text_add_utf8(struct buf *out, uint32_t code)
{
        unsigned n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};

        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
                return;
        buf_add_char(out, (char)(first[n] | code >> 6 * (n - 1)));
        while (--n)
                buf_add_char(out, (char)(0x80 | (code >> 6 * (n - 1) & 0x3f)));
}

/* Unicode's Default_Ignorable_Code_Point, format characters and separators of lines and paragraphs. */
bool text_is_unseen(const unsigned char *at, uint32_t *ret_code)
{
        static const struct {
                uint32_t first, last;
        } unseen[] = {
                {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
                {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
                {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
                {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
                {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
                {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
                {0xe0000, 0xe0fff},
        };
        uint32_t code = text_utf8_code(at);

        *ret_code = code;
        for (size_t i = 0; i < N_ELEMENTS(unseen) && code >= unseen[i].first; i++) {
                if (code <= unseen[i].last)
                        return true;
        }
        return false;
}

/* Number of printable ASCII characters at the beginning; checks eight bytes at a time while possible. */
static size_t count_printable(const unsigned char *at, size_t len)
{
        const uint64_t ones = 0x0101010101010101u, high_bits = ones << 7;
        size_t n = 0;

        for (uint64_t word; len - n >= sizeof(word); n += sizeof(word)) {
                memcpy(&word, at + n, sizeof(word));
                if (((word | (word + ones)) & high_bits) || ((word - ones * 0x20) & ~word & high_bits))
                        break;
        }
        while (n < len && at[n] >= 0x20 && at[n] < 0x7f)
                n++;
        return n;
}

size_t text_add_printable_start(struct buf *out, const char *text, size_t size)
{
        const unsigned char *at = (const unsigned char *)text;
        size_t n = count_printable(at, size);

        buf_add(out, at, n);
        return n;
}

size_t text_add_escaped(struct buf *out, const char *text, size_t size)
{
        unsigned char at[MAX_UTF8 + 1] = {0};
        uint32_t code;
        size_t n;

        memcpy(at, text, size < MAX_UTF8 ? size : MAX_UTF8);
        n = text_utf8_length(at);
        /* C1 controls (U+0080 to U+009F) also control terminals. */
        if (!n || *at < 0x20 || *at == 0x7f || (n == 2 && at[0] == 0xc2 && at[1] < 0xa0)) {
                buf_printf(out, "\\x%02x", *at);
                return 1;
        }
        if (text_is_unseen(at, &code))
                buf_printf(out, code > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, code);
        else
                buf_add(out, at, n);
        return n;
}

void text_add_printable(struct buf *out, const char *text)
{
        const char *end = text + strlen(text);

        for (;;) {
                text += text_add_printable_start(out, text, (size_t)(end - text));
                if (text == end)
                        return;
                text += text_add_escaped(out, text, (size_t)(end - text));
        }
}

void text_printf(struct buf *out, const char *fmt, ...)
{
        AUTO_RELEASE(buf) text = {0};
        size_t n_end = text_ends(fmt, "\n");
        va_list args;

        va_start(args, fmt);
        buf_vprintf(&text, fmt, args);
        va_end(args);
        buf_truncate(&text, text.len - n_end);
        text_add_printable(out, buf_text(&text));
        if (n_end)
                buf_add_char(out, '\n');
}
