/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_streams.h"

#include <assert.h>
#include <stdlib.h>

#include "mem.h"
#include "perfdata_batch.h"

enum { FEED_BYTES = 1 << 20 /* at a time; they stay in memory until they are decoded */ };

struct spe_piece {
        struct cursor bytes;
        uint64_t offset;
};

struct spe_stream {
        uint32_t index;
        int32_t cpu, tid;
        struct spe_piece *pieces;
        size_t n, cap, at;
        struct spe_decoder decoder;
        const uint8_t *fed; /* what the decoder has; NULL: nothing yet */
        size_t fed_bytes;
        uint64_t expected; /* offset of the next piece, if no data was lost */
        bool is_ending, has_ended;
        struct spe_packed record;
        uint64_t time;
        bool waits;         /* `record` has no timestamp, and no AUX record for it was seen yet */
        uint64_t known_off; /* records before this offset have the time known_time */
        uint64_t known_time;
};

void spe_streams_release(struct spe_streams *s)
{
        for (size_t i = 0; i < s->n; i++)
                free(s->items[i].pieces);
        free(s->items);
        free(s->heap);
        map_release(&s->by_index);
        *s = (struct spe_streams){0};
}

static struct spe_stream *stream_of(struct spe_streams *s, const struct record_auxtrace *piece)
{
        struct spe_stream stream = {.index = piece->index, .cpu = piece->cpu, .tid = piece->tid};

        uint64_t *at = map_put(&s->by_index, piece->index, NULL);

        if (!*at) {
                ARRAY_PUSH(s->items, s->n, s->cap, stream);
                *at = s->n;
        }
        return &s->items[*at - 1];
}

void spe_streams_add(struct spe_streams *s, const struct record_auxtrace *piece, struct cursor bytes)
{
        struct spe_stream *stream = stream_of(s, piece);
        struct spe_piece item = {bytes, piece->offset};

        ARRAY_PUSH(stream->pieces, stream->n, stream->cap, item);
}

/* --- one stream --- */

static bool has_piece(const struct spe_stream *stream)
{
        return stream->at < stream->n;
}

/* At a gap before the next piece, and at the end, the decoder first returns what is left in it. */
static void end_decoder(struct spe_stream *stream)
{
        spe_decoder_end(&stream->decoder);
        stream->is_ending = true;
        stream->has_ended = !has_piece(stream);
}

static void feed(const struct spe_streams *s, struct spe_stream *stream)
{
        struct spe_piece *piece = &stream->pieces[stream->at];
        size_t left = cursor_left(&piece->bytes);

        if (stream->is_ending)
                spe_decoder_resume(&stream->decoder, piece->offset);
        stream->is_ending = false;
        if (s->reader && stream->fed)
                perfdata_forget_bytes(s->reader, stream->fed, stream->fed_bytes);
        stream->fed = piece->bytes.at;
        stream->fed_bytes = left < FEED_BYTES ? left : FEED_BYTES;
        spe_decoder_feed(&stream->decoder, stream->fed, stream->fed_bytes);
        piece->bytes.at += stream->fed_bytes;
        piece->offset += stream->fed_bytes;
        stream->expected = piece->offset;
        stream->at += !cursor_left(&piece->bytes);
}

static bool next_of_stream(const struct spe_streams *s, struct spe_stream *stream)
{
        while (!spe_decoder_next_packed(&stream->decoder, &stream->record)) {
                if (stream->has_ended)
                        return false;
                if (!has_piece(stream) ||
                    (!stream->is_ending && stream->pieces[stream->at].offset != stream->expected))
                        end_decoder(stream);
                else
                        feed(s, stream);
        }
        return true;
}

/* False if the record has to wait for its AUX record. */
static bool give_time(const struct spe_streams *s, struct spe_stream *stream)
{
        if (stream->record.has & SPE_HAS_TIMESTAMP && s->has_conv) {
                stream->time =
                        record_time_of_tick(&s->conv, spe_packed_payload(&stream->record, SPE_HAS_TIMESTAMP));
                return true;
        }
        stream->time = stream->known_time;
        return stream->record.off < stream->known_off;
}

/* --- merging by time --- */

static void sift_up(struct spe_streams *s, size_t at)
{
        struct spe_stream *item = s->heap[at];

        for (; at && s->heap[(at - 1) / 2]->time > item->time; at = (at - 1) / 2)
                s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[at] = item;
}

static void sift_down(struct spe_streams *s)
{
        struct spe_stream *item = s->heap[0];
        size_t at = 0, child;

        while ((child = 2 * at + 1) < s->n_heap) {
                if (child + 1 < s->n_heap && s->heap[child + 1]->time < s->heap[child]->time)
                        child++;
                if (s->heap[child]->time >= item->time)
                        break;
                s->heap[at] = s->heap[child];
                at = child;
        }
        s->heap[at] = item;
}

static void push(struct spe_streams *s, struct spe_stream *stream)
{
        s->heap[s->n_heap++] = stream;
        sift_up(s, s->n_heap - 1);
}

/* Decodes the next record of a stream. False if there is none, or it has to wait for its time. */
static bool read_next(const struct spe_streams *s, struct spe_stream *stream)
{
        if (!next_of_stream(s, stream))
                return false;
        stream->waits = !give_time(s, stream) && !s->is_at_end;
        return !stream->waits;
}

/* Reads the next record of the stream whose record was returned last. The stream is the first one of the
 * heap. */
static void go_on(struct spe_streams *s)
{
        if (!read_next(s, s->given))
                s->heap[0] = s->heap[--s->n_heap];
        s->given = NULL;
        if (s->n_heap > 1)
                sift_down(s);
}

void spe_streams_begin(struct spe_streams *s)
{
        assert(!s->heap);
        s->heap = mem_new(s->n, sizeof(*s->heap));
        for (size_t i = 0; i < s->n; i++) {
                struct spe_stream *stream = &s->items[i];

                stream->expected = stream->pieces[0].offset;
                spe_decoder_begin(&stream->decoder, stream->expected);
                if (read_next(s, stream))
                        push(s, stream);
        }
}

static void end_waiting(struct spe_streams *s, struct spe_stream *stream)
{
        stream->waits = false;
        push(s, stream);
}

void spe_streams_see(struct spe_streams *s, int32_t cpu, int32_t tid, const struct record_aux *aux,
                     uint64_t time)
{
        for (size_t i = 0; i < s->n; i++) {
                struct spe_stream *stream = &s->items[i];

                if (stream->cpu >= 0 ? stream->cpu != cpu : stream->tid != tid)
                        continue;
                stream->known_off = aux->offset + aux->size;
                stream->known_time = time;
                if (stream->waits && give_time(s, stream))
                        end_waiting(s, stream);
        }
}

static void end_all_waiting(struct spe_streams *s)
{
        for (size_t i = 0; i < s->n; i++) {
                if (s->items[i].waits)
                        end_waiting(s, &s->items[i]);
        }
}

bool spe_streams_next(struct spe_streams *s, uint64_t until, struct spe_found *ret)
{
        bool was_at_end = s->is_at_end;
        struct spe_stream *stream;

        s->is_at_end = until == UINT64_MAX;
        if (s->given)
                go_on(s);
        if (s->is_at_end && !was_at_end)
                end_all_waiting(s);
        if (!s->n_heap || s->heap[0]->time > until)
                return false;
        stream = s->given = s->heap[0];
        *ret = (struct spe_found){&stream->record, stream->time, stream->cpu, stream->tid};
        return true;
}

struct spe_counts spe_streams_counts(const struct spe_streams *s)
{
        struct spe_counts all = {0};

        for (size_t i = 0; i < s->n; i++) {
                const struct spe_counts *counts = &s->items[i].decoder.counts;

                all.n_records += counts->n_records;
                all.n_damaged += counts->n_damaged;
                all.record_bytes += counts->record_bytes;
                all.padding_bytes += counts->padding_bytes;
                all.damaged_bytes += counts->damaged_bytes;
        }
        return all;
}
