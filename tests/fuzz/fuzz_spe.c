/* SPDX-License-Identifier: BSD-3-Clause */
/* The first byte says in which pieces the rest comes.  Pieces make no difference, each byte is counted
 * once, records stand in their order and do not overlap, and each one alone is read as the same record.
 * Whatever is read can be written as text. */
#include <stdint.h>
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "spe_compare.h"
#include "spe_source.h"
#include "spe_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 2048, MAX_RECORDS = MAX_BYTES / 10 + 1 }; /* the shortest record is a PC and END */

struct records {
        struct spe_record all[MAX_RECORDS];
        size_t n;
        struct spe_counts counts;
};

static void take_records(struct spe_decoder *d, struct records *out)
{
        struct spe_record record;

        while (spe_decoder_next(d, &record))
                out->all[out->n++] = record;
}

/* Each piece is a copy with no byte to spare behind it, which is overwritten when it is used up. */
static void decode(const uint8_t *bytes, size_t size, size_t step, struct records *out)
{
        uint8_t *room = malloc(step);
        struct spe_decoder d;

        if (!room)
                abort();
        out->n = 0;
        spe_decoder_begin(&d, 0);
        for (size_t at = 0; at < size; at += step) {
                const size_t n = size - at < step ? size - at : step;
                uint8_t *piece = room + step - n;

                memcpy(piece, bytes + at, n);
                spe_decoder_feed(&d, piece, n);
                take_records(&d, out);
                memset(piece, 0xb0, n);
        }
        spe_decoder_feed(&d, NULL, 0);
        spe_decoder_end(&d);
        take_records(&d, out);
        out->counts = d.counts;
        free(room);
}

static void check_same(const struct records *a, const struct records *b)
{
        if (a->n != b->n || memcmp(&a->counts, &b->counts, sizeof(a->counts)) != 0)
                abort();
        for (size_t i = 0; i < a->n; i++) {
                if (a->all[i].off != b->all[i].off || !spe_same_record(&a->all[i], &b->all[i]))
                        abort();
        }
}

static void check_alone(const uint8_t *bytes, const struct spe_record *record)
{
        static struct records alone;

        decode(bytes + record->off, record->size_bytes, record->size_bytes, &alone);
        if (alone.n != 1 || alone.counts.damaged_bytes || !spe_same_record(&alone.all[0], record))
                abort();
}

static void check_text(const struct spe_record *record, struct buf *text)
{
        static const uint64_t midrs[] = {0, 0x413fd0c1, 0xc00fac41, 0x480fd060};

        buf_clear(text);
        spe_text_add_sampled(text, record);
        for (size_t i = 0; i < N_ELEMENTS(midrs); i++) {
                struct spe_source source = spe_source_of_record(record, midrs[i]);

                buf_add_str(text, spe_source_name(&source));
                if ((spe_source_to_perf(record, midrs[i]) != 0) !=
                    (record->op.class_id == SPE_CLASS_LOAD_STORE))
                        abort();
        }
}

static void check_records(const uint8_t *bytes, size_t size, const struct records *records, struct buf *text)
{
        uint64_t end = 0;

        for (size_t i = 0; i < records->n; i++) {
                const struct spe_record *record = &records->all[i];

                if (record->off < end || record->off + record->size_bytes > size ||
                    record->size_bytes > SPE_RECORD_MAX_BYTES || !(record->has & SPE_HAS_PC))
                        abort();
                end = record->off + record->size_bytes;
                check_alone(bytes, record);
                check_text(record, text);
        }
        if (records->counts.record_bytes + records->counts.padding_bytes + records->counts.damaged_bytes !=
            size)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static struct records whole, pieces;
        AUTO_RELEASE(buf) text = {0};

        if (size < 1 || size > MAX_BYTES)
                return 0;
        decode(data + 1, size - 1, size, &whole);
        decode(data + 1, size - 1, data[0] + 1u, &pieces);
        check_same(&whole, &pieces);
        check_records(data + 1, size - 1, &whole, &text);
        spe_text_add_dump(&text, data + 1, size - 1, 0, SPE_TEXT_PERF);
        spe_text_add_dump(&text, data + 1, size - 1, 0, SPE_TEXT_FULL);
        return 0;
}
