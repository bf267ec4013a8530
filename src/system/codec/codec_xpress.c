/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpacks XPRESS: the plain LZ77 format of [MS-XCA] 2.4, as Windows writes it into event-trace files.  A
 * word of 32 flags precedes 32 items: 0 is a byte, 1 is a match, a distance and a length. */
#include <string.h>

#include "codec.h"
#include "cursor.h"

enum {
        LENGTH_BITS = 3,
        LONG_LENGTH = 7,    /* of the bits in a match: the length goes on in half a byte */
        LONGER_LENGTH = 15, /* of half a byte: in a byte */
        LONGEST_LENGTH = 255,
        MIN_LENGTH = 3,
};

struct xpress {
        struct cursor in;
        const uint8_t *half; /* a byte whose upper half is not used yet; NULL: none */
        uint8_t *start, *out, *end;
};

static uint32_t half_byte(struct xpress *x)
{
        uint32_t value;

        if (x->half) {
                value = *x->half >> 4;
                x->half = NULL;
                return value;
        }
        x->half = cursor_bytes(&x->in, 1);
        return x->half ? *x->half & 15 : 0;
}

/* The length that the bits of a match begin. */
static uint64_t match_length(struct xpress *x, uint32_t bits)
{
        uint64_t length = bits;

        if (length < LONG_LENGTH)
                return length + MIN_LENGTH;
        length = half_byte(x);
        if (length < LONGER_LENGTH)
                return length + LONG_LENGTH + MIN_LENGTH;
        length = cursor_u8(&x->in);
        if (length < LONGEST_LENGTH)
                return length + LONGER_LENGTH + LONG_LENGTH + MIN_LENGTH;
        length = cursor_u16(&x->in);
        if (!length)
                length = cursor_u32(&x->in);
        return length < LONGER_LENGTH + LONG_LENGTH ? 0 : length + MIN_LENGTH;
}

/* Where source and target overlap, the source repeats: each step copies all that is there from the source
 * on. */
static bool copy_match(struct xpress *x)
{
        uint32_t match = cursor_u16(&x->in);
        size_t distance = (match >> LENGTH_BITS) + 1;
        uint64_t length = match_length(x, match & LONG_LENGTH);

        if (x->in.failed || !length || distance > (size_t)(x->out - x->start) ||
            length > (size_t)(x->end - x->out))
                return false;
        for (const uint8_t *from = x->out - distance; length;) {
                size_t there = (size_t)(x->out - from), n = length < there ? (size_t)length : there;

                memcpy(x->out, from, n);
                x->out += n;
                length -= n;
        }
        return true;
}

bool codec_unpack_xpress(const void *in, size_t in_size, void *out, size_t size, struct err *err)
{
        struct xpress x = {.in = cursor_make(in, in_size), .start = out, .out = out, .end = out};
        uint32_t flags = 0;
        unsigned n_flags = 0;
        bool ok = true;

        if (size)
                x.end += size;

        while (ok && x.out < x.end) {
                if (!n_flags) {
                        flags = cursor_u32(&x.in);
                        n_flags = 32;
                }
                if (flags >> --n_flags & 1) {
                        ok = copy_match(&x);
                } else {
                        *x.out++ = cursor_u8(&x.in);
                        ok = !x.in.failed;
                }
        }
        return ok || err_set(err, ERR_FORMAT, "XPRESS stream is cut or damaged");
}
