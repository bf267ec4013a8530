/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes sessions: header, ids, attributes, records, features.  A file is at every moment readable up to the data
 * size that its header says; a pipe gets the same as records.  A full disk costs the newest records, not the file. */
#include "perfdata_writer.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "codec.h"
#include "os.h"

enum {
        SECTION_BYTES = 16,
        GATHER_BYTES = 256 << 10,
        FLUSH_NS = 100 * 1000 * 1000,
        NAME_ALIGN = 64,        /* perf pads the strings of features */
        PACK_BYTES = 512 << 10, /* most that is packed at once; readers make room for PACK_ROOM_BYTES */
        PACK_ROOM_BYTES = 4 << 20,
        RECORD_MAX_BYTES = UINT16_MAX & ~7,
        STEP_BYTES = 64 << 10, /* distance of the places where a file may be cut back to */
};

struct written_event {
        struct perf_attr attr;
        char *name;
        uint64_t *ids;
        size_t n_ids;
};

struct written_feature {
        unsigned number;
        struct buf bytes;
};

struct perfdata_writer {
        struct os_file *file;
        char *path;
        bool pipe, failed;
        struct written_event *events;
        size_t n_events, events_cap;
        uint32_t attr_bytes; /* of each attribute in the file */
        struct written_feature *features;
        size_t n_features, features_cap;
        struct buf gathered;
        uint64_t data_off, data_bytes; /* in the file */
        uint64_t attrs_off;
        uint64_t flushed_ns, put_bytes;
        uint64_t *steps; /* data sizes at which a record ended */
        size_t n_steps, steps_cap;
        struct codec_packer *packer;
        int level;
};

/* --- an existing file --- */

static bool is_session(const char *path, bool *ret_empty, struct err *err)
{
        AUTO(os_map) map = os_map_open(path, err);

        if (!map)
                return false;
        *ret_empty = !map->size_bytes;
        if (*ret_empty || (map->size_bytes >= 8 &&
                           (!memcmp(map->bytes, PERFDATA_MAGIC, 8) || !memcmp(map->bytes, "2ELIFREP", 8))))
                return true;
        return err_set(err, ERR_DENIED, "%s: exists and is not a perf.data file; it is not overwritten",
                       path);
}

static bool keep_old(const char *path, struct err *err)
{
        struct buf old = {0};
        struct os_stat st;
        bool empty, ok;

        if (!strcmp(path, "-") || !os_stat(path, &st))
                return true;
        if (st.is_dir)
                return err_set(err, ERR_DENIED, "%s: is a directory; it is not overwritten", path);
        if (!st.is_file)
                return true;
        if (!is_session(path, &empty, err))
                return false;
        if (empty)
                return os_remove(path, err);
        buf_printf(&old, "%s.old", path);
        ok = os_rename(path, buf_text(&old), err);
        buf_release(&old);
        return ok;
}

/* --- life --- */

struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err)
{
        struct perfdata_writer *w;
        struct os_file *file;

        if (!keep_old(path, err))
                return NULL;
        file = os_file_create(path, err);
        if (!file)
                return NULL;
        w = mem_new(1, sizeof(*w));
        w->file = file;
        w->path = mem_strdup(path);
        w->pipe = !os_file_can_seek(file);
        return w;
}

void perfdata_writer_free(struct perfdata_writer *w)
{
        if (!w)
                return;
        os_file_free(w->file);
        for (size_t i = 0; i < w->n_events; i++) {
                free(w->events[i].name);
                free(w->events[i].ids);
        }
        for (size_t i = 0; i < w->n_features; i++)
                buf_release(&w->features[i].bytes);
        free(w->events);
        free(w->features);
        free(w->steps);
        free(w->path);
        buf_release(&w->gathered);
        codec_packer_free(w->packer);
        free(w);
}

bool perfdata_writer_set_compression(struct perfdata_writer *w, int level, struct err *err)
{
        struct codec_packer *packer = codec_packer_new(level, err);

        if (!packer)
                return false;
        codec_packer_free(w->packer);
        w->packer = packer;
        w->level = level;
        return true;
}

void perfdata_writer_add_event(struct perfdata_writer *w, const struct perf_attr *attr, const char *name,
                               const uint64_t *ids, size_t n_ids)
{
        struct written_event event = {.attr = *attr, .name = mem_strdup(name), .n_ids = n_ids};

        event.ids = mem_new(n_ids, sizeof(*ids));
        if (n_ids)
                memcpy(event.ids, ids, n_ids * sizeof(*ids));
        ARRAY_PUSH(w->events, w->n_events, w->events_cap, event);
}

/* perf refuses attributes that are longer than its own, even when only zeros are more: write the shortest of the
 * kernel's sizes that holds all that is set. */
static void choose_attr_bytes(struct perfdata_writer *w)
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

/* --- features --- */

void perfdata_writer_add_feature(struct perfdata_writer *w, unsigned feature, const void *bytes, size_t size)
{
        struct written_feature f = {.number = feature};

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

static void add_event_desc(struct perfdata_writer *w)
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

/* version, type (1: zstd), level, ratio, room for what one record unpacks to */
static void add_compressed_feature(struct perfdata_writer *w)
{
        uint64_t ratio = w->data_bytes ? w->put_bytes / w->data_bytes : 1;
        uint32_t numbers[] = {1, 1, (uint32_t)w->level, ratio ? (uint32_t)ratio : 1, PACK_ROOM_BYTES};

        perfdata_writer_add_feature(w, FEATURE_COMPRESSED, numbers, sizeof(numbers));
}

static int compare_features(const void *a, const void *b)
{
        return (int)((const struct written_feature *)a)->number -
               (int)((const struct written_feature *)b)->number;
}

/* --- the head --- */

static void add_section(struct buf *out, uint64_t off, uint64_t size)
{
        buf_add_u64(out, off);
        buf_add_u64(out, size);
}

static uint64_t attrs_bytes(const struct perfdata_writer *w)
{
        return w->n_events * (w->attr_bytes + SECTION_BYTES);
}

static void make_header(const struct perfdata_writer *w, const uint64_t *feature_bits, struct buf *out)
{
        buf_add(out, PERFDATA_MAGIC, 8);
        buf_add_u64(out, PERFDATA_HEADER_BYTES);
        buf_add_u64(out, w->attr_bytes + SECTION_BYTES);
        add_section(out, w->attrs_off, attrs_bytes(w));
        add_section(out, w->data_off, w->data_bytes);
        add_section(out, 0, 0);
        buf_add(out, feature_bits, PERFDATA_FEATURE_WORDS * sizeof(*feature_bits));
}

static bool write_header(struct perfdata_writer *w, const uint64_t *feature_bits, struct err *err)
{
        struct buf out = {0};
        bool ok;

        make_header(w, feature_bits, &out);
        ok = os_file_write_at(w->file, 0, out.data, out.len, err);
        buf_release(&out);
        return ok;
}

static void make_file_head(struct perfdata_writer *w, struct buf *out)
{
        static const uint64_t no_features[PERFDATA_FEATURE_WORDS];
        uint64_t ids_off = PERFDATA_HEADER_BYTES, n_ids = 0;

        for (size_t i = 0; i < w->n_events; i++)
                n_ids += w->events[i].n_ids;
        w->attrs_off = ids_off + n_ids * sizeof(uint64_t);
        w->data_off = w->attrs_off + attrs_bytes(w);
        make_header(w, no_features, out);
        for (size_t i = 0; i < w->n_events; i++)
                buf_add(out, w->events[i].ids, w->events[i].n_ids * sizeof(uint64_t));
        for (size_t i = 0; i < w->n_events; i++) {
                buf_add(out, &w->events[i].attr, w->attr_bytes);
                add_section(out, ids_off, w->events[i].n_ids * sizeof(uint64_t));
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

/* In a pipe the entries of the build id table are records of their own. */
static void add_build_id_records(struct buf *out, const struct buf *table)
{
        const uint32_t type = PERF_RECORD_HEADER_BUILD_ID;
        size_t start = out->len;

        buf_add(out, table->data, table->len);
        for (size_t at = start; out->len - at >= sizeof(struct perf_header);) {
                struct perf_header header;

                memcpy(&header, out->data + at, sizeof(header));
                if (header.size < sizeof(header) || header.size > out->len - at)
                        break;
                memcpy(out->data + at, &type, sizeof(type));
                at += header.size;
        }
}

/* perf refuses a pipe with features that it does not know: ours are in files alone. */
static void add_feature_record(struct buf *out, const struct written_feature *f)
{
        uint64_t number = f->number;

        if (number == FEATURE_BUILD_ID)
                add_build_id_records(out, &f->bytes);
        else if (number <= FEATURE_PMU_CAPS)
                add_record(out, PERF_RECORD_HEADER_FEATURE, &number, sizeof(number), f->bytes.data,
                           f->bytes.len);
}

static bool make_pipe_head(struct perfdata_writer *w, struct buf *out, struct err *err)
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
        add_event_desc(w);
        if (w->packer)
                add_compressed_feature(w);
        for (size_t i = 0; i < w->n_features; i++) {
                add_feature_record(out, &w->features[i]);
                buf_release(&w->features[i].bytes);
        }
        w->n_features = 0;
        return true;
}

bool perfdata_writer_begin(struct perfdata_writer *w, struct err *err)
{
        struct buf head = {0};
        bool ok = true;

        choose_attr_bytes(w);
        if (w->pipe)
                ok = make_pipe_head(w, &head, err);
        else
                make_file_head(w, &head);
        ok = ok && os_file_write(w->file, head.data, head.len, err);
        buf_release(&head);
        w->failed = !ok;
        w->flushed_ns = os_monotonic_ns();
        return ok;
}

/* --- records --- */

static void note_step(struct perfdata_writer *w)
{
        if (!w->n_steps || w->data_bytes - w->steps[w->n_steps - 1] >= STEP_BYTES)
                ARRAY_PUSH(w->steps, w->n_steps, w->steps_cap, w->data_bytes);
}

static bool fail_write(struct perfdata_writer *w)
{
        static const uint64_t no_features[PERFDATA_FEATURE_WORDS];

        w->failed = true;
        buf_clear(&w->gathered);
        if (!w->pipe) {
                os_file_truncate(w->file, w->data_off + w->data_bytes, NULL);
                write_header(w, no_features, NULL);
        }
        return false;
}

static bool write_data(struct perfdata_writer *w, const void *bytes, size_t size, struct err *err)
{
        note_step(w);
        if (!os_file_write(w->file, bytes, size, err))
                return fail_write(w);
        w->data_bytes += size;
        return true;
}

/* One flushed piece of the stream, in as many records as it takes. */
static void wrap_packed(const struct buf *packed, struct buf *out)
{
        size_t most = RECORD_MAX_BYTES - sizeof(struct perf_header);

        for (size_t at = 0; at < packed->len;) {
                size_t left = packed->len - at, size = left < most ? left : most;

                /* Not padded: readers take all of the record for the stream. */
                buf_add_u32(out, PERF_RECORD_COMPRESSED);
                buf_add_u16(out, 0);
                buf_add_u16(out, (uint16_t)(sizeof(struct perf_header) + size));
                buf_add(out, packed->data + at, size);
                at += size;
        }
}

static bool write_packed(struct perfdata_writer *w, const char *bytes, size_t size, struct err *err)
{
        struct buf packed = {0}, records = {0};
        bool ok = true;

        for (size_t at = 0; ok && at < size; at += PACK_BYTES) {
                size_t piece = size - at < PACK_BYTES ? size - at : PACK_BYTES;

                buf_clear(&packed);
                buf_clear(&records);
                ok = codec_packer_feed(w->packer, bytes + at, piece, &packed, err);
                wrap_packed(&packed, &records);
                ok = ok && write_data(w, records.data, records.len, err);
        }
        buf_release(&packed);
        buf_release(&records);
        return ok;
}

static bool write_gathered(struct perfdata_writer *w, struct err *err)
{
        bool ok;

        if (!w->gathered.len)
                return true;
        w->put_bytes += w->gathered.len;
        if (w->packer)
                ok = write_packed(w, w->gathered.data, w->gathered.len, err);
        else
                ok = write_data(w, w->gathered.data, w->gathered.len, err);
        buf_clear(&w->gathered);
        return ok;
}

static bool fail_again(const struct perfdata_writer *w, struct err *err)
{
        return err_set(err, ERR_IO, "%s: writing failed before", w->path);
}

bool perfdata_writer_flush(struct perfdata_writer *w, struct err *err)
{
        static const uint64_t no_features[PERFDATA_FEATURE_WORDS];

        if (w->failed)
                return fail_again(w, err);
        if (!write_gathered(w, err))
                return false;
        w->flushed_ns = os_monotonic_ns();
        return w->pipe || write_header(w, no_features, err);
}

bool perfdata_writer_put(struct perfdata_writer *w, const void *records, size_t size, struct err *err)
{
        if (w->failed)
                return fail_again(w, err);
        buf_add(&w->gathered, records, size);
        if (w->gathered.len >= GATHER_BYTES && !write_gathered(w, err))
                return false;
        if (os_monotonic_ns() - w->flushed_ns >= FLUSH_NS)
                return perfdata_writer_flush(w, err);
        return true;
}

/* --- the end --- */

static bool write_pipe_features(struct perfdata_writer *w, struct err *err)
{
        struct buf out = {0};
        bool ok;

        for (size_t i = 0; i < w->n_features; i++)
                add_feature_record(&out, &w->features[i]);
        ok = !out.len || os_file_write(w->file, out.data, out.len, err);
        buf_release(&out);
        return ok;
}

static void make_features(struct perfdata_writer *w, struct buf *out, uint64_t *bits)
{
        uint64_t off = w->data_off + w->data_bytes + w->n_features * SECTION_BYTES;

        for (size_t i = 0; i < w->n_features; i++) {
                const struct written_feature *f = &w->features[i];

                bits[f->number / 64] |= (uint64_t)1 << (f->number % 64);
                add_section(out, off, f->bytes.len);
                off += f->bytes.len;
        }
        for (size_t i = 0; i < w->n_features; i++)
                buf_add(out, w->features[i].bytes.data, w->features[i].bytes.len);
}

static bool write_features(struct perfdata_writer *w, struct err *err)
{
        uint64_t bits[PERFDATA_FEATURE_WORDS] = {0};
        struct buf out = {0};
        bool ok;

        make_features(w, &out, bits);
        ok = os_file_write(w->file, out.data, out.len, err) && write_header(w, bits, err);
        buf_release(&out);
        return ok;
}

static uint64_t feature_bytes(const struct perfdata_writer *w)
{
        uint64_t size = 0;

        for (size_t i = 0; i < w->n_features; i++)
                size += SECTION_BYTES + w->features[i].bytes.len;
        return size;
}

/* Cuts the newest records off, to a place where a record ended, until the features have room. */
static bool make_room(struct perfdata_writer *w, uint64_t *ret_lost)
{
        uint64_t before = w->data_bytes, need = feature_bytes(w) + STEP_BYTES;

        while (w->n_steps && before - w->steps[w->n_steps - 1] < need)
                w->n_steps--;
        if (!w->n_steps)
                return false;
        w->data_bytes = w->steps[w->n_steps - 1];
        *ret_lost = before - w->data_bytes;
        fail_write(w);
        return true;
}

static bool finish_file(struct perfdata_writer *w, struct err *err)
{
        bool failed_before = w->failed;
        uint64_t lost;

        if (write_features(w, err))
                return !failed_before ||
                       err_set(err, ERR_IO, "%s: records that came last could not be written", w->path);
        fail_write(w);
        if (!make_room(w, &lost) || !write_features(w, NULL)) {
                fail_write(w);
                return false;
        }
        err_in(err, "%s: the last %llu bytes of records were given up for the description of the run",
               w->path, (unsigned long long)lost);
        return false;
}

bool perfdata_writer_close(struct perfdata_writer *w, struct err *err)
{
        bool ok = w->failed || write_gathered(w, err), closed;

        if (!w->pipe)
                add_event_desc(w);
        if (!w->pipe && w->packer)
                add_compressed_feature(w);
        qsort(w->features, w->n_features, sizeof(*w->features), compare_features);
        if (w->pipe)
                ok = ok && !w->failed && write_pipe_features(w, err);
        else
                ok = finish_file(w, ok ? err : NULL) && ok;
        closed = os_file_close(w->file, ok ? err : NULL);
        w->file = NULL;
        perfdata_writer_free(w);
        return ok && closed;
}

uint64_t perfdata_writer_data_bytes(const struct perfdata_writer *w)
{
        return w->data_bytes + w->gathered.len;
}

static bool sink_put(void *ctx, const void *records, size_t size, struct err *err)
{
        return perfdata_writer_put(ctx, records, size, err);
}

struct record_sink perfdata_writer_sink(struct perfdata_writer *w)
{
        return (struct record_sink){.put = sink_put, .ctx = w};
}
