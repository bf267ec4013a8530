/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the parts before and after the records: header, ids, attributes and the features that the writer
 * adds itself; and the same as records, for a pipe. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perfdata_writer_internal.h"

enum {
        NAME_ALIGN = 64,          /* perf pads the strings of features */
        PACK_ROOM_BYTES = 4 << 20 /* memory that a reader needs to unpack one record */
};

void perfdata_writer_add_event(struct perfdata_writer *w, const struct perf_attr *attr, const char *name,
                               const uint64_t *ids, size_t n_ids)
{
        struct written_event event = {.attr = *attr, .name = mem_strdup(name), .n_ids = n_ids};

        assert(!w->begun);
        event.ids = mem_new(n_ids, sizeof(*ids));
        if (n_ids)
                memcpy(event.ids, ids, n_ids * sizeof(*ids));
        ARRAY_PUSH(w->events, w->n_events, w->events_cap, event);
}

/* Chooses the size of attributes: the shortest size of a kernel version that holds all fields that are set.
 * perf refuses attributes that are longer than its own, even if the rest is zero. */
void head_choose_attr_bytes(struct perfdata_writer *w)
{
        enum { FROM_LINUX_4_1 = 112, STEP = 8 };
        static const uint8_t zeros[sizeof(struct perf_attr)];

        w->attr_bytes = FROM_LINUX_4_1;
        for (size_t i = 0; i < w->n_events; i++) {
                const uint8_t *bytes = (const uint8_t *)&w->events[i].attr;

                while (memcmp(bytes + w->attr_bytes, zeros, sizeof(struct perf_attr) - w->attr_bytes))
                        w->attr_bytes += STEP;
        }
        for (size_t i = 0; i < w->n_events; i++)
                w->events[i].attr.size = w->attr_bytes;
}

void perfdata_writer_add_feature(struct perfdata_writer *w, unsigned feature, const void *bytes, size_t size)
{
        struct written_feature f = {.number = feature};

        assert(feature < 64 * PERFDATA_FEATURE_WORDS);
        buf_add(&f.bytes, bytes, size);
        ARRAY_PUSH(w->features, w->n_features, w->features_cap, f);
}

static void add_padded_str(struct buf *out, const char *text)
{
        size_t len = strlen(text) + 1, padded = (len + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;

        buf_add_u32(out, (uint32_t)padded);
        buf_add(out, text, len);
        buf_add_zeros(out, padded - len);
}

void perfdata_writer_add_feature_str(struct perfdata_writer *w, unsigned feature, const char *text)
{
        struct buf bytes = {0};

        add_padded_str(&bytes, text);
        perfdata_writer_add_feature(w, feature, bytes.data, bytes.len);
        buf_release(&bytes);
}

void head_add_event_desc(struct perfdata_writer *w)
{
        struct buf bytes = {0};

        buf_add_u32(&bytes, (uint32_t)w->n_events);
        buf_add_u32(&bytes, w->attr_bytes);
        for (size_t i = 0; i < w->n_events; i++) {
                const struct written_event *event = &w->events[i];

                buf_add(&bytes, &event->attr, w->attr_bytes);
                buf_add_u32(&bytes, (uint32_t)event->n_ids);
                add_padded_str(&bytes, event->name);
                buf_add(&bytes, event->ids, event->n_ids * sizeof(*event->ids));
        }
        perfdata_writer_add_feature(w, FEATURE_EVENT_DESC, bytes.data, bytes.len);
        buf_release(&bytes);
}

void head_add_auxtrace(struct perfdata_writer *w)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_u64(&out, w->n_auxtraces);
        for (size_t i = 0; i < w->n_auxtraces; i++) {
                buf_add_u64(&out, w->auxtraces[i].off);
                buf_add_u64(&out, w->auxtraces[i].size);
        }
        perfdata_writer_add_feature(w, FEATURE_AUXTRACE, out.data, out.len);
}

static struct written_feature *find_feature(struct perfdata_writer *w, unsigned number)
{
        for (size_t i = 0; i < w->n_features; i++) {
                if (w->features[i].number == number)
                        return &w->features[i];
        }
        return NULL;
}

void head_add_piece_tables(struct perfdata_writer *w)
{
        for (size_t i = 0; i < w->n_pieces; i++) {
                const struct piece_place *piece = &w->pieces[i];

                if (!find_feature(w, piece->number))
                        perfdata_writer_add_feature(w, piece->number, PERFDATA_PIECE_MAGIC, 8);
                buf_add_u64(&find_feature(w, piece->number)->bytes, piece->at);
        }
}

void head_cut_piece_tables(struct perfdata_writer *w)
{
        bool is_inside = false;

        for (; w->n_pieces && (is_inside || w->pieces[w->n_pieces - 1].at >= w->data_bytes); w->n_pieces--) {
                const struct piece_place *last = &w->pieces[w->n_pieces - 1];
                struct buf *table = &find_feature(w, last->number)->bytes;

                buf_truncate(table, table->len - sizeof(uint64_t));
                is_inside = !last->is_first;
        }
}

/* version, type (1: zstd), level, ratio, memory for one unpacked record */
void head_add_compressed(struct perfdata_writer *w)
{
        uint64_t ratio = w->data_bytes ? w->put_bytes / w->data_bytes : 1;
        uint32_t numbers[] = {1, 1, (uint32_t)w->level, ratio ? (uint32_t)ratio : 1, PACK_ROOM_BYTES};

        perfdata_writer_add_feature(w, FEATURE_COMPRESSED, numbers, sizeof(numbers));
}

void head_add_section(struct buf *out, uint64_t off, uint64_t size)
{
        buf_add_u64(out, off);
        buf_add_u64(out, size);
}

static uint64_t attrs_bytes(const struct perfdata_writer *w)
{
        return w->n_events * (w->attr_bytes + SECTION_BYTES);
}

void head_make_header(const struct perfdata_writer *w, const uint64_t *feature_bits, struct buf *out)
{
        buf_add(out, PERFDATA_MAGIC, 8);
        buf_add_u64(out, PERFDATA_HEADER_BYTES);
        buf_add_u64(out, w->attr_bytes + SECTION_BYTES);
        head_add_section(out, w->attrs_off, attrs_bytes(w));
        head_add_section(out, w->data_off, w->data_bytes);
        head_add_section(out, 0, 0);
        buf_add(out, feature_bits, PERFDATA_FEATURE_WORDS * sizeof(*feature_bits));
}

void head_make_file(struct perfdata_writer *w, struct buf *out)
{
        static const uint64_t no_features[PERFDATA_FEATURE_WORDS];
        uint64_t ids_off = PERFDATA_HEADER_BYTES, n_ids = 0;

        for (size_t i = 0; i < w->n_events; i++)
                n_ids += w->events[i].n_ids;
        w->attrs_off = ids_off + n_ids * sizeof(uint64_t);
        w->data_off = w->attrs_off + attrs_bytes(w);
        head_make_header(w, no_features, out);
        for (size_t i = 0; i < w->n_events; i++)
                buf_add(out, w->events[i].ids, w->events[i].n_ids * sizeof(uint64_t));
        for (size_t i = 0; i < w->n_events; i++) {
                buf_add(out, &w->events[i].attr, w->attr_bytes);
                head_add_section(out, ids_off, w->events[i].n_ids * sizeof(uint64_t));
                ids_off += w->events[i].n_ids * sizeof(uint64_t);
        }
}

static bool add_record(struct buf *out, uint32_t type, const void *a, size_t a_size, const void *b,
                       size_t b_size)
{
        size_t size = sizeof(struct perf_header) + a_size + b_size, padded = (size + 7) & ~(size_t)7;

        if (padded > UINT16_MAX)
                return false;
        buf_add_u32(out, type);
        buf_add_u16(out, 0);
        buf_add_u16(out, (uint16_t)padded);
        buf_add(out, a, a_size);
        buf_add(out, b, b_size);
        buf_add_zeros(out, padded - size);
        return true;
}

/* In a pipe, each entry of the build id table is a record, and perf 7 refuses records whose size is not a
 * multiple of 8. */
static void add_build_id_records(struct buf *out, const struct buf *table)
{
        struct perf_header header;

        for (size_t at = 0; table->len - at >= sizeof(header); at += header.size) {
                size_t start = out->len;

                memcpy(&header, table->data + at, sizeof(header));
                if (header.size < sizeof(header) || header.size > table->len - at)
                        break;
                add_record(out, PERF_RECORD_HEADER_BUILD_ID, table->data + at + sizeof(header),
                           header.size - sizeof(header), "", 0);
                memcpy(out->data + start + offsetof(struct perf_header, misc), &header.misc,
                       sizeof(header.misc));
        }
}

/* The section follows its record, padded to 8 bytes; the padding is included in its size. */
static void add_tracing_record(struct buf *out, const struct buf *section)
{
        uint32_t size = (uint32_t)(section->len + 7) & ~7u;

        add_record(out, PERF_RECORD_HEADER_TRACING_DATA, &size, sizeof(size), "", 0);
        buf_add(out, section->data, section->len);
        buf_add_zeros(out, size - section->len);
}

void head_add_piece(struct buf *out, unsigned number, const void *bytes, size_t size)
{
        struct {
                uint64_t feature;
                char magic[8];
                uint32_t number, size;
        } piece = {.feature = PERFDATA_PIECE_FEATURE, .number = number, .size = (uint32_t)size};

        assert(size <= HEAD_PIECE_BYTES);
        memcpy(piece.magic, PERFDATA_PIECE_MAGIC, sizeof(piece.magic));
        add_record(out, PERF_RECORD_HEADER_FEATURE, &piece, sizeof(piece), bytes, size);
}

static void add_pieces(struct buf *out, const struct written_feature *f)
{
        for (size_t at = 0; at < f->bytes.len; at += HEAD_PIECE_BYTES) {
                size_t left = f->bytes.len - at;

                head_add_piece(out, f->number, f->bytes.data + at,
                               left < HEAD_PIECE_BYTES ? left : HEAD_PIECE_BYTES);
        }
}

void head_add_feature_record(struct buf *out, const struct written_feature *f)
{
        uint64_t number = f->number;

        if (number == FEATURE_TRACING_DATA)
                add_tracing_record(out, &f->bytes);
        else if (number == FEATURE_BUILD_ID)
                add_build_id_records(out, &f->bytes);
        else if (number <= FEATURE_PMU_CAPS)
                add_record(out, PERF_RECORD_HEADER_FEATURE, &number, sizeof(number), f->bytes.data,
                           f->bytes.len);
        else
                add_pieces(out, f);
}

bool head_make_pipe(struct perfdata_writer *w, struct buf *out, struct err *err)
{
        buf_add(out, PERFDATA_MAGIC, 8);
        buf_add_u64(out, PERFDATA_PIPE_HEADER_BYTES);
        for (size_t i = 0; i < w->n_events; i++) {
                const struct written_event *event = &w->events[i];

                if (!add_record(out, PERF_RECORD_HEADER_ATTR, &event->attr, w->attr_bytes, event->ids,
                                event->n_ids * sizeof(uint64_t)))
                        return err_set(err, ERR_LIMIT, "event '%s' has %zu ids, too many for a pipe",
                                       event->name, event->n_ids);
        }
        head_add_event_desc(w);
        if (w->packer)
                head_add_compressed(w);
        for (size_t i = 0; i < w->n_features; i++) {
                head_add_feature_record(out, &w->features[i]);
                buf_release(&w->features[i].bytes);
        }
        w->n_features = 0;
        return true;
}
