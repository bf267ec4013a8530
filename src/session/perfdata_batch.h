/* SPDX-License-Identifier: BSD-3-Clause */
/* Many records of a session at a time, in the order of perfdata_next, which stay where they are: several threads may read a batch
 * while another one is filled. */
#ifndef PERFDATA_BATCH_H
#define PERFDATA_BATCH_H

#include "attributes.h"
#include "buf.h"
#include "perfdata_reader.h"

enum { BATCH_CHUNK = 2048 /* records that one thread takes at a time */ };

struct batched_record {
        const uint8_t *at; /* NULL: at `copy` in the batch's copies */
        uint64_t copy, time;
        uint32_t event;
        uint16_t size_bytes;
        bool is_sample;
        bool asked_build_id; /* of struct perfdata_record */
};

struct perfdata_batch {
        struct batched_record *items;
        size_t n, cap;
        uint64_t *first_sample; /* of each chunk: how many samples of the session came before it */
        size_t n_chunks, cap_chunks;
        uint32_t *others; /* records that are no samples: their indexes */
        size_t n_others, cap_others;
        const struct perfdata_event **events; /* as many as there were when the batch had been filled */
        size_t n_events;
        struct buf
                copies; /* of records that don't lie in the file as they are: they were compressed, or joined */
        uint64_t first_chunk; /* the number of its first chunk in the session */
        uint64_t
                file_off; /* bytes of the session's file that were read when it had been filled; 0 for a folder */
        bool swap;
};

void perfdata_batch_release(struct perfdata_batch *batch);

/* What goes on from batch to batch; zero-initialised is the beginning. */
struct batch_totals {
        uint64_t n_samples, n_chunks;
};

/* Fills a batch with at most `max` records; what it held is gone.  1: some; 0: the end, there is none; -1: err. */
int perfdata_next_batch(struct perfdata_reader *reader, struct perfdata_batch *batch, size_t max,
                        struct batch_totals *totals, struct err *err);

/* A record of the batch, as perfdata_next gives it, but without payload and file_off. */
void perfdata_batch_get(const struct perfdata_batch *batch, size_t index, struct perfdata_record *ret);

/* Lets the pages of the file that lie before `file_off` of an earlier batch leave memory. */
void perfdata_forget_before(struct perfdata_reader *reader, uint64_t file_off);

#endif
