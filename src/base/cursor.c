/* SPDX-License-Identifier: BSD-3-Clause */
#include "cursor.h"

#include <string.h>

struct cursor cursor_make(const void *bytes, size_t size)
{
        const uint8_t *at = bytes;

        return (struct cursor){.start = at, .at = at, .end = at ? at + size : at};
}

struct cursor cursor_sub(const struct cursor *c, uint64_t off, uint64_t size)
{
        uint64_t total = (uint64_t)(c->end - c->start);
        struct cursor sub = {.start = c->start, .at = c->start, .end = c->start, .swap = c->swap};

        if (off > total || size > total - off) {
                sub.failed = true;
                return sub;
        }
        if (c->start) {
                sub.start = sub.at = c->start + off;
                sub.end = sub.at + size;
        }
        return sub;
}

const uint8_t *cursor_fail(struct cursor *c)
{
        c->failed = true;
        return NULL;
}

const void *cursor_bytes(struct cursor *c, uint64_t size)
{
        const uint8_t *at = c->at;

        if (c->failed || size > cursor_left(c)) {
                c->failed = true;
                return NULL;
        }
        if (size)
                c->at += size;
        return at;
}

bool cursor_skip(struct cursor *c, uint64_t size)
{
        cursor_bytes(c, size);
        return !c->failed;
}

bool cursor_seek(struct cursor *c, uint64_t pos)
{
        if (pos > (uint64_t)(c->end - c->start)) {
                c->failed = true;
                return false;
        }
        if (c->start)
                c->at = c->start + pos;
        return true;
}

uint64_t cursor_uleb(struct cursor *c)
{
        uint64_t v = 0;
        unsigned shift = 0;
        uint8_t byte;

        do {
                byte = cursor_u8(c);
                if (c->failed || shift > 63 || (shift == 63 && (byte & 0x7e))) {
                        c->failed = true;
                        return 0;
                }
                v |= (uint64_t)(byte & 0x7f) << shift;
                shift += 7;
        } while (byte & 0x80);
        return v;
}

int64_t cursor_sleb(struct cursor *c)
{
        uint64_t v = 0;
        unsigned shift = 0;
        uint8_t byte;

        do {
                byte = cursor_u8(c);
                if (c->failed || shift > 63) {
                        c->failed = true;
                        return 0;
                }
                v |= (uint64_t)(byte & 0x7f) << shift;
                shift += 7;
        } while (byte & 0x80);
        if (shift < 64 && (byte & 0x40))
                v |= ~(uint64_t)0 << shift;
        return (int64_t)v;
}

const char *cursor_str(struct cursor *c, size_t *ret_len)
{
        const uint8_t *at = c->at;
        const uint8_t *nul = c->failed || !cursor_left(c) ? NULL : memchr(at, 0, cursor_left(c));

        if (!nul) {
                c->failed = true;
                return NULL;
        }
        c->at = nul + 1;
        if (ret_len)
                *ret_len = (size_t)(nul - at);
        return (const char *)at;
}

const char *cursor_str_at(const struct cursor *table, uint64_t off)
{
        struct cursor c = *table;

        c.failed = false;
        if (!cursor_seek(&c, off))
                return NULL;
        return cursor_str(&c, NULL);
}
