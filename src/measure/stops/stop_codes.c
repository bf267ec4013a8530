/* SPDX-License-Identifier: BSD-3-Clause */
/* One system call reads many blocks. Its cost is that of the pages: a virtual machine took 0.37 us for
 * each, whatever their bytes. */
#include "stop_codes.h"

#include <stdlib.h>

#include "mem.h"

enum { PAGE_BYTES = 4096 };

void stop_codes_release(struct stop_codes *codes)
{
        for (size_t i = 0; i < codes->n_seen; i++)
                python_identity_release(&codes->seen[i].identity);
        free(codes->seen);
        free(codes->blocks);
        map_release(&codes->by_addr);
        map_release(&codes->pages);
        *codes = (struct stop_codes){0};
}

void code_batch_release(struct code_batch *batch)
{
        free(batch->bytes);
}

struct seen_code *stop_codes_get(struct stop_codes *codes, uint64_t addr)
{
        uint64_t *known = map_put(&codes->by_addr, addr, NULL);

        if (!*known) {
                ARRAY_PUSH(codes->seen, codes->n_seen, codes->cap_seen, (struct seen_code){0});
                *known = codes->n_seen;
        }
        return &codes->seen[*known - 1];
}

/* Makes the block of a page contain the piece. */
static uint32_t get_block(struct stop_codes *codes, const struct python_piece *piece)
{
        uint64_t page = piece->addr & ~(uint64_t)(PAGE_BYTES - 1);
        uint32_t start = (uint32_t)(piece->addr - page), end = start + piece->size;
        uint64_t *known = map_put(&codes->pages, page, NULL);
        struct seen_block *block;

        if (!*known) {
                struct seen_block added = {.page = page, .start = start, .end = end};

                ARRAY_PUSH(codes->blocks, codes->n_blocks, codes->cap_blocks, added);
                *known = codes->n_blocks;
        }
        block = &codes->blocks[*known - 1];
        if (start < block->start)
                block->start = start;
        if (end > block->end)
                block->end = end;
        return (uint32_t)*known - 1;
}

void stop_codes_keep(struct stop_codes *codes, struct seen_code *seen, struct python_identity *identity)
{
        python_identity_release(&seen->identity);
        seen->identity = *identity;
        *identity = (struct python_identity){0};
        for (size_t i = 0; i < seen->identity.n_pieces; i++)
                seen->blocks[i] = get_block(codes, &seen->identity.pieces[i]);
}

/* --- checks --- */

/* Adds the blocks of a code object that the batch does not have yet; false: there is no room. */
static bool add_seen(struct stop_codes *codes, struct code_batch *batch, struct stop_reader *reader,
                     uint32_t index)
{
        const struct seen_code *seen = &codes->seen[index];

        if (batch->n_seen == STOP_MAX_PIECES || batch->n_blocks + seen->identity.n_pieces > STOP_MAX_PIECES)
                return false;
        for (size_t i = 0; i < seen->identity.n_pieces; i++) {
                struct seen_block *block = &codes->blocks[seen->blocks[i]];

                if (block->batch == batch->number)
                        continue;
                block->batch = batch->number;
                block->now = stop_reader_find(reader, block->page + block->start, block->end - block->start);
                block->at = batch->n_bytes;
                batch->n_bytes += block->now ? 0 : block->end - block->start;
                batch->blocks[batch->n_blocks++] = seen->blocks[i];
        }
        batch->seen[batch->n_seen++] = index;
        return true;
}

/* Those that were not read ahead. */
static bool read_blocks(struct stop_codes *codes, struct code_batch *batch, struct stop_reader *reader)
{
        size_t n = 0;

        if (batch->n_bytes > batch->cap_bytes) {
                batch->cap_bytes = 2 * batch->n_bytes;
                batch->bytes = mem_resize(batch->bytes, batch->cap_bytes, 1);
        }
        for (size_t i = 0; i < batch->n_blocks; i++) {
                struct seen_block *block = &codes->blocks[batch->blocks[i]];
                uint64_t addr = block->page + block->start;

                if (block->now)
                        continue;
                block->now = batch->bytes + block->at;
                batch->pieces[n++] =
                        (struct stop_piece){addr, batch->bytes + block->at, block->end - block->start};
                stop_reader_miss(reader, addr, block->end - block->start);
        }
        return !n || stop_thread_read_pieces(reader->thread, batch->pieces, n) == n;
}

static bool is_same(const struct stop_codes *codes, const struct python_layout *layout,
                    const struct seen_code *seen)
{
        for (size_t i = 0; i < seen->identity.n_pieces; i++) {
                const struct seen_block *block = &codes->blocks[seen->blocks[i]];
                uint64_t off = seen->identity.pieces[i].addr - block->page - block->start;

                if (!python_identity_matches(&seen->identity, layout, i, block->now + off))
                        return false;
        }
        return true;
}

/* If a block can't be read, a code object that is gone may have been at its end: all are read anew. */
static bool check_batch(struct stop_codes *codes, struct code_batch *batch, struct stop_reader *reader,
                        const struct python_layout *layout)
{
        bool are_same = true;

        if (!batch->n_seen)
                return true;
        if (!read_blocks(codes, batch, reader)) {
                stop_codes_release(codes);
                return false;
        }
        for (size_t i = 0; i < batch->n_seen; i++) {
                struct seen_code *seen = &codes->seen[batch->seen[i]];

                if (is_same(codes, layout, seen))
                        continue;
                seen->checked = 0;
                are_same = false;
        }
        return are_same;
}

static void begin_batch(struct code_batch *batch)
{
        batch->number++;
        batch->n_seen = batch->n_blocks = batch->n_bytes = 0;
}

bool stop_codes_check(struct stop_codes *codes, struct code_batch *batch, struct stop_reader *reader,
                      const struct python_layout *layout, const struct python_frame *frames, size_t n_frames,
                      uint64_t stop)
{
        bool are_same = true;

        begin_batch(batch);
        for (size_t i = 0; i < n_frames; i++) {
                const uint64_t *known = frames[i].kind == PYTHON_FRAME_CODE
                                                ? map_find(&codes->by_addr, frames[i].code)
                                                : NULL;
                struct seen_code *seen = known ? &codes->seen[*known - 1] : NULL;

                if (!seen || seen->checked == stop || !seen->identity.n_pieces)
                        continue;
                if (!add_seen(codes, batch, reader, (uint32_t)*known - 1)) {
                        are_same &= check_batch(codes, batch, reader, layout);
                        begin_batch(batch);
                        if (!codes->n_seen)
                                return false;
                        add_seen(codes, batch, reader, (uint32_t)*known - 1);
                }
                seen->checked = stop; /* reset if it has changed */
        }
        return check_batch(codes, batch, reader, layout) && are_same;
}
