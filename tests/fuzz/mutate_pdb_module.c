/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates inputs of fuzz_pdb_module: several streams, each with 2 bytes of size before it. */
#include "cursor.h"
#include "mutate_pdb_records.h"

enum { N_PARTS = 8, MAX_PART_BYTES = UINT16_MAX };

static const struct {
        enum mutate_pdb_store store;
        size_t head; /* bytes before the records */
} parts[N_PARTS] = {
        {MUTATE_PDB_SYMBOLS, 0}, {MUTATE_PDB_LINES, 0}, {MUTATE_PDB_TYPES, 0},         {MUTATE_PDB_TYPES, 0},
        {MUTATE_PDB_PUBLICS, 0}, {MUTATE_PDB_U32, 0},   {MUTATE_PDB_CONTRIBUTIONS, 4}, {MUTATE_PDB_PAIRS, 0},
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_random random = mutate_random_make(seed);
        struct cursor c = cursor_make(data, size);
        size_t chosen = mutate_below(&random, N_PARTS);
        struct buf out = {0};

        if (mutate_one_in(&random, 4))
                return LLVMFuzzerMutate(data, size, max_size);
        if (mutate_one_in(&random, 2))
                chosen = mutate_below(&random, 3); /* most of the code is about these */
        for (size_t i = 0; i < N_PARTS; i++) {
                size_t n = cursor_u16(&c);
                struct buf part = {0};

                if (n > cursor_left(&c))
                        n = cursor_left(&c);
                buf_add(&part, n ? cursor_bytes(&c, n) : "", n);
                if (i == chosen)
                        mutate_pdb_change(&part, parts[i].head, parts[i].store, max_size, &random);
                if (part.len > MAX_PART_BYTES)
                        buf_truncate(&part, MAX_PART_BYTES);
                buf_add_u16(&out, (uint16_t)part.len);
                buf_add(&out, part.data, part.len);
                buf_release(&part);
        }
        size = mutate_finish(&out, data, max_size);
        buf_release(&out);
        return size;
}
