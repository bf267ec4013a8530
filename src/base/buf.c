/* SPDX-License-Identifier: BSD-3-Clause */
#include "buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

void buf_release(struct buf *buf)
{
        free(buf->data);
        *buf = (struct buf){0};
}

void buf_truncate(struct buf *buf, size_t len)
{
        if (len >= buf->len)
                return;
        buf->len = len;
        buf->data[len] = '\0';
}

void buf_clear(struct buf *buf)
{
        buf_truncate(buf, 0);
}

void buf_swap(struct buf *a, struct buf *b)
{
        struct buf kept = *a;

        *a = *b;
        *b = kept;
}

void buf_clear_and_shrink(struct buf *buf)
{
        enum { KEPT_BYTES = 1 << 20 };

        if (buf->cap > KEPT_BYTES && buf->len < buf->cap / 4)
                buf_release(buf);
        else
                buf_clear(buf);
}

void buf_fit(struct buf *buf)
{
        if (buf->cap <= buf->len + 1)
                return;
        buf->data = mem_resize(buf->data, buf->len + 1, 1);
        buf->cap = buf->len + 1;
}

void *buf_extend(struct buf *buf, size_t size)
{
        size_t need = buf->len + size + 1;
        char *at;

        if (need > buf->cap) {
                buf->cap = need > buf->cap * 2 ? need + 32 : buf->cap * 2;
                buf->data = mem_resize(buf->data, buf->cap, 1);
        }
        at = buf->data + buf->len;
        buf->len += size;
        buf->data[buf->len] = '\0';
        return at;
}

void buf_add(struct buf *buf, const void *bytes, size_t size)
{
        void *at = buf_extend(buf, size);

        if (size)
                memcpy(at, bytes, size);
}

void buf_add_zeros(struct buf *buf, size_t size)
{
        memset(buf_extend(buf, size), 0, size);
}

void buf_add_str(struct buf *buf, const char *text)
{
        buf_add(buf, text, strlen(text));
}

void buf_add_char(struct buf *buf, char c)
{
        buf_add(buf, &c, 1);
}

void buf_add_u8(struct buf *buf, uint8_t v)
{
        buf_add(buf, &v, sizeof(v));
}

void buf_add_u16(struct buf *buf, uint16_t v)
{
        buf_add(buf, &v, sizeof(v));
}

void buf_add_u32(struct buf *buf, uint32_t v)
{
        buf_add(buf, &v, sizeof(v));
}

void buf_add_u64(struct buf *buf, uint64_t v)
{
        buf_add(buf, &v, sizeof(v));
}

void buf_add_uleb(struct buf *out, uint64_t value)
{
        do {
                buf_add_u8(out, (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
                value >>= 7;
        } while (value);
}

void buf_add_sleb(struct buf *out, int64_t value)
{
        bool more;

        do {
                uint8_t low = (uint8_t)(value & 0x7f);

                value = value < 0 ? ~(~value >> 7) : value >> 7;
                more = value != (low & 0x40 ? -1 : 0);
                buf_add_u8(out, (uint8_t)(low | (more ? 0x80 : 0)));
        } while (more);
}

void buf_vprintf(struct buf *buf, const char *fmt, va_list args)
{
        va_list again;
        int len;

        va_copy(again, args);
        len = vsnprintf(NULL, 0, fmt, args);
        if (len > 0) {
                char *at = buf_extend(buf, (size_t)len);

                vsnprintf(at, (size_t)len + 1, fmt, again);
        }
        va_end(again);
}

void buf_add_base64(struct buf *out, const void *bytes, size_t size)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const uint8_t *in = bytes;

        for (size_t i = 0; i < size; i += 3) {
                size_t n = size - i < 3 ? size - i : 3;
                uint32_t bits = 0;

                for (size_t k = 0; k < 3; k++)
                        bits = bits << 8 | (k < n ? in[i + k] : 0);
                for (size_t k = 0; k < 4; k++)
                        buf_add_char(out, k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=');
        }
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
        va_list args;

        va_start(args, fmt);
        buf_vprintf(buf, fmt, args);
        va_end(args);
}

const char *buf_text(const struct buf *buf)
{
        return buf->data ? buf->data : "";
}

char *buf_take(struct buf *buf)
{
        char *text;

        buf_extend(buf, 0);
        text = buf->data;
        *buf = (struct buf){0};
        return text;
}
