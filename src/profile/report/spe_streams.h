/* SPDX-License-Identifier: BSD-3-Clause */
/* The SPE records of a session, sorted by time. Each SPE buffer of the recorder is one stream, whose pieces
 * are decoded one after the other; the streams are merged. */
#ifndef SPE_STREAMS_H
#define SPE_STREAMS_H

#include "map.h"
#include "perfdata_reader.h"
#include "record_aux.h"
#include "spe_record.h"

struct spe_stream;

/* Zero-initialised is empty and ready. */
struct spe_streams {
        const struct perfdata_reader
                *reader; /* whose bytes can leave memory when they are decoded; NULL: none */
        struct spe_stream *items;
        size_t n, cap;
        struct map by_index; /* from a stream's number to its place in `items` + 1 */
        bool is_at_end;      /* no AUX record follows: none is waited for */
        struct record_time_conv conv;
        bool has_conv;
        struct spe_stream **heap; /* a heap of the streams whose next record has a time; the earliest first */
        size_t n_heap;
        struct spe_stream *given; /* the stream whose record was returned last; NULL if none */
};

void spe_streams_release(struct spe_streams *streams);

/* Adds a piece of a stream. Call it in the order of the file. The caller keeps the bytes until
 * spe_streams_release(). */
void spe_streams_add(struct spe_streams *streams, const struct record_auxtrace *piece, struct cursor bytes);

/* Begins decoding. Call it after the last spe_streams_add(), and after setting `conv` and `has_conv`. */
void spe_streams_begin(struct spe_streams *streams);

/* Reports an AUX record: the kernel had the data before its end at `time`. Records without a timestamp get
 * this time. Streams belong to a CPU, or to a thread if the recorder used a buffer for each thread. */
void spe_streams_see(struct spe_streams *streams, int32_t cpu, int32_t tid, const struct record_aux *aux,
                     uint64_t time);

struct spe_found {
        const struct spe_packed *record; /* valid until the next call */
        uint64_t time;
        int32_t cpu, tid; /* of the stream; -1 if it belongs to none */
};

/* Returns the next record whose time is not after `until`. With UINT64_MAX also records whose time is not
 * known. */
bool spe_streams_next(struct spe_streams *streams, uint64_t until, struct spe_found *ret);

/* The sum over all streams, so far. */
struct spe_counts spe_streams_counts(const struct spe_streams *streams);

#endif
