/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of SPE records: which packets follow each other. A CPU writes records of few shapes, so a decoder
 * that remembers them compares all headers of a record at once, in place of reading packet by packet. */
#ifndef SPE_SHAPE_H
#define SPE_SHAPE_H

#include <stdint.h>
#include <string.h>

#include "cursor.h"

enum {
        SPE_SHAPE_LANES = 4,
        SPE_SHAPE_BYTES = SPE_SHAPE_LANES * 16, /* longer records have no shape */
        SPE_SHAPE_SLOTS = 16,                   /* as SPE_PACKED_SLOTS */
        /* What has to be there from the beginning of a record, so that payloads can be read by words. */
        SPE_SHAPE_READ_BYTES = SPE_SHAPE_BYTES + 8,
        SPE_SHAPES_MAX = 8,
};

typedef uint64_t spe_shape_lane __attribute__((vector_size(16)));

struct spe_shape {
        /* The bytes that are headers or padding. */
        spe_shape_lane masks[SPE_SHAPE_LANES], fixed[SPE_SHAPE_LANES];
        uint64_t payload_masks[SPE_SHAPE_SLOTS]; /* 0: the record does not have this field */
        uint8_t offs[SPE_SHAPE_SLOTS];           /* of the payloads in the record */
        uint32_t has;                            /* as in struct spe_packed */
        uint16_t first;                          /* as in struct spe_decoder */
        uint16_t class_bits;                     /* as in spe_packed_payload() */
        uint8_t record_bytes;                    /* with the padding inside */
        uint8_t inner_bytes, after_bytes;        /* padding inside of the record, and behind it */
};

/* Zero-initialised is empty and ready. */
struct spe_shapes {
        struct spe_shape items[SPE_SHAPES_MAX];
        unsigned n, n_missed;
};

/* Learns the shape of the whole record of `size` bytes at the cursor, and of the padding after it, unless
 * the record has bytes that belong to no plain packet and are no padding. */
void spe_shapes_learn(struct spe_shapes *shapes, const struct cursor *c, size_t size);

/* The shape of the record at `at`, where SPE_SHAPE_READ_BYTES can be read; NULL if it is none of the known
 * ones. */
static inline const struct spe_shape *spe_shapes_find(const struct spe_shapes *shapes, const uint8_t *at)
{
        spe_shape_lane lanes[SPE_SHAPE_LANES];

        memcpy(lanes, at, sizeof(lanes));
        for (const struct spe_shape *shape = shapes->items; shape < shapes->items + shapes->n; shape++) {
                spe_shape_lane differs = {0};

                for (unsigned i = 0; i < SPE_SHAPE_LANES; i++)
                        differs |= (lanes[i] ^ shape->fixed[i]) & shape->masks[i];
                if (!(differs[0] | differs[1]))
                        return shape;
        }
        return NULL;
}

/* The payload in a slot, 0 if the record at `at` does not have it. */
static inline uint64_t spe_shape_payload(const struct spe_shape *shape, const uint8_t *at, unsigned slot)
{
        uint64_t payload;

        memcpy(&payload, at + shape->offs[slot], sizeof(payload));
        return payload & shape->payload_masks[slot];
}

#endif
