/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a session in file order: counts truncated and unknown ones, unpacks compressed ones, and
 * skips payloads after records. A zstd stream continues over all COMPRESSED records of a file, so a record
 * may begin in one and end in the next. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perfdata_reader_internal.h"

enum { HEADER_BYTES = sizeof(struct perf_header) };

/* Extracts the three fields from one number for speed: this is executed for every record. */
static struct perf_header header_at(const struct cursor *bytes, uint64_t off)
{
        struct cursor c = {.at = bytes->start + off, .end = bytes->end, .swap = bytes->swap};
        uint64_t v = cursor_u64(&c);

        if (record_is_big_endian(bytes))
                return (struct perf_header){
                        .type = (uint32_t)(v >> 32), .misc = (uint16_t)(v >> 16), .size = (uint16_t)v};
        return (struct perf_header){
                .type = (uint32_t)v, .misc = (uint16_t)(v >> 32), .size = (uint16_t)(v >> 48)};
}

static struct cursor empty_cursor(bool swap)
{
        return (struct cursor){.swap = swap};
}

bool perfdata_record_make(const void *bytes, size_t size, bool swap, struct perfdata_record *ret)
{
        struct cursor c = cursor_make(bytes, size);
        struct perf_header header;

        c.swap = swap;
        if (size < HEADER_BYTES)
                return false;
        header = header_at(&c, 0);
        if (header.size < HEADER_BYTES || header.size > size)
                return false;
        *ret = (struct perfdata_record){
                .header = header,
                .bytes = cursor_sub(&c, 0, header.size),
                .payload = empty_cursor(swap),
                .event = UINT32_MAX,
        };
        return true;
}

struct source *stream_add_source(struct perfdata_reader *r, struct os_map *map, const char *path)
{
        struct source source = {.map = map, .path = mem_strdup(path)};

        if (map) {
                source.bytes = cursor_make(map->bytes, map->size_bytes);
                source.end = map->size_bytes;
        }
        source.bytes.swap = r->layout.swapped;
        ARRAY_PUSH(r->sources, r->n_sources, r->sources_cap, source);
        return &r->sources[r->n_sources - 1];
}

bool stream_check(const struct perfdata_reader *r, struct err *err)
{
        for (size_t i = 0; i < r->n_sources; i++) {
                if (r->sources[i].map && !os_map_check(r->sources[i].map, r->sources[i].path, err))
                        return false;
        }
        return true;
}

static void unpacked_clear(struct unpacked_list *list, struct unpacked *u)
{
        list->held_bytes -= u->bytes.cap;
        buf_release(&u->bytes);
}

void stream_free(struct perfdata_reader *r)
{
        for (size_t i = 0; i < r->n_sources; i++) {
                struct source *s = &r->sources[i];

                os_map_free(s->map);
                free(s->path);
                codec_stream_free(s->unpacker);
                buf_release(&s->carry);
        }
        free(r->sources);
        for (size_t i = r->unpacked.first; i < r->unpacked.n; i++)
                unpacked_clear(&r->unpacked, &r->unpacked.items[i]);
        free(r->unpacked.items);
}

static struct unpacked *unpacked_find(const struct perfdata_reader *r, uint64_t at)
{
        const struct unpacked_list *list = &r->unpacked;
        size_t low = list->first, high = list->n;

        while (high - low > 1) {
                size_t mid = low + (high - low) / 2;

                if (list->items[mid].start <= at)
                        low = mid;
                else
                        high = mid;
        }
        return &list->items[low];
}

void stream_hold(struct perfdata_reader *r, uint64_t pos)
{
        if (pos & POS_UNPACKED)
                unpacked_find(r, pos & ~POS_UNPACKED)->n_held++;
}

void stream_release(struct perfdata_reader *r, uint64_t pos)
{
        if (pos != POS_NONE && (pos & POS_UNPACKED))
                unpacked_find(r, pos & ~POS_UNPACKED)->n_held--;
}

/* Frees unpacked buffers from the front that no record needs, except the newest. */
static void drop_unheld(struct unpacked_list *list)
{
        while (list->n - list->first > 1 && !list->items[list->first].n_held)
                unpacked_clear(list, &list->items[list->first++]);
        if (list->first <= list->n / 2)
                return;
        memmove(list->items, list->items + list->first, (list->n - list->first) * sizeof(*list->items));
        list->n -= list->first;
        list->first = 0;
}

/* Sets *ret to the record at `off`, whose header must be inside. If its size is too large, the cursor is
 * marked as failed: the file may change while it is read. */
static void set_record(struct perfdata_record *ret, const struct cursor *bytes, uint64_t off,
                       uint64_t file_off)
{
        const uint8_t *at = bytes->start + off;

        ret->header = header_at(bytes, off);
        ret->bytes =
                (struct cursor){.start = at, .at = at, .end = at + ret->header.size, .swap = bytes->swap};
        if (ret->header.size > (size_t)(bytes->end - at)) {
                ret->bytes.end = at;
                ret->bytes.failed = true;
        }
        ret->payload = empty_cursor(bytes->swap);
        ret->file_off = file_off;
        ret->time = 0;
        ret->event = UINT32_MAX;
}

static void get_unpacked(const struct perfdata_reader *r, uint64_t at, struct perfdata_record *ret)
{
        const struct unpacked *u = unpacked_find(r, at);
        struct cursor bytes = cursor_make(u->bytes.data, u->bytes.len);

        bytes.swap = r->layout.swapped;
        set_record(ret, &bytes, at - u->start, u->file_off);
}

void stream_get(const struct perfdata_reader *r, uint64_t pos, struct perfdata_record *ret)
{
        uint64_t off = pos & (((uint64_t)1 << POS_SOURCE_SHIFT) - 1);

        if (pos & POS_UNPACKED)
                get_unpacked(r, pos & ~POS_UNPACKED, ret);
        else
                set_record(ret, &r->sources[pos >> POS_SOURCE_SHIFT].bytes, off, off);
}

static bool is_known(uint32_t type)
{
        return record_type_name(type);
}

/* The end of the complete records in `bytes`. Anything that is not a record is counted as malformed, and the
 * rest is lost. */
static uint64_t whole_records(struct perfdata_reader *r, struct source *s, struct cursor bytes)
{
        uint64_t at = 0, size = (uint64_t)(bytes.end - bytes.start);

        while (size - at >= HEADER_BYTES) {
                struct perf_header header = header_at(&bytes, at);

                if (header.size < HEADER_BYTES) {
                        r->damage.n_malformed++;
                        r->damage.cut_bytes += size - at;
                        s->unpack_failed = true;
                        return at;
                }
                if (header.size > size - at)
                        return at;
                at += header.size;
        }
        return at;
}

static void add_unpacked(struct perfdata_reader *r, struct source *s, struct buf bytes, uint64_t file_off)
{
        struct unpacked_list *list = &r->unpacked;
        struct unpacked u = {.start = list->total, .file_off = file_off};
        struct cursor c = cursor_make(bytes.data, bytes.len);
        uint64_t whole;

        c.swap = r->layout.swapped;
        whole = whole_records(r, s, c);
        if (!s->unpack_failed)
                buf_add(&s->carry, bytes.data + whole, bytes.len - whole);
        buf_truncate(&bytes, whole);
        u.bytes = bytes;
        u.end = u.start + whole;
        list->at = u.start;
        list->end = list->total = u.end;
        list->held_bytes += bytes.cap;
        ARRAY_PUSH(list->items, list->n, list->cap, u);
}

/* Ends a stream at a piece that is not valid zstd or is in the wrong order, or that unpacks to more than a
 * recorder ever packs. All later pieces of this file are lost. */
static bool lose_stream(struct perfdata_reader *r, struct source *s, size_t packed_bytes, struct err *err)
{
        if (err->code != ERR_FORMAT && err->code != ERR_LIMIT)
                return err_in(err, "%s", s->path);
        s->is_overblown = err->code == ERR_LIMIT;
        if (s->is_overblown)
                r->damage.overblown_bytes += packed_bytes;
        else
                r->damage.n_malformed++;
        *err = (struct err){0};
        s->unpack_failed = true;
        return true;
}

/* The number of bytes to which the next piece may unpack. */
static size_t most_unpacked(const struct perfdata_reader *r, const struct source *s)
{
        uint64_t most = s->packed_bytes * LIMIT_COMPRESSED_RATIO + LIMIT_COMPRESSED_FREE_BYTES;
        uint64_t most_record = r->max_waiting_bytes < LIMIT_COMPRESSED_RECORD_BYTES
                                       ? r->max_waiting_bytes
                                       : LIMIT_COMPRESSED_RECORD_BYTES;

        most = most > s->unpacked_bytes ? most - s->unpacked_bytes : 0;
        return (size_t)(most < most_record ? most : most_record);
}

static bool unpack(struct perfdata_reader *r, struct source *s, const struct perfdata_record *record,
                   struct err *err)
{
        struct cursor c = record->bytes;
        struct err why = {0};
        struct buf out;
        uint64_t size;
        size_t n_before;

        r->layout.compressed = true;
        cursor_skip(&c, HEADER_BYTES);
        size = record->header.type == PERF_RECORD_COMPRESSED2 ? cursor_u64(&c) : cursor_left(&c);
        if (s->is_overblown) {
                r->damage.overblown_bytes += cursor_left(&c);
                return true;
        }
        if (s->unpack_failed || c.failed || size > cursor_left(&c)) {
                r->damage.n_malformed++;
                r->damage.cut_bytes += cursor_left(&c);
                s->unpack_failed = true;
                return true;
        }
        if (!s->unpacker)
                s->unpacker = codec_stream_new(err);
        if (!s->unpacker)
                return err_in(err, "%s", s->path);
        out = s->carry;
        n_before = out.len;
        s->carry = (struct buf){0};
        s->packed_bytes += size;
        if (!codec_stream_feed(s->unpacker, c.at, size, most_unpacked(r, s), &out, &why) &&
            !lose_stream(r, s, size, &why)) {
                buf_release(&out);
                if (err)
                        *err = why;
                return false;
        }
        s->unpacked_bytes += out.len - n_before;
        add_unpacked(r, s, out, record->file_off);
        return true;
}

static bool is_of_simpleperf(uint32_t type)
{
        return type >= RECORD_SIMPLEPERF_FIRST && type < RECORD_SIMPLEPERF_END;
}

/* The number of bytes after a record that belong to it. (simpleperf has TRACING_DATA in files, with the
 * payload inside.) */
static uint64_t payload_bytes(const struct perfdata_reader *r, const struct perfdata_record *record)
{
        struct cursor c = record->bytes;

        if (is_of_simpleperf(record->header.type))
                return (uint64_t)record->header.misc << 16; /* the upper half of the size */
        cursor_skip(&c, HEADER_BYTES);
        if (record->header.type == PERF_RECORD_AUXTRACE)
                return cursor_u64(&c);
        if (record->header.type == PERF_RECORD_HEADER_TRACING_DATA && r->layout.pipe)
                return ((uint64_t)cursor_u32(&c) + 7) & ~(uint64_t)7;
        return 0;
}

static int end_source(struct perfdata_reader *r, struct source *s, uint64_t cut_bytes)
{
        if (!s->lenient)
                r->damage.cut_bytes += cut_bytes;
        r->damage.cut_bytes += s->carry.len;
        buf_release(&s->carry);
        s->at = s->end;
        s->beyond = false;
        return 0;
}

/* If a pipe was the recorder's standard output, messages may follow the records. */
static bool is_junk(const struct perfdata_reader *r, uint32_t type)
{
        return r->layout.pipe && type >= RECORD_SIMPLEPERF_END;
}

static bool is_text(const uint8_t *at, uint64_t size)
{
        for (uint64_t i = 0; i < size; i++) {
                if ((at[i] < ' ' && at[i] != '\n' && at[i] != '\r' && at[i] != '\t') || at[i] == 127)
                        return false;
        }
        return true;
}

static bool go_beyond(struct source *s)
{
        if (s->at != s->end || !s->beyond)
                return false;
        s->beyond = false;
        s->lenient = true;
        s->end = (uint64_t)(s->bytes.end - s->bytes.start);
        return true;
}

/* 1: a complete, known record; 0: the end; 2: a skipped record. */
static int read_record(struct perfdata_reader *r, struct source *s, struct perfdata_record *ret)
{
        uint64_t left = s->end - s->at, payload;

        if (!left && !go_beyond(s))
                return end_source(r, s, 0);
        left = s->end - s->at;
        if (left < HEADER_BYTES)
                return end_source(r, s, r->layout.pipe && is_text(s->bytes.start + s->at, left) ? 0 : left);
        set_record(ret, &s->bytes, s->at, s->at);
        if (is_junk(r, ret->header.type))
                return end_source(r, s, is_text(s->bytes.start + s->at, left) ? 0 : left);
        payload = payload_bytes(r, ret);
        if (ret->header.size < HEADER_BYTES && !(is_of_simpleperf(ret->header.type) && payload)) {
                r->damage.n_malformed += !s->lenient;
                return end_source(r, s, left);
        }
        if (ret->header.size > left || (s->lenient && !is_known(ret->header.type)))
                return end_source(r, s, left);
        if (payload > left - ret->header.size)
                return end_source(r, s, left);
        if (payload)
                ret->payload = cursor_sub(&s->bytes, s->at + ret->header.size, payload);
        s->at += ret->header.size + payload;
        if (is_known(ret->header.type))
                return 1;
        r->damage.n_unknown_types++;
        return r->keep_unknown ? 1 : 2;
}

static bool is_packed(uint32_t type)
{
        return type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2;
}

static bool next_unpacked(struct perfdata_reader *r, struct perfdata_record *ret, uint64_t *ret_pos)
{
        struct unpacked_list *list = &r->unpacked;

        while (list->at < list->end) {
                *ret_pos = POS_UNPACKED | list->at;
                stream_get(r, *ret_pos, ret);
                list->at += ret->header.size;
                if (is_known(ret->header.type))
                        return true;
                r->damage.n_unknown_types++;
                if (r->keep_unknown)
                        return true;
        }
        return false;
}

/* 1: a complete record; 0: the end of this file; 2: skipped; -1: err */
static int next_of_source(struct perfdata_reader *r, struct source *s, struct perfdata_record *ret,
                          struct err *err)
{
        int got = read_record(r, s, ret);

        if (got == 1 && is_packed(ret->header.type))
                return unpack(r, s, ret, err) ? 1 : -1;
        if (got == 1 && ret->header.type >= PERF_RECORD_HEADER_ATTR && !r->layout.pipe)
                header_take_record(r, ret);
        return got;
}

void stream_read_head(struct perfdata_reader *r)
{
        struct source *s = &r->sources[0];
        struct perfdata_damage damage = r->damage;
        const uint64_t at = s->at;
        struct perfdata_record record;
        int got;

        while ((got = read_record(r, s, &record))) {
                const uint64_t n_malformed = r->damage.n_malformed;

                if (got == 1 && record.header.type >= PERF_RECORD_HEADER_ATTR)
                        header_take_record(r, &record);
                damage.n_malformed += r->damage.n_malformed - n_malformed;
        }
        r->damage = damage;
        s->at = at;
}

static bool is_of_trace(uint32_t type)
{
        return type == PERF_RECORD_TIME_CONV || type == PERF_RECORD_AUXTRACE_INFO ||
               type == PERF_RECORD_AUXTRACE;
}

static void each_aux_of(struct perfdata_reader *r, struct source *s, perfdata_aux_fn *each, void *ctx)
{
        enum { FIRST_RECORDS = 4096 };
        bool has_trace = r->features[FEATURE_AUXTRACE].start, was_beyond = s->beyond;
        const uint64_t at = s->at, end = s->end;
        struct perfdata_record record;
        int got;

        for (unsigned n = 0; (has_trace || n < FIRST_RECORDS) && (got = read_record(r, s, &record)); n++) {
                if (got != 1 || !is_of_trace(record.header.type))
                        continue;
                has_trace |= record.header.type != PERF_RECORD_TIME_CONV;
                each(ctx, &record);
        }
        s->at = at;
        s->end = end;
        s->beyond = was_beyond;
        s->lenient = false;
}

void perfdata_each_aux(struct perfdata_reader *r, perfdata_aux_fn *each, void *ctx)
{
        struct perfdata_damage damage = r->damage;

        for (size_t i = 0; i < r->n_sources; i++)
                each_aux_of(r, &r->sources[i], each, ctx);
        r->damage = damage;
}

int stream_next(struct perfdata_reader *r, struct perfdata_record *ret, uint64_t *ret_pos, struct err *err)
{
        if (r->unpacked.n)
                drop_unheld(&r->unpacked);
        if (next_unpacked(r, ret, ret_pos))
                return 1;
        while (r->source_at < r->n_sources) {
                struct source *s = &r->sources[r->source_at];
                int got;

                *ret_pos = (uint64_t)r->source_at << POS_SOURCE_SHIFT | s->at;
                got = next_of_source(r, s, ret, err);
                if (got == 1 || got == -1)
                        return got;
                r->source_at += !got;
        }
        return 0;
}
