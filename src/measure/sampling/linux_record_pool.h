/* SPDX-License-Identifier: BSD-3-Clause */
/* Records on their way from the thread that empties the rings, the writer, to the thread that looks at
 * them, the reader. The memory is used again; it grows only while the reader is behind. */
#ifndef LINUX_RECORD_POOL_H
#define LINUX_RECORD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "record.h"

struct record_pool;
struct record_block;

/* The records of one pass over all rings. */
struct record_round {
        struct record_block *first, *last; /* a list */
        size_t from, to;                   /* the first byte in `first`, the end in `last` */
        bool is_last;                      /* no round follows */
};

/* `max_bytes` limits the memory of rounds that wait for the reader. */
struct record_pool *record_pool_new(size_t max_bytes);
void record_pool_free(struct record_pool *pool);
AUTO_DEFINE(record_pool)

/* --- the writer --- */

/* Room for a record of `size` bytes, which fit in a block, in the current round. */
uint8_t *record_pool_extend(struct record_pool *pool, size_t size);

/* Gives the round to the reader and begins the next. False, and nothing is given, if this round and the one
 * before are empty: then no record waits for a round. */
bool record_pool_end_round(struct record_pool *pool, bool is_last);

/* Whether waiting rounds have reached the limit. False while the reader has nothing to do, because it keeps
 * the last two rounds until it gets another. */
bool record_pool_is_full(struct record_pool *pool);

/* --- the reader --- */

/* The oldest round that was not taken; false if there is none. */
bool record_pool_take(struct record_pool *pool, struct record_round *ret);

/* Frees the memory of a round; in the order in which they were taken. */
void record_pool_release(struct record_pool *pool, const struct record_round *round);

/* Reads the records of a round, which may be changed. */
struct record_round_reader {
        struct record_round round;
        struct record_block *block;
        size_t at;
};

void record_round_begin(struct record_round_reader *reader, const struct record_round *round);

/* NULL at the end. */
uint8_t *record_round_next(struct record_round_reader *reader, struct perf_header *ret_header);

/* The rest of the round's bytes in the current block; false at the end. */
bool record_round_next_bytes(struct record_round_reader *reader, uint8_t **ret_bytes, size_t *ret_size);

/* The memory that the pool has now. */
size_t record_pool_bytes(struct record_pool *pool);

#endif
