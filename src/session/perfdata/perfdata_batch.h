/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of records of a session, in the order of perfdata_next. The records stay in memory, so that several
 * threads may read a batch while another one is filled. */
#ifndef PERFDATA_BATCH_H
#define PERFDATA_BATCH_H

#include "attributes.h"
#include "buf.h"
#include "perfdata_reader.h"

enum { BATCH_CHUNK = 2048 /* records that a thread takes at a time */ };

struct batched_record {
        const uint8_t *at; /* NULL if the record is at `copy` in the batch's copies */
        uint64_t copy, time;
        uint32_t event;
        uint16_t size_bytes;
        bool is_sample;
        bool asked_build_id; /* as in struct perfdata_record */
};

struct perfdata_batch {
        struct batched_record *items;
        size_t n, cap;
        uint64_t *first_sample; /* for each chunk: number of the session's samples before it */
        size_t n_chunks, cap_chunks;
        uint32_t *others; /* indexes of records that are not samples */
        size_t n_others, cap_others;
        const struct perfdata_event **events; /* the events that were known when the batch had been filled */
        size_t n_events;
        /* records that are not in the file in this form, because they were compressed or joined */
        struct buf copies;
        uint64_t max_copied_bytes; /* a batch ends once its copies take as much; 0 for no limit */
        uint64_t first_chunk;      /* number of its first chunk in the session */
        /* bytes of the session's file that had been read when it was filled; 0 for a directory */
        uint64_t file_off;
        bool swap;
};

void perfdata_batch_release(struct perfdata_batch *batch);

/* Counters that continue from batch to batch; zero-initialize before the first. */
struct batch_totals {
        uint64_t n_samples, n_chunks;
};

/* A source of samples that are not records of the file, but are made from its other data. */
struct perfdata_extra {
        /* Called with each record of the file, in the order of the batches. */
        void (*see)(void *ctx, const struct perfdata_record *record);
        /* Returns the next sample that belongs before the record `before` of the file, which is the next
         * one (NULL: the file has ended), with time and event set. It is valid until the next call. False
         * if there is none. */
        bool (*next)(void *ctx, const struct perfdata_record *before, struct perfdata_record *ret);
        void *ctx;
};

/* Adds these samples to the batches, merged with the records of the file by time. Call it before the first
 * batch. */
void perfdata_set_extra(struct perfdata_reader *reader, const struct perfdata_extra *extra);

/* Fills a batch with at most `max` records; its old content is lost. 1: the batch has records; 0: the end, it
 * has none; -1: err. */
int perfdata_next_batch(struct perfdata_reader *reader, struct perfdata_batch *batch, size_t max,
                        struct batch_totals *totals, struct err *err);

/* Gets a record of the batch, as perfdata_next would, but without payload and file_off. */
void perfdata_batch_get(const struct perfdata_batch *batch, size_t index, struct perfdata_record *ret);

/* Allows the pages of the file before `file_off`, from an earlier batch, to leave memory. */
void perfdata_forget_before(struct perfdata_reader *reader, uint64_t file_off);

/* The same for bytes of a record's payload. */
void perfdata_forget_bytes(const struct perfdata_reader *reader, const uint8_t *bytes, size_t size);

#endif
