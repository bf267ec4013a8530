/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutates sessions by their structure: records, attributes and feature sections; the header and the table
 * of sections after the data are updated. */
#include <string.h>

#include "cursor.h"
#include "mutate.h"

enum {
        HEADER_BYTES = 104,
        PIPE_HEADER_BYTES = 16,
        RECORD_HEADER_BYTES = 8,
        ENTRY_BYTES = 16,
        MAX_FEATURES = 256,
};
enum { STORE_RECORDS, STORE_RECORDS_SWAPPED, STORE_ATTRS, STORE_FEATURES };

struct session {
        bool swap;
        uint64_t attr_bytes, attrs_off, attrs_bytes, data_off, data_bytes;
        unsigned n_features;
        struct cursor features[MAX_FEATURES];
};

static size_t measure_record(const struct mutate_framing *framing, const uint8_t *at, size_t left)
{
        uint16_t size;

        if (left < RECORD_HEADER_BYTES)
                return 0;
        memcpy(&size, at + 6, sizeof(size));
        size = framing->swap ? __builtin_bswap16(size) : size;
        return size < RECORD_HEADER_BYTES ? 0 : size;
}

static void resize_record(const struct mutate_framing *framing, uint8_t *at, size_t size)
{
        uint16_t value = (uint16_t)size;

        value = framing->swap ? __builtin_bswap16(value) : value;
        if (size >= RECORD_HEADER_BYTES && size <= UINT16_MAX)
                memcpy(at + 6, &value, sizeof(value));
}

/* In one of eight cases the type of a record changes, too. */
static void change_records(struct buf *records, bool swap, size_t max_bytes, struct mutate_random *random)
{
        struct mutate_framing framing = {
                .measure = measure_record,
                .resize = resize_record,
                .head_bytes = mutate_one_in(random, 8) ? 0 : RECORD_HEADER_BYTES,
                .swap = swap,
                .store = swap ? STORE_RECORDS_SWAPPED : STORE_RECORDS,
        };

        mutate_pieces(records, &framing, max_bytes, random);
}

static bool read_features(struct cursor *all, struct session *s)
{
        uint64_t bits[MAX_FEATURES / 64];

        cursor_seek(all, 72);
        for (size_t i = 0; i < MAX_FEATURES / 64; i++) {
                bits[i] = cursor_u64(all);
                s->n_features += (unsigned)__builtin_popcountll(bits[i]);
        }
        if (s->n_features && !cursor_seek(all, s->data_off + s->data_bytes))
                return false;
        for (unsigned i = 0; i < s->n_features; i++) {
                uint64_t off = cursor_u64(all), size = cursor_u64(all);

                s->features[i] = cursor_sub(all, off, size);
        }
        return !all->failed;
}

static bool read_session(const uint8_t *data, size_t size, struct session *s)
{
        struct cursor all = cursor_make(data, size);

        s->swap = all.swap = size >= 16 && !data[8]; /* of the header's size */
        cursor_seek(&all, 16);
        s->attr_bytes = cursor_u64(&all);
        s->attrs_off = cursor_u64(&all);
        s->attrs_bytes = cursor_u64(&all);
        s->data_off = cursor_u64(&all);
        s->data_bytes = cursor_u64(&all);
        if (all.failed || s->data_off < HEADER_BYTES || s->data_off > size ||
            s->data_bytes > size - s->data_off)
                return false;
        return read_features(&all, s);
}

static void put_u64(struct buf *out, size_t off, uint64_t value, bool swap)
{
        value = swap ? __builtin_bswap64(value) : value;
        memcpy(out->data + off, &value, sizeof(value));
}

/* Writes the file with new `records`, and `feature` as section `changed` of the features. */
static void write_session(const uint8_t *data, const struct session *s, const struct buf *records,
                          unsigned changed, const struct buf *feature, struct buf *out)
{
        size_t table;

        buf_add(out, data, s->data_off);
        put_u64(out, 48, records->len, s->swap);
        if (records->len)
                buf_add(out, records->data, records->len);
        table = out->len;
        buf_add_zeros(out, (size_t)s->n_features * ENTRY_BYTES);
        for (unsigned i = 0; i < s->n_features; i++) {
                const struct cursor *c = &s->features[i];
                size_t off = out->len, size = i == changed ? feature->len : cursor_left(c);

                if (size)
                        buf_add(out, i == changed ? feature->data : (const char *)c->start, size);
                put_u64(out, table + (size_t)i * ENTRY_BYTES, off, s->swap);
                put_u64(out, table + (size_t)i * ENTRY_BYTES + 8, size, s->swap);
        }
}

/* Attributes are before the data and keep their size. */
static size_t change_attrs(uint8_t *data, size_t size, const struct session *s, struct mutate_random *random)
{
        uint64_t n_bytes = s->attrs_bytes, entry = s->attr_bytes;
        size_t at;

        if (s->attrs_off >= size || !n_bytes || n_bytes > size - s->attrs_off || !entry)
                return size;
        at = (size_t)(s->attrs_off + mutate_below(random, (size_t)n_bytes));
        data[at] ^= (uint8_t)(1u << mutate_below(random, 8));
        return size;
}

static size_t change_file(uint8_t *data, size_t size, size_t max_size, struct mutate_random *random)
{
        struct session s = {0};
        struct buf records = {0}, feature = {0}, out = {0};
        unsigned changed = UINT32_MAX;

        if (!read_session(data, size, &s))
                return LLVMFuzzerMutate(data, size, max_size);
        if (mutate_one_in(random, 6))
                return change_attrs(data, size, &s, random);
        buf_add(&records, data + s.data_off, s.data_bytes);
        if (s.n_features && mutate_one_in(random, 3)) {
                changed = (unsigned)mutate_below(random, s.n_features);
                buf_add(&feature, s.features[changed].start, cursor_left(&s.features[changed]));
                mutate_plain(&feature, max_size);
        } else {
                change_records(&records, s.swap, max_size, random);
        }
        write_session(data, &s, &records, changed, &feature, &out);
        size = mutate_finish(&out, data, max_size);
        buf_release(&records);
        buf_release(&feature);
        buf_release(&out);
        return size;
}

static size_t change_pipe(uint8_t *data, size_t size, size_t max_size, struct mutate_random *random)
{
        struct buf records = {0}, out = {0};

        buf_add(&records, data + PIPE_HEADER_BYTES, size - PIPE_HEADER_BYTES);
        change_records(&records, !data[8], max_size, random);
        buf_add(&out, data, PIPE_HEADER_BYTES);
        buf_add(&out, records.data, records.len);
        size = mutate_finish(&out, data, max_size);
        buf_release(&records);
        buf_release(&out);
        return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
        struct mutate_random random = mutate_random_make(seed);
        bool is_pipe = size > PIPE_HEADER_BYTES && (data[8] | data[15]) == PIPE_HEADER_BYTES;

        if (mutate_one_in(&random, 3))
                return LLVMFuzzerMutate(data, size, max_size);
        if (is_pipe)
                return change_pipe(data, size, max_size, &random);
        return change_file(data, size, max_size, &random);
}
