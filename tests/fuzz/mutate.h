/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes inputs of fuzz targets by their structure: whole records are copied, moved, left out, taken from other inputs or
 * changed inside, and what holds them is made to fit again.  Only for libFuzzer (-Dfuzz=true). */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* libFuzzer's own change of up to `max_size` bytes in place; returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* What a target with a mutator defines.  The same bytes and seed give the same result, but for pieces of inputs seen before. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct mutate_random {
        uint64_t state;
};

struct mutate_random mutate_random_make(unsigned seed);
/* Below `limit`, which is not 0. */
size_t mutate_below(struct mutate_random *random, size_t limit);
bool mutate_one_in(struct mutate_random *random, size_t n);

/* How bytes are cut into pieces (records, entries, units).  Zero-initialise what is not set. */
struct mutate_framing {
        /* Bytes of the piece at `at`, of which `left` (at least 1) are there: above `left` or 0 is the whole rest. */
        size_t (*measure)(const struct mutate_framing *framing, const uint8_t *at, size_t left);
        /* Writes the size of a piece, which was changed inside, into it.  NULL: pieces do not hold their size. */
        void (*resize)(const struct mutate_framing *framing, uint8_t *at, size_t size);
        size_t head_bytes;  /* of a piece that changes inside leave alone */
        size_t fixed_bytes; /* not 0: all pieces have this size */
        bool swap;          /* numbers are of the other byte order */
        const void *ctx;
        unsigned store; /* below MUTATE_N_STORES: pieces go from input to input within one */
};

enum { MUTATE_N_STORES = 16 };

/* Changes `bytes` once; `max_bytes` bounds what comes out. */
void mutate_pieces(struct buf *bytes, const struct mutate_framing *framing, size_t max_bytes,
                   struct mutate_random *random);

/* Lets libFuzzer change `bytes` without regard to their structure. */
void mutate_plain(struct buf *bytes, size_t max_bytes);

/* Copies `bytes` to `data` where they fit; else 0. */
size_t mutate_finish(const struct buf *bytes, uint8_t *data, size_t max_size);

#endif
