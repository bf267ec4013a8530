/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether another code object is at the address of one that was read before.  Its address and those
 * of its name and file are not enough: memory of a code object that was freed is used again, often for
 * another one of the same size.  So the bytes are compared. */
#ifndef PYTHON_IDENTITY_H
#define PYTHON_IDENTITY_H

#include "python_memory.h"
#include "python_runtime.h"

enum {
        PYTHON_MAX_PIECES = 4,         /* the code object, its name, its file, its line table */
        PYTHON_MAX_PIECE_BYTES = 4096, /* of longer ones, the beginning is compared; it has the length */
};

/* Bytes that do not change while the code object exists. */
struct python_piece {
        uint64_t addr;
        uint32_t size;
        uint32_t at; /* in `bytes` */
};

struct python_identity {
        struct python_piece pieces[PYTHON_MAX_PIECES];
        uint32_t n_pieces;
        bool is_unique; /* the code object has a number that no other one gets, so that it alone is enough */
        uint8_t *bytes;
};

/* Begins with a code object of which `bytes` has layout.code_bytes. */
void python_identity_begin(struct python_identity *identity, const struct python_layout *layout,
                           uint64_t addr, const uint8_t *bytes);

/* Adds bytes of another object, if they are needed. */
void python_identity_add(struct python_identity *identity, uint64_t addr, const uint8_t *bytes, size_t size);

void python_identity_release(struct python_identity *identity);

/* Whether the bytes of piece `i` are still the same; `now` has as many as the piece. */
bool python_identity_matches(const struct python_identity *identity, const struct python_layout *layout,
                             size_t i, const uint8_t *now);

#endif
