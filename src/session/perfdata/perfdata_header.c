/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a session: magic, attributes, ids, features; and the records that replace them in a pipe.
 *
 * File: magic[8], size u64 (104), attr_size u64, three sections {offset u64, size u64} (attributes, data,
 * event types), 256 feature bits. An attribute entry has attr_size bytes, of which the last 16 are the
 * section of its ids. The table of feature sections follows the data, in the order of the bits.
 *
 * Pipe: magic[8], size u64 (16); the rest are records. See perf.data-file-format.txt. */
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "perfdata_reader_internal.h"
#include "text_printable.h"

enum { SECTION_BYTES = 16, OLD_HEADER_BYTES = 72 /* without feature bits */ };

struct section {
        uint64_t off, size;
};

static struct section read_section(struct cursor *c)
{
        struct section section = {.off = cursor_u64(c)};

        section.size = cursor_u64(c);
        return section;
}

struct perf_attr header_read_attr(struct cursor *c, uint64_t size)
{
        struct perf_attr attr = {0};
        uint8_t bytes[sizeof(attr)] = {0};
        const void *from = cursor_bytes(c, size);
        struct cursor a = cursor_make(bytes, sizeof(bytes));

        if (from)
                memcpy(bytes, from, size < sizeof(bytes) ? size : sizeof(bytes));
        a.swap = c->swap;
        attr.type = cursor_u32(&a);
        attr.size = cursor_u32(&a);
        attr.config = cursor_u64(&a);
        attr.sample_period_or_freq = cursor_u64(&a);
        attr.sample_type = cursor_u64(&a);
        attr.read_format = cursor_u64(&a);
        attr.flags = record_bit_field(cursor_u64(&a), record_is_big_endian(c));
        attr.wakeup = cursor_u32(&a);
        attr.bp_type = cursor_u32(&a);
        attr.config1 = cursor_u64(&a);
        attr.config2 = cursor_u64(&a);
        attr.branch_sample_type = cursor_u64(&a);
        attr.sample_regs_user = cursor_u64(&a);
        attr.sample_stack_user = cursor_u32(&a);
        attr.clockid = (int32_t)cursor_u32(&a);
        attr.sample_regs_intr = cursor_u64(&a);
        attr.aux_watermark = cursor_u32(&a);
        attr.sample_max_stack = cursor_u16(&a);
        attr.reserved_2 = cursor_u16(&a);
        attr.aux_sample_size = cursor_u32(&a);
        attr.reserved_3 = cursor_u32(&a);
        attr.sig_data = cursor_u64(&a);
        attr.config3 = cursor_u64(&a);
        return attr;
}

static bool section_fits(const struct perfdata_reader *r, struct section section)
{
        struct cursor sub = cursor_sub(&r->sources[0].bytes, section.off, section.size);

        return !sub.failed;
}

static bool check_section(const struct perfdata_reader *r, const char *what, struct section section,
                          struct err *err)
{
        if (section_fits(r, section))
                return true;
        return err_set(err, ERR_FORMAT,
                       "%s: %s section at offset 0x%" PRIx64 " needs %" PRIu64
                       " bytes, the file has %" PRIu64,
                       r->name, what, section.off, section.size, r->layout.file_bytes);
}

bool header_has_magic(struct cursor file)
{
        static const char *const magics[] = {PERFDATA_MAGIC, "2ELIFREP", "PERFFILE", "ELIFFREP"};
        const char *magic = cursor_bytes(&file, 8);

        for (size_t i = 0; magic && i < N_ELEMENTS(magics); i++) {
                if (!memcmp(magic, magics[i], 8))
                        return true;
        }
        return false;
}

static bool read_magic(struct perfdata_reader *r, struct cursor *c, struct err *err)
{
        const char *magic = cursor_bytes(c, 8);
        bool big;

        if (!magic && !r->layout.file_bytes)
                return err_set(err, ERR_FORMAT, "%s: the file is empty", r->name);
        if (!magic)
                return err_set(err, ERR_FORMAT,
                               "%s: the file is cut: its header has at least %d bytes, the file %" PRIu64,
                               r->name, PERFDATA_PIPE_HEADER_BYTES, r->layout.file_bytes);
        if (!memcmp(magic, "PERFFILE", 8) || !memcmp(magic, "ELIFFREP", 8))
                return err_set(err, ERR_UNSUPPORTED,
                               "%s: version 1 of perf.data is not supported; record again with a newer perf",
                               r->name);
        big = !memcmp(magic, "2ELIFREP", 8);
        if (!big && memcmp(magic, PERFDATA_MAGIC, 8)) {
                struct buf start = {0};
                char four[5] = {magic[0], magic[1], magic[2], magic[3]};

                text_add_printable(&start, four);
                err_set(err, ERR_FORMAT, "%s: not a perf.data file (starts with '%s')", r->name,
                        buf_text(&start));
                buf_release(&start);
                return false;
        }
        c->swap = r->sources[0].bytes.swap = r->layout.swapped =
                big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        return true;
}

/* Some files of the other byte order have the bits written as 32-bit numbers. */
static void read_feature_bits(struct perfdata_reader *r, struct cursor *c)
{
        uint64_t *bits = r->layout.feature_bits;

        for (unsigned i = 0; i < PERFDATA_FEATURE_WORDS; i++)
                bits[i] = cursor_u64(c);
        if (!r->layout.swapped || bits[0] >> FEATURE_HOSTNAME & 1)
                return;
        for (unsigned i = 0; i < PERFDATA_FEATURE_WORDS; i++)
                bits[i] = bits[i] << 32 | bits[i] >> 32;
}

static bool read_attrs(struct perfdata_reader *r, struct section attrs, struct err *err)
{
        uint64_t entry = r->layout.attr_bytes, n;
        struct cursor c;

        if (!attrs.size)
                return true;
        if (entry < PERF_ATTR_SIZE_VER0 + SECTION_BYTES)
                return err_set(err, ERR_FORMAT,
                               "%s: header at offset 0x10: an attribute of %" PRIu64 " bytes", r->name,
                               entry);
        if (!check_section(r, "attribute", attrs, err))
                return false;
        n = attrs.size / entry;
        if (n > LIMIT_EVENTS)
                return err_set(err, ERR_LIMIT, "%s: has %" PRIu64 " events; wperf reads at most %d", r->name,
                               n, LIMIT_EVENTS);
        c = cursor_sub(&r->sources[0].bytes, attrs.off, attrs.size);
        for (uint64_t i = 0; i < n; i++) {
                struct perf_attr attr = header_read_attr(&c, entry - SECTION_BYTES);
                struct section ids = read_section(&c);
                uint32_t event = events_add(r, &attr);

                if (!check_section(r, "id", ids, err))
                        return false;
                if (ids.size / 8 > LIMIT_EVENT_IDS - r->events.n_ids)
                        return err_set(err, ERR_LIMIT,
                                       "%s: id section at offset 0x%" PRIx64 ": more than %d ids", r->name,
                                       ids.off, LIMIT_EVENT_IDS);
                events_add_ids(r, event, cursor_sub(&r->sources[0].bytes, ids.off, ids.size));
        }
        return true;
}

static void read_features(struct perfdata_reader *r, uint64_t table_off)
{
        struct cursor c = r->sources[0].bytes;

        cursor_seek(&c, table_off);
        for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
                struct section section;

                if (!(r->layout.feature_bits[i / 64] >> (i % 64) & 1))
                        continue;
                section = read_section(&c);
                if (c.failed || !section_fits(r, section)) {
                        r->damage.features_missing = true;
                        continue;
                }
                r->features[i] = cursor_sub(&r->sources[0].bytes, section.off, section.size);
        }
}

static bool is_in_pieces(uint32_t number)
{
        return number >= FEATURE_WPERF_RUN && number <= FEATURE_WPERF_LAST;
}

static bool has_piece_magic(struct cursor *c)
{
        const char *magic = cursor_bytes(c, 8);

        return magic && !memcmp(magic, PERFDATA_PIECE_MAGIC, 8);
}

/* Behind the section's number. */
static struct cursor piece_content(struct cursor *c)
{
        uint32_t size = cursor_u32(c);

        return cursor_sub(c, cursor_pos(c), size);
}

static void add_piece(struct perfdata_reader *r, uint32_t number, struct cursor piece)
{
        struct buf *section = &r->pieces[number - FEATURE_WPERF_RUN];

        buf_add(section, piece.at, cursor_left(&piece));
        r->features[number] = cursor_make(section->data, section->len);
        r->features[number].swap = piece.swap;
}

/* The record of a piece at `at` in the data: its size. 0 if there is none. */
static uint64_t read_piece(struct perfdata_reader *r, uint32_t number, uint64_t at)
{
        struct cursor data = cursor_sub(&r->sources[0].bytes, r->layout.data_off, r->layout.data_bytes), c;
        struct perfdata_record record;

        cursor_seek(&data, at);
        if (data.failed || !perfdata_record_make(data.at, cursor_left(&data), data.swap, &record) ||
            record.header.type != PERF_RECORD_HEADER_FEATURE)
                return 0;
        c = record.bytes;
        cursor_skip(&c, sizeof(struct perf_header));
        if (cursor_u64(&c) != PERFDATA_PIECE_FEATURE || !has_piece_magic(&c) || cursor_u32(&c) != number)
                return 0;
        c = piece_content(&c);
        if (c.failed)
                return 0;
        add_piece(r, number, c);
        return record.header.size;
}

/* Joins the sections that are in pieces. Their records stand in the order of their places, and none is inside
 * another: so a section is no larger than the file. */
static void join_pieces(struct perfdata_reader *r)
{
        for (uint32_t number = FEATURE_WPERF_RUN; number <= FEATURE_WPERF_LAST; number++) {
                struct cursor table = r->features[number], c = table;
                uint64_t next = 0;

                if (!table.start || !has_piece_magic(&c))
                        continue;
                r->piece_tables[number - FEATURE_WPERF_RUN] = table;
                r->features[number] = (struct cursor){0};
                while (cursor_left(&c)) {
                        uint64_t at = cursor_u64(&c);
                        uint64_t size = c.failed || at < next ? 0 : read_piece(r, number, at);

                        if (!size) {
                                r->damage.n_malformed++;
                                break;
                        }
                        next = at + size;
                }
        }
}

static unsigned count_features(const struct perfdata_reader *r)
{
        unsigned n = 0;

        for (unsigned i = 0; i < PERFDATA_FEATURE_WORDS; i++)
                n += (unsigned)__builtin_popcountll(r->layout.feature_bits[i]);
        return n;
}

/* A finished session without records has its features at the start of the data. */
static bool features_stand_at(const struct perfdata_reader *r, uint64_t off)
{
        struct cursor c = r->sources[0].bytes;
        unsigned n = count_features(r);

        cursor_seek(&c, off);
        return n && cursor_u64(&c) == off + (uint64_t)n * SECTION_BYTES && !c.failed;
}

/* Finds where the records begin and end. If the header has no data size or no features, the recorder did not
 * finish. */
static bool place_data(struct perfdata_reader *r, struct section data, struct err *err)
{
        struct source *s = &r->sources[0];
        uint64_t file = r->layout.file_bytes;

        if (data.off > file)
                return check_section(r, "data", data, err);
        r->layout.data_off = s->at = data.off;
        r->layout.data_bytes = data.size;
        s->end = data.off + data.size;
        if (!data.size && !features_stand_at(r, data.off)) {
                r->damage.data_size_missing = true;
                s->end = file;
                r->damage.features_missing = true;
        } else if (data.size > file - data.off) {
                r->damage.cut_bytes += data.size - (file - data.off);
                r->damage.features_missing = true;
                s->end = file;
        } else if (!count_features(r)) { /* a finished file always has features */
                r->damage.data_size_missing = s->beyond = s->end < file;
                r->damage.features_missing = true;
        } else {
                read_features(r, s->end);
                join_pieces(r);
        }
        return true;
}

static void read_event_types(struct perfdata_reader *r, struct section types)
{
        enum { TYPE_BYTES = 72 };

        for (uint64_t i = 0; i < types.size / TYPE_BYTES && i < LIMIT_EVENTS; i++) {
                if (types.off > UINT64_MAX / 2)
                        return;
                events_take_type(r, cursor_sub(&r->sources[0].bytes, types.off + i * TYPE_BYTES, TYPE_BYTES));
        }
}

static bool read_file_header(struct perfdata_reader *r, struct cursor *c, uint64_t size, struct err *err)
{
        struct section attrs, data, types;

        r->layout.attr_bytes = cursor_u64(c);
        attrs = read_section(c);
        data = read_section(c);
        types = read_section(c);
        if (size >= PERFDATA_HEADER_BYTES)
                read_feature_bits(r, c);
        if (size < OLD_HEADER_BYTES)
                return err_set(err, ERR_FORMAT,
                               "%s: the header says that it has %" PRIu64
                               " bytes, but that of a perf.data file has at least %d; the file is damaged",
                               r->name, size, OLD_HEADER_BYTES);
        if (c->failed)
                return err_set(err, ERR_FORMAT,
                               "%s: the file is cut: its header has %" PRIu64 " bytes, the file %" PRIu64,
                               r->name, size, r->layout.file_bytes);
        if (!read_attrs(r, attrs, err) || !place_data(r, data, err))
                return false;
        read_event_types(r, types);
        events_name_pmus(r);
        if (r->features[FEATURE_EVENT_DESC].start)
                events_take_desc(r);
        if (r->features[FEATURE_SIMPLEPERF_META_INFO].start)
                events_take_simpleperf(r);
        events_name_tracepoints(r);
        r->layout.compressed = r->features[FEATURE_COMPRESSED].start;
        return true;
}

bool header_read(struct perfdata_reader *r, struct err *err)
{
        struct cursor c = r->sources[0].bytes;
        uint64_t size;

        if (!read_magic(r, &c, err))
                return false;
        size = cursor_u64(&c);
        if (c.failed)
                return err_set(err, ERR_FORMAT,
                               "%s: the file is cut: its header has at least %d bytes, the file %" PRIu64,
                               r->name, PERFDATA_PIPE_HEADER_BYTES, r->layout.file_bytes);
        r->layout.header_bytes = size;
        if (size != PERFDATA_PIPE_HEADER_BYTES)
                return read_file_header(r, &c, size, err);
        r->layout.pipe = true;
        r->layout.data_off = r->sources[0].at = PERFDATA_PIPE_HEADER_BYTES;
        r->sources[0].end = r->layout.file_bytes;
        r->layout.data_bytes = r->layout.file_bytes - PERFDATA_PIPE_HEADER_BYTES;
        stream_read_head(r);
        events_name_pmus(r);
        events_name_tracepoints(r);
        return true;
}

/* attr; its own size says where the ids begin */
static void take_attr(struct perfdata_reader *r, struct cursor c)
{
        struct cursor peek = c;
        struct perf_attr attr;
        uint32_t size, event;

        cursor_skip(&peek, 4);
        size = cursor_u32(&peek);
        if (!size)
                size = PERF_ATTR_SIZE_VER0;
        if (size < PERF_ATTR_SIZE_VER0 || size > cursor_left(&c) || r->events.n >= LIMIT_EVENTS) {
                r->damage.n_malformed++;
                return;
        }
        attr = header_read_attr(&c, size);
        event = events_add(r, &attr);
        if (cursor_left(&c) / 8 <= LIMIT_EVENT_IDS - r->events.n_ids)
                events_add_ids(r, event, cursor_sub(&c, cursor_pos(&c), cursor_left(&c)));
}

/* Takes a piece of a wperf section: PERFDATA_PIECE_MAGIC. False if it is not one. Those of a file were taken
 * when it was opened. */
static bool take_piece(struct perfdata_reader *r, struct cursor c)
{
        struct cursor piece;
        uint32_t number;

        if (!has_piece_magic(&c))
                return false;
        if (!r->layout.pipe)
                return true;
        number = cursor_u32(&c);
        piece = piece_content(&c);
        r->damage.n_malformed += piece.failed;
        if (piece.failed || !is_in_pieces(number))
                return true;
        add_piece(r, number, piece);
        r->layout.feature_bits[number / 64] |= (uint64_t)1 << (number % 64);
        return true;
}

static void take_feature(struct perfdata_reader *r, struct cursor c)
{
        uint64_t feature = cursor_u64(&c);

        if (feature == PERFDATA_PIECE_FEATURE && take_piece(r, c))
                return;
        if (c.failed || feature >= PERFDATA_FEATURES) {
                r->damage.n_malformed += c.failed;
                return;
        }
        r->features[feature] = cursor_sub(&c, cursor_pos(&c), cursor_left(&c));
        r->layout.feature_bits[feature / 64] |= (uint64_t)1 << (feature % 64);
        if (feature == FEATURE_EVENT_DESC)
                events_take_desc(r);
        if (feature == FEATURE_PMU_MAPPINGS)
                events_name_pmus(r);
        if (feature == FEATURE_COMPRESSED)
                r->layout.compressed = true;
}

/* EVENT_UPDATE: type u64 (2: name), id u64, text */
static void take_update(struct perfdata_reader *r, struct cursor c)
{
        uint64_t type = cursor_u64(&c), *event = map_find(&r->events.by_id, cursor_u64(&c));
        const char *name = cursor_str(&c, NULL);

        if (type == 2 && name && event)
                events_set_name(r, (uint32_t)*event - 1, name);
}

/* In a pipe, the section follows the record, padded to 8 bytes. simpleperf puts it inside a record of its
 * own, and what exceeds 64 KiB after that. */
static void take_tracing_data(struct perfdata_reader *r, const struct perfdata_record *record)
{
        struct cursor c = record->bytes, payload = record->payload, inside;
        const bool is_own = record->header.type == RECORD_SIMPLEPERF_TRACING_DATA;
        uint32_t size;

        cursor_skip(&c, sizeof(struct perf_header));
        size = cursor_u32(&c);
        inside = cursor_make(c.at, cursor_left(&c) + (is_own ? cursor_left(&payload) : 0));
        inside.swap = c.swap;
        if (c.failed || r->features[FEATURE_TRACING_DATA].start)
                return;
        inside = cursor_sub(!is_own && payload.start ? &payload : &inside, 0, size);
        if (inside.failed)
                return;
        r->features[FEATURE_TRACING_DATA] = inside;
        r->layout.feature_bits[0] |= (uint64_t)1 << FEATURE_TRACING_DATA;
        if (!r->layout.pipe)
                events_name_tracepoints(r);
}

/* EVENT_ID of simpleperf: n u64, n times {number of the attribute u64, id u64}. */
static void take_event_ids(struct perfdata_reader *r, struct cursor c)
{
        uint64_t n = cursor_u64(&c);

        for (uint64_t i = 0; i < n && cursor_left(&c) >= 2 * sizeof(uint64_t); i++) {
                uint64_t event = cursor_u64(&c), id = cursor_u64(&c);

                if (event < r->events.n && r->events.n_ids < LIMIT_EVENT_IDS)
                        events_add_late_id(r, (uint32_t)event, id);
        }
}

void header_take_record(struct perfdata_reader *r, const struct perfdata_record *record)
{
        struct cursor c = record->bytes;

        cursor_skip(&c, sizeof(struct perf_header));
        switch (record->header.type) {
        case PERF_RECORD_HEADER_ATTR: take_attr(r, c); break;
        case PERF_RECORD_HEADER_FEATURE: take_feature(r, c); break;
        case PERF_RECORD_HEADER_BUILD_ID:
                ARRAY_PUSH(r->build_ids, r->n_build_ids, r->build_ids_cap, record->bytes);
                break;
        case RECORD_SIMPLEPERF_TRACING_DATA:
        case PERF_RECORD_HEADER_TRACING_DATA: take_tracing_data(r, record); break;
        case RECORD_SIMPLEPERF_EVENT_ID: take_event_ids(r, c); break;
        case PERF_RECORD_HEADER_EVENT_TYPE: events_take_type(r, c); break;
        case PERF_RECORD_EVENT_UPDATE: take_update(r, c); break;
        default: break;
        }
}
