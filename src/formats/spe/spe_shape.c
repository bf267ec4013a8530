/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_shape.h"

#include <assert.h>

#include "spe_plain.h"

_Static_assert((int)SPE_SHAPE_SLOTS == (int)SPE_PACKED_SLOTS, "the same slots");

/* When all places are taken, a new shape takes the place of an old one each time that this many records had
 * none. */
enum { MISSES_OF_CHANGE = 64 };

static uint8_t padding_after(const struct cursor *c, size_t size)
{
        size_t n = size;

        while (n < SPE_SHAPE_BYTES && n < cursor_left(c) && !c->at[n])
                n++;
        return (uint8_t)(n - size);
}

static bool make_shape(struct spe_shape *shape, const struct cursor *c, size_t size)
{
        const uint8_t *at = c->at;
        uint8_t masks[SPE_SHAPE_BYTES] = {0}, fixed[SPE_SHAPE_BYTES] = {0};

        *shape = (struct spe_shape){.first = spe_plain_packets[*at].first,
                                    .record_bytes = (uint8_t)size,
                                    .after_bytes = padding_after(c, size)};
        for (size_t off = 0; off < size;) {
                const struct plain_packet *plain = &spe_plain_packets[at[off]];

                masks[off] = 0xff;
                fixed[off] = at[off];
                if (!at[off]) {
                        shape->inner_bytes++;
                        off++;
                        continue;
                }
                if (!plain->size_bytes || shape->has & plain->bit || off + plain->size_bytes > size)
                        return false;
                shape->has |= plain->bit;
                shape->offs[plain->field] = (uint8_t)(off + 1);
                shape->payload_masks[plain->field] = plain->payload_mask;
                shape->class_bits |= plain->class_bits;
                off += plain->size_bytes;
        }
        memset(masks + size, 0xff, shape->after_bytes);
        memcpy(shape->masks, masks, sizeof(masks));
        memcpy(shape->fixed, fixed, sizeof(fixed));
        return shape->has & SPE_HAS_TIMESTAMP;
}

void spe_shapes_learn(struct spe_shapes *shapes, const struct cursor *c, size_t size)
{
        struct spe_shape shape;
        unsigned number = shapes->n;

        assert(shapes->n <= SPE_SHAPES_MAX && size <= cursor_left(c));
        if (size > SPE_SHAPE_BYTES)
                return;
        if (shapes->n == SPE_SHAPES_MAX) {
                if (++shapes->n_missed % MISSES_OF_CHANGE)
                        return;
                number = shapes->n_missed / MISSES_OF_CHANGE % SPE_SHAPES_MAX;
        }
        if (!make_shape(&shape, c, size))
                return;
        shapes->items[number] = shape;
        shapes->n += number == shapes->n;
}
