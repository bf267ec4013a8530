/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a PDB's streams: symbols and types, subsections of lines, tables of entries of equal size. */
#ifndef MUTATE_PDB_RECORDS_H
#define MUTATE_PDB_RECORDS_H

#include <string.h>

#include "mutate.h"

enum mutate_pdb_store { /* of pieces that fit each other's places */
                        MUTATE_PDB_SYMBOLS,
                        MUTATE_PDB_LINES,
                        MUTATE_PDB_TYPES,
                        MUTATE_PDB_PUBLICS,
                        MUTATE_PDB_U32,
                        MUTATE_PDB_CONTRIBUTIONS,
                        MUTATE_PDB_PAIRS,
};

static inline size_t mutate_pdb_measure_record(const struct mutate_framing *framing, const uint8_t *at,
                                               size_t left)
{
        uint16_t size;

        if (left < 4)
                return 0;
        memcpy(&size, at, sizeof(size));
        return 2 + (size_t)size;
}

static inline void mutate_pdb_resize_record(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint16_t value = (uint16_t)(size - 2);

        if (size >= 4 && size <= UINT16_MAX)
                memcpy(at, &value, sizeof(value));
}

static inline size_t mutate_pdb_measure_lines(const struct mutate_framing *framing, const uint8_t *at,
                                              size_t left)
{
        uint32_t size;

        if (left < 8)
                return 0;
        memcpy(&size, at + 4, sizeof(size));
        return 8 + (((size_t)size + 3) & ~(size_t)3);
}

static inline void mutate_pdb_resize_lines(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint32_t value = (uint32_t)(size - 8);

        if (size >= 8)
                memcpy(at + 4, &value, sizeof(value));
}

static inline struct mutate_framing mutate_pdb_framing(enum mutate_pdb_store store,
                                                       struct mutate_random *random)
{
        struct mutate_framing framing = {.store = store};

        switch (store) {
        case MUTATE_PDB_LINES:
                framing.measure = mutate_pdb_measure_lines;
                framing.resize = mutate_pdb_resize_lines;
                framing.head_bytes = 8;
                break;
        case MUTATE_PDB_U32: framing.fixed_bytes = 4; break;
        case MUTATE_PDB_CONTRIBUTIONS: framing.fixed_bytes = 28; break;
        case MUTATE_PDB_PAIRS: framing.fixed_bytes = 8; break;
        default:
                framing.measure = mutate_pdb_measure_record;
                framing.resize = mutate_pdb_resize_record;
                framing.head_bytes = mutate_one_in(random, 8) ? 2 : 4;
                break;
        }
        return framing;
}

/* `bytes` has records after `head` bytes, which do not change. */
static inline void mutate_pdb_change(struct buf *bytes, size_t head, enum mutate_pdb_store store,
                                     size_t max_bytes, struct mutate_random *random)
{
        struct mutate_framing framing = mutate_pdb_framing(store, random);
        struct buf records = {0};

        if (bytes->len <= head)
                return;
        buf_add(&records, bytes->data + head, bytes->len - head);
        mutate_pieces(&records, &framing, max_bytes, random);
        buf_truncate(bytes, head);
        buf_add(bytes, records.data, records.len);
        buf_release(&records);
}

#endif
