/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the memory of a thread at its stops. Most of what one stop reads, the next one reads, too. So it is
 * read ahead, with one system call: in a virtual machine a call took 0.8 us and each range 0.36 us more,
 * whatever its bytes. */
#ifndef STOP_READER_H
#define STOP_READER_H

#include "stop_thread.h"

enum { READER_MAX_RANGES = 64, READER_MAX_BYTES = 64 << 10 };

struct reader_range {
        uint64_t addr;
        uint32_t size;
        uint32_t n_unused; /* stops in a row that did not need it */
};

/* What the stops of a thread read; in order of addresses. Zero-initialize before use. */
struct reader_ranges {
        struct reader_range items[READER_MAX_RANGES];
        size_t n;
};

/* The reader of one stop. */
struct stop_reader {
        const struct stop_thread *thread;
        struct reader_ranges *ranges;
        size_t n_read; /* ranges whose bytes were read ahead */
        size_t at[READER_MAX_RANGES];
        uint8_t *bytes;
        struct reader_range missed[READER_MAX_RANGES];
        size_t n_missed;
};

void stop_reader_release(struct stop_reader *reader);

/* Begins a stop and reads ahead. A released reader or one that was used before; `thread` and `ranges`
 * belong to the caller. */
void stop_reader_begin(struct stop_reader *reader, const struct stop_thread *thread,
                       struct reader_ranges *ranges);

/* What was read ahead; NULL if it was not. Then the caller reads it by itself, and the second function has
 * it read ahead at the next stop. */
const uint8_t *stop_reader_find(struct stop_reader *reader, uint64_t addr, size_t size);
void stop_reader_miss(struct stop_reader *reader, uint64_t addr, size_t size);

/* Copies what was read ahead, or reads it now; false if it can't be read completely. `ctx` is the reader:
 * for struct python_memory. */
bool stop_reader_read(void *ctx, uint64_t addr, void *ret_bytes, size_t size);

/* Keeps what this stop has needed. What is read afterwards is not expected again. */
void stop_reader_end(struct stop_reader *reader);

#endif
