/* SPDX-License-Identifier: BSD-3-Clause */
/* The code objects of one process that runs one program: each is read once, and compared at each later
 * stop, because another one may be at its address. */
#ifndef STOP_CODES_H
#define STOP_CODES_H

#include "map.h"
#include "python_code.h"
#include "python_stack.h"
#include "stop_reader.h"

/* A code object of the process. */
struct seen_code {
        struct python_identity identity; /* without pieces: it can't be read */
        uint32_t blocks[PYTHON_MAX_PIECES];
        uint64_t bytecode_bytes;
        uint64_t number;          /* number of its content, from 1; 0 if it can't be read */
        uint64_t checked;         /* the stop at which it was checked last */
        uint64_t retry;           /* after a failure, do not try again before this stop */
        uint32_t n_stops_between; /* stops between two attempts */
};

/* The bytes of code objects, names and files that begin in one page. Reading a page costs as much as
 * reading a few bytes of it. */
struct seen_block {
        uint64_t page;       /* its address */
        uint32_t start, end; /* offsets from there */
        uint64_t batch;      /* the last batch of reads that contains it */
        const uint8_t *now;  /* its bytes in that batch; NULL: not read yet, they will be at `at` */
        size_t at;           /* in the bytes of that batch */
};

struct stop_codes {
        struct map by_addr; /* address to index in `seen` + 1 */
        struct seen_code *seen;
        size_t n_seen, cap_seen;
        struct map pages; /* address to index in `blocks` + 1 */
        struct seen_block *blocks;
        size_t n_blocks, cap_blocks;
};

/* Forgets all code objects. */
void stop_codes_release(struct stop_codes *codes);

/* The code object at an address, which is added with number 0 if it is new. Valid until the next call. */
struct seen_code *stop_codes_get(struct stop_codes *codes, uint64_t addr);

/* Keeps what is needed to recognise a code object; takes ownership of the identity. */
void stop_codes_keep(struct stop_codes *codes, struct seen_code *seen, struct python_identity *identity);

/* Reads known code objects again: many of them with one system call. */
struct code_batch {
        uint64_t number;
        uint32_t seen[STOP_MAX_PIECES];
        uint32_t blocks[STOP_MAX_PIECES];
        struct stop_piece pieces[STOP_MAX_PIECES];
        size_t n_seen, n_blocks, n_bytes;
        uint8_t *bytes;
        size_t cap_bytes;
};

void code_batch_release(struct code_batch *batch);

/* Checks the code objects of the frames; sets `checked` of those that are the same to `stop`. False if one
 * has changed. */
bool stop_codes_check(struct stop_codes *codes, struct code_batch *batch, struct stop_reader *reader,
                      const struct python_layout *layout, const struct python_frame *frames, size_t n_frames,
                      uint64_t stop);

#endif
