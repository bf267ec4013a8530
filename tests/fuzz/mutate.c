/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PIECES = 4096, MOST_CHANGED_BYTES = 4096, STORED_PIECES = 256, MOST_STORED_BYTES = 1024 };

struct piece {
        size_t off, size;
};

static struct {
        struct buf pieces[STORED_PIECES];
} stores[MUTATE_N_STORES];

struct mutate_random mutate_random_make(unsigned seed)
{
        return (struct mutate_random){(uint64_t)seed * 0x9e3779b97f4a7c15u + 0x1234567};
}

size_t mutate_below(struct mutate_random *random, size_t limit)
{
        random->state ^= random->state << 13;
        random->state ^= random->state >> 7;
        random->state ^= random->state << 17;
        return (size_t)((random->state >> 11) % limit);
}

bool mutate_one_in(struct mutate_random *random, size_t n)
{
        return !mutate_below(random, n);
}

static size_t cut(const struct buf *bytes, const struct mutate_framing *framing, struct piece *pieces)
{
        size_t n = 0, off = 0;

        while (off < bytes->len && n < MAX_PIECES) {
                size_t left = bytes->len - off;
                size_t size = framing->fixed_bytes
                                      ? framing->fixed_bytes
                                      : framing->measure(framing, (uint8_t *)bytes->data + off, left);

                if (!size || size > left)
                        size = left;
                pieces[n++] = (struct piece){off, size};
                off += size;
        }
        return n;
}

static void keep(const struct buf *bytes, const struct piece *piece, const struct mutate_framing *framing,
                 struct mutate_random *random)
{
        struct buf *slot;

        if (piece->size > MOST_STORED_BYTES)
                return;
        slot = &stores[framing->store].pieces[mutate_below(random, STORED_PIECES)];
        buf_clear(slot);
        buf_add(slot, bytes->data + piece->off, piece->size);
}

/* Replaces the `gone` bytes at `off` by `size` bytes; `put` may be inside `bytes`. */
static void splice(struct buf *bytes, size_t off, size_t gone, const void *put, size_t size)
{
        struct buf out = {0};

        buf_add(&out, bytes->data, off);
        if (size)
                buf_add(&out, put, size);
        buf_add(&out, bytes->data + off + gone, bytes->len - off - gone);
        buf_release(bytes);
        *bytes = out;
}

static void change_inside(struct buf *bytes, const struct piece *piece, const struct mutate_framing *framing,
                          struct mutate_random *random)
{
        size_t head = framing->head_bytes < piece->size ? framing->head_bytes : 0;
        size_t size = piece->size - head;
        size_t most = framing->fixed_bytes || !framing->resize ? size : size + 1 + mutate_below(random, 64);
        uint8_t *copy;

        if (size > MOST_CHANGED_BYTES)
                return;
        copy = malloc(head + most);
        if (!copy)
                return;
        memcpy(copy, bytes->data + piece->off, piece->size);
        size = head + LLVMFuzzerMutate(copy + head, size, most);
        if (framing->fixed_bytes || !framing->resize)
                size = piece->size;
        if (framing->resize)
                framing->resize(framing, copy, size);
        splice(bytes, piece->off, piece->size, copy, size);
        free(copy);
}

static void move(struct buf *bytes, const struct piece *from, const struct piece *to)
{
        uint8_t *copy = malloc(from->size);

        if (!copy)
                return;
        memcpy(copy, bytes->data + from->off, from->size);
        splice(bytes, from->off, from->size, NULL, 0);
        splice(bytes, to->off < from->off ? to->off : to->off - from->size + to->size, 0, copy, from->size);
        free(copy);
}

void mutate_pieces(struct buf *bytes, const struct mutate_framing *framing, size_t max_bytes,
                   struct mutate_random *random)
{
        static struct piece pieces[MAX_PIECES];
        size_t n = cut(bytes, framing, pieces);
        const struct piece *one, *other;
        const struct buf *stored = &stores[framing->store].pieces[mutate_below(random, STORED_PIECES)];

        if (!n)
                return;
        one = &pieces[mutate_below(random, n)];
        other = &pieces[mutate_below(random, n)];
        keep(bytes, one, framing, random);
        switch (mutate_below(random, 8)) {
        case 0:
                if (bytes->len + one->size <= max_bytes)
                        splice(bytes, other->off, 0, bytes->data + one->off, one->size);
                break;
        case 1: splice(bytes, one->off, one->size, NULL, 0); break;
        case 2:
                if (one != other)
                        move(bytes, one, other);
                break;
        case 3:
        case 4:
                if (stored->len && bytes->len + stored->len <= max_bytes)
                        splice(bytes, one->off, mutate_one_in(random, 3) ? one->size : 0, stored->data,
                               stored->len);
                break;
        default: change_inside(bytes, one, framing, random); break;
        }
}

void mutate_plain(struct buf *bytes, size_t max_bytes)
{
        size_t size = bytes->len, most = size + 64 < max_bytes ? size + 64 : max_bytes;
        uint8_t *copy;

        if (size > most)
                return;
        copy = malloc(most ? most : 1);
        if (!copy)
                return;
        if (size)
                memcpy(copy, bytes->data, size);
        size = LLVMFuzzerMutate(copy, size, most);
        buf_clear(bytes);
        buf_add(bytes, copy, size);
        free(copy);
}

size_t mutate_finish(const struct buf *bytes, uint8_t *data, size_t max_size)
{
        if (bytes->len > max_size)
                return 0;
        memcpy(data, bytes->data, bytes->len);
        return bytes->len;
}
