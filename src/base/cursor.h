/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds-checked reading of untrusted bytes.  A read past the end sets `failed`, returns 0 and does not
 * move, so that a parser may read a whole structure and check once. */
#ifndef CURSOR_H
#define CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
        const uint8_t *start;
        const uint8_t *at;
        const uint8_t *end;
        bool swap;   /* the bytes do not have this machine's byte order */
        bool failed; /* a read went past the end */
};

struct cursor cursor_make(const void *bytes, size_t size);

/* A cursor over [off, off + size) of `c`; failed and empty if this is not inside `c`. */
struct cursor cursor_sub(const struct cursor *c, uint64_t off, uint64_t size);

static inline size_t cursor_left(const struct cursor *c)
{
        return (size_t)(c->end - c->at);
}

static inline size_t cursor_pos(const struct cursor *c)
{
        return (size_t)(c->at - c->start);
}

/* Sets `failed` and returns NULL. */
const uint8_t *cursor_fail(struct cursor *c);

/* Returns `size` bytes at the cursor and moves past them; NULL (and failed) if fewer are left. */
const void *cursor_bytes(struct cursor *c, uint64_t size);

bool cursor_skip(struct cursor *c, uint64_t size);
bool cursor_seek(struct cursor *c, uint64_t pos); /* position from the start */

/* Functions that read numbers are inline, because parsers spend most of their time in them. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t size)
{
        const uint8_t *at = c->at;

        if (c->failed || size > cursor_left(c))
                return cursor_fail(c);
        c->at += size;
        return at;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
        const uint8_t *p = cursor_take(c, 1);

        return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
        const uint8_t *p = cursor_take(c, 2);
        uint16_t v = 0;

        if (p)
                memcpy(&v, p, sizeof(v));
        return c->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
        const uint8_t *p = cursor_take(c, 4);
        uint32_t v = 0;

        if (p)
                memcpy(&v, p, sizeof(v));
        return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
        const uint8_t *p = cursor_take(c, 8);
        uint64_t v = 0;

        if (p)
                memcpy(&v, p, sizeof(v));
        return c->swap ? __builtin_bswap64(v) : v;
}

/* DWARF's variable-length numbers; more than 64 bits of value fails. */
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);

/* A NUL-terminated string that is completely inside; NULL (and failed) otherwise.  *ret_len may be NULL. */
const char *cursor_str(struct cursor *c, size_t *ret_len);

/* The NUL-terminated string at offset `off` of a table, or NULL if it is not completely inside. */
const char *cursor_str_at(const struct cursor *table, uint64_t off);

#endif
