/* SPDX-License-Identifier: BSD-3-Clause */
/* Records on their way from one thread to another, in limited memory: if the other one does not take them,
 * samples are dropped, and at four times the limit all records. */
#ifndef RECORD_QUEUE_H
#define RECORD_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* Zero-initialize, with a limit. The caller locks. */
struct record_queue {
        size_t max_bytes;
        struct buf records; /* may be taken */
        uint64_t n_dropped; /* samples */
};

/* Adds complete records. */
void record_queue_add(struct record_queue *queue, const void *records, size_t size_bytes);

#endif
