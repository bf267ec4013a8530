/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs bytes as XPRESS, as Windows does for buffers of event-trace files, with matches of up to MAX_MATCH
 * bytes. */
#ifndef XPRESS_PACK_H
#define XPRESS_PACK_H

#include <string.h>

#include "buf.h"

enum { XPRESS_ITEMS = 32, XPRESS_MIN_MATCH = 3, XPRESS_MAX_MATCH = 279, XPRESS_FAR = 512 };

struct xpress_packer {
        struct buf *out;
        size_t flags_at; /* of the word of flags that is not complete */
        unsigned n_items;
        uint32_t flags;
        size_t half_at; /* of a byte whose upper half is free */
        bool has_half;
};

/* The longest match among the last XPRESS_FAR bytes; 0: none. */
static inline size_t xpress_find(const uint8_t *in, size_t at, size_t size, size_t *ret_distance)
{
        size_t best = 0, most = size - at < XPRESS_MAX_MATCH ? size - at : XPRESS_MAX_MATCH;

        for (size_t distance = 1; distance <= at && distance <= XPRESS_FAR; distance++) {
                size_t n = 0;

                while (n < most && in[at + n] == in[at + n - distance])
                        n++;
                if (n > best) {
                        best = n;
                        *ret_distance = distance;
                }
        }
        return best < XPRESS_MIN_MATCH ? 0 : best;
}

static inline void xpress_begin_item(struct xpress_packer *p, bool is_match)
{
        if (p->n_items % XPRESS_ITEMS == 0) {
                p->flags_at = p->out->len;
                p->flags = 0;
                buf_add_u32(p->out, 0);
        }
        p->flags |= (uint32_t)is_match << (XPRESS_ITEMS - 1 - p->n_items++ % XPRESS_ITEMS);
        memcpy(p->out->data + p->flags_at, &p->flags, sizeof(p->flags));
}

static inline void xpress_add_half(struct xpress_packer *p, uint8_t half)
{
        if (p->has_half) {
                p->out->data[p->half_at] = (char)((uint8_t)p->out->data[p->half_at] | half << 4);
        } else {
                p->half_at = p->out->len;
                buf_add_u8(p->out, half);
        }
        p->has_half = !p->has_half;
}

static inline void xpress_add_match(struct xpress_packer *p, size_t distance, size_t length)
{
        size_t rest = length - XPRESS_MIN_MATCH;

        xpress_begin_item(p, true);
        buf_add_u16(p->out, (uint16_t)((distance - 1) << 3 | (rest < 7 ? rest : 7)));
        if (rest < 7)
                return;
        rest -= 7;
        xpress_add_half(p, rest < 15 ? (uint8_t)rest : 15);
        if (rest >= 15)
                buf_add_u8(p->out, (uint8_t)(rest - 15));
}

/* Appends the packed bytes. */
static inline void xpress_pack(const uint8_t *in, size_t size, struct buf *out)
{
        struct xpress_packer p = {.out = out};
        size_t distance = 0;

        for (size_t at = 0, n; at < size; at += n) {
                n = xpress_find(in, at, size, &distance);
                if (n) {
                        xpress_add_match(&p, distance, n);
                } else {
                        xpress_begin_item(&p, false);
                        buf_add_u8(out, in[at]);
                        n = 1;
                }
        }
}

#endif
