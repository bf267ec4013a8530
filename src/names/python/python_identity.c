/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference counts and caches of objects are left out.  A hash that is computed later is not: then the code
 * object is only read again. */
#include "python_identity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { MUTABLE_BYTES = 4 }; /* at layout.code_mutable */

static uint32_t max_of(uint32_t a, uint32_t b)
{
        return a > b ? a : b;
}

/* The end of the fields that its maker sets. */
static uint32_t constant_end(const struct python_layout *layout)
{
        uint32_t end = max_of(layout->code_lines, max_of(layout->code_name, layout->code_file)) + 8;

        return max_of(end, layout->code_first_line + 4);
}

static void add_piece(struct python_identity *identity, uint64_t addr, const uint8_t *bytes, size_t size)
{
        struct python_piece *piece = &identity->pieces[identity->n_pieces];
        const struct python_piece *before = piece - 1;
        size_t at = identity->n_pieces ? before->at + before->size : 0;

        if (size > PYTHON_MAX_PIECE_BYTES)
                size = PYTHON_MAX_PIECE_BYTES;
        identity->bytes = mem_resize(identity->bytes, at + size, 1);
        memcpy(identity->bytes + at, bytes, size);
        *piece = (struct python_piece){.addr = addr, .size = (uint32_t)size, .at = (uint32_t)at};
        identity->n_pieces++;
}

void python_identity_begin(struct python_identity *identity, const struct python_layout *layout,
                           uint64_t addr, const uint8_t *bytes)
{
        uint32_t start = layout->object_type, version = layout->code_version;

        *identity = (struct python_identity){0};
        add_piece(identity, addr + start, bytes + start, constant_end(layout) - start);
        identity->is_unique = version != PYTHON_NO_FIELD && python_int_at(bytes, version);
}

void python_identity_add(struct python_identity *identity, uint64_t addr, const uint8_t *bytes, size_t size)
{
        if (!identity->is_unique && identity->n_pieces < PYTHON_MAX_PIECES && size)
                add_piece(identity, addr, bytes, size);
}

void python_identity_release(struct python_identity *identity)
{
        free(identity->bytes);
        *identity = (struct python_identity){0};
}

bool python_identity_matches(const struct python_identity *identity, const struct python_layout *layout,
                             size_t i, const uint8_t *now)
{
        const struct python_piece *piece = &identity->pieces[i];
        const uint8_t *kept = identity->bytes + piece->at;
        uint32_t hole = layout->code_mutable - layout->object_type;

        assert(i < identity->n_pieces);
        if (i || layout->code_mutable == PYTHON_NO_FIELD)
                return memcmp(kept, now, piece->size) == 0;
        return memcmp(kept, now, hole) == 0 && memcmp(kept + hole + MUTABLE_BYTES, now + hole + MUTABLE_BYTES,
                                                      piece->size - hole - MUTABLE_BYTES) == 0;
}
