/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes inputs of fuzz targets by their structure: whole records are copied, moved, removed, taken from
 * other inputs or changed inside, and sizes and tables that contain them are updated.  Only for libFuzzer
 * (-Dfuzz=true). */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* libFuzzer's own change of up to `max_size` bytes in place; returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Defined by targets with a mutator.  The same bytes and seed give the same result, except for pieces of
 * earlier inputs. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct mutate_random {
        uint64_t state;
};

struct mutate_random mutate_random_make(unsigned seed);
/* Below `limit`, which is not 0. */
size_t mutate_below(struct mutate_random *random, size_t limit);
bool mutate_one_in(struct mutate_random *random, size_t n);

/* How bytes are divided into pieces (records, entries, units).  Fields that are not set must be zero. */
struct mutate_framing {
        /* Size of the piece at `at`, of which `left` bytes (at least 1) are available: 0 or more than
         * `left` means all of them. */
        size_t (*measure)(const struct mutate_framing *framing, const uint8_t *at, size_t left);
        /* Writes the size of a piece that was changed into it.  NULL: pieces do not contain their size. */
        void (*resize)(const struct mutate_framing *framing, uint8_t *at, size_t size);
        size_t head_bytes;  /* number of bytes of a piece that changes inside it do not modify */
        size_t fixed_bytes; /* not 0: all pieces have this size */
        bool swap;          /* numbers are of the other byte order */
        const void *ctx;
        unsigned store; /* below MUTATE_N_STORES: pieces are exchanged between inputs within one store */
};

enum { MUTATE_N_STORES = 16 };

/* Makes one change of `bytes`; `max_bytes` limits the result. */
void mutate_pieces(struct buf *bytes, const struct mutate_framing *framing, size_t max_bytes,
                   struct mutate_random *random);

/* Lets libFuzzer change `bytes` without regard to their structure. */
void mutate_plain(struct buf *bytes, size_t max_bytes);

/* Copies `bytes` to `data` if they fit; otherwise returns 0. */
size_t mutate_finish(const struct buf *bytes, uint8_t *data, size_t max_size);

#endif
