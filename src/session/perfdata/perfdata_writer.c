/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes sessions: header, ids, attributes, records, features. A file can be read at any time up to the data
 * size in its header. In a pipe, everything is a record. If the disk is full, the newest records are lost,
 * not the file. */
#include "perfdata_writer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perfdata_writer_internal.h"

enum {
        GATHER_BYTES = 256 << 10,
        FLUSH_NS = 100 * 1000 * 1000,
        PACK_BYTES = 512 << 10, /* most that is compressed at once */
        RECORD_MAX_BYTES = UINT16_MAX & ~7,
        STEP_BYTES = 64 << 10,   /* distance of the positions to which a file may be truncated */
        SALVAGE_BYTES = 4 << 10, /* the same, when the disk is full */
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

/* Refuses a directory or a FIFO. */
static bool check_kind(const char *path, const struct os_stat *st, struct err *err)
{
        if (st->is_dir)
                return err_set(err, ERR_DENIED, "%s: is a directory; it is not overwritten", path);
        if (os_is_fifo(path))
                return err_set(
                        err, ERR_DENIED,
                        "%s: is a FIFO, which cannot hold a session; write to standard output with '--session -'",
                        path);
        return true;
}

/* path.old is replaced, so it must be a session too. */
static bool check_old(const char *path, struct err *err)
{
        AUTO_RELEASE(buf) old = {0};
        struct os_stat st;
        bool empty;

        buf_printf(&old, "%s.old", path);
        if (!os_stat(buf_text(&old), &st))
                return true;
        if (!check_kind(buf_text(&old), &st, err))
                return false;
        return !st.is_file || is_session(buf_text(&old), &empty, err);
}

bool perfdata_writer_check(const char *path, bool *ret_exists, struct err *err)
{
        struct os_stat st;
        bool empty;

        *ret_exists = false;
        if (!strcmp(path, "-") || !os_stat(path, &st))
                return true;
        if (!check_kind(path, &st, err))
                return false;
        if (!st.is_file)
                return true;
        *ret_exists = true;
        return is_session(path, &empty, err) && (empty || check_old(path, err));
}

static bool keep_old(const char *path, struct err *err)
{
        struct buf old = {0};
        bool empty, ok;

        if (!is_session(path, &empty, err))
                return false;
        if (empty)
                return os_remove(path, err);
        buf_printf(&old, "%s.old", path);
        ok = os_rename(path, buf_text(&old), err);
        buf_release(&old);
        return ok;
}

/* --- opening and closing --- */

static bool create_file(struct perfdata_writer *w, struct err *err)
{
        w->file = os_file_create_private(w->path, err);
        w->pipe = w->file && !os_file_can_seek(w->file);
        return w->file;
}

/* A session that exists is renamed to path.old when the first records are written, which is too late to learn
 * that the folder is read-only. */
static bool can_keep_old(const char *path, struct err *err)
{
        AUTO_RELEASE(buf) old = {0};
        struct err own = {0};
        struct os_stat st;

        buf_printf(&old, "%s.old", path);
        /* One that is there is replaced, not written. */
        if (os_can_write(buf_text(&old), &own) || (own.os != EROFS && os_stat(buf_text(&old), &st)))
                return true;
        return os_can_write(buf_text(&old), err);
}

struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err)
{
        struct perfdata_writer *w;
        bool exists;

        if (!perfdata_writer_check(path, &exists, err) || (exists && !can_keep_old(path, err)))
                return NULL;
        w = mem_new(1, sizeof(*w));
        w->path = mem_strdup(path);
        if (!exists && !create_file(w, err)) {
                perfdata_writer_free(w);
                return NULL;
        }
        return w;
}

void perfdata_writer_free(struct perfdata_writer *w)
{
        if (!w)
                return;
        if (w->file && !w->begun && !w->pipe)
                os_remove(w->path, NULL);
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
        free(w->auxtraces);
        free(w->pieces);
        free(w->path);
        buf_release(&w->gathered);
        codec_packer_free(w->packer);
        free(w);
}

bool perfdata_writer_set_compression(struct perfdata_writer *w, int level, struct err *err)
{
        struct codec_packer *packer = codec_packer_new(level, err);

        assert(!w->begun);
        if (!packer)
                return false;
        codec_packer_free(w->packer);
        w->packer = packer;
        w->level = level;
        return true;
}

struct perfdata_writer *perfdata_writer_open_memory(struct buf *out)
{
        struct perfdata_writer *w = mem_new(1, sizeof(*w));

        w->memory = out;
        w->pipe = true;
        return w;
}

/* --- the file --- */

static bool write_bytes(struct perfdata_writer *w, const void *bytes, size_t size, struct err *err)
{
        if (!w->memory)
                return os_file_write(w->file, bytes, size, err);
        buf_add(w->memory, bytes, size);
        return true;
}

static bool write_header(struct perfdata_writer *w, const uint64_t *feature_bits, struct err *err)
{
        struct buf out = {0};
        bool ok;

        head_make_header(w, feature_bits, &out);
        ok = os_file_write_at(w->file, 0, out.data, out.len, err);
        buf_release(&out);
        return ok;
}

bool perfdata_writer_begin(struct perfdata_writer *w, struct err *err)
{
        struct buf head = {0};
        bool ok = true;

        assert(!w->begun || w->failed);
        if (!w->memory && !w->file && (!keep_old(w->path, err) || !create_file(w, err))) {
                w->failed = true;
                return false;
        }
        w->begun = true;
        head_choose_attr_bytes(w);
        if (w->pipe)
                ok = head_make_pipe(w, &head, err);
        else
                head_make_file(w, &head);
        ok = ok && write_bytes(w, head.data, head.len, err);
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

/* The size of complete records at `bytes`: at least one, and about SALVAGE_BYTES. */
static size_t some_records(const char *bytes, size_t size)
{
        struct cursor all = cursor_make(bytes, size), record;
        struct perf_header header;

        while (cursor_pos(&all) < SALVAGE_BYTES && record_next(&all, &header, &record))
                continue;
        return cursor_pos(&all);
}

/* Writes as many records as fit of a piece that does not fit as a whole. A compressed stream can't be
 * split. */
static void write_what_fits(struct perfdata_writer *w, const char *bytes, size_t size)
{
        if (w->pipe || w->packer || !os_file_truncate(w->file, w->data_off + w->data_bytes, NULL))
                return;
        for (size_t at = 0, n; (n = some_records(bytes + at, size - at)) > 0; at += n) {
                if (!os_file_write(w->file, bytes + at, n, NULL))
                        return;
                w->data_bytes += n;
                ARRAY_PUSH(w->steps, w->n_steps, w->steps_cap, w->data_bytes);
        }
}

static bool write_data(struct perfdata_writer *w, const void *bytes, size_t size, struct err *err)
{
        note_step(w);
        if (!write_bytes(w, bytes, size, err)) {
                write_what_fits(w, bytes, size);
                return fail_write(w);
        }
        w->data_bytes += size;
        return true;
}

/* Puts a flushed piece of the stream into as many records as necessary. */
static void wrap_packed(const struct buf *packed, struct buf *out)
{
        size_t most = RECORD_MAX_BYTES - sizeof(struct perf_header);

        for (size_t at = 0; at < packed->len;) {
                size_t left = packed->len - at, size = left < most ? left : most;

                /* Not padded: readers take the whole record as part of the stream. */
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
        return err_set(err, ERR_IO, "%s: an earlier write failed", w->path);
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

/* True for records of hardware traces. */
static bool is_of_trace(const void *records, size_t size, struct perf_header *ret_header)
{
        *ret_header = (struct perf_header){0};
        if (size >= sizeof(*ret_header))
                memcpy(ret_header, records, sizeof(*ret_header));
        return ret_header->type == PERF_RECORD_AUXTRACE || ret_header->type == PERF_RECORD_AUXTRACE_INFO ||
               ret_header->type == PERF_RECORD_TIME_CONV;
}

/* Never packed: perf reads the data at their offset in the file, which the feature AUXTRACE lists. */
static bool write_trace(struct perfdata_writer *w, const void *records, size_t size,
                        const struct perf_header *first, struct err *err)
{
        struct auxtrace_place place = {w->data_off + w->data_bytes, first->size};

        if (!write_data(w, records, size, err))
                return false;
        if (first->type == PERF_RECORD_AUXTRACE)
                ARRAY_PUSH(w->auxtraces, w->n_auxtraces, w->auxtraces_cap, place);
        return true;
}

bool perfdata_writer_put(struct perfdata_writer *w, const void *records, size_t size, struct err *err)
{
        struct perf_header header;

        assert(w->begun || w->failed);
        if (w->failed)
                return fail_again(w, err);
        if (is_of_trace(records, size, &header))
                return write_gathered(w, err) && write_trace(w, records, size, &header, err);
        buf_add(&w->gathered, records, size);
        if (w->gathered.len >= GATHER_BYTES && !write_gathered(w, err))
                return false;
        if (os_monotonic_ns() - w->flushed_ns >= FLUSH_NS)
                return perfdata_writer_flush(w, err);
        return true;
}

/* Never packed: the feature has the places of its pieces in the file. Only those of a call that succeeds. */
bool perfdata_writer_put_section(struct perfdata_writer *w, unsigned feature, const void *bytes, size_t size,
                                 struct err *err)
{
        size_t n_before = w->n_pieces;
        bool ok;

        assert(w->begun || w->failed);
        assert(feature >= FEATURE_WPERF_RUN && feature <= FEATURE_WPERF_LAST);
        if (w->failed)
                return fail_again(w, err);
        ok = write_gathered(w, err);
        for (size_t at = 0; ok && at < size; at += HEAD_PIECE_BYTES) {
                const struct piece_place place = {feature, w->data_bytes, !at};
                size_t left = size - at;
                AUTO_RELEASE(buf) record = {0};

                head_add_piece(&record, feature, (const char *)bytes + at,
                               left < HEAD_PIECE_BYTES ? left : HEAD_PIECE_BYTES);
                ok = write_data(w, record.data, record.len, err);
                if (!w->pipe)
                        ARRAY_PUSH(w->pieces, w->n_pieces, w->pieces_cap, place);
        }
        w->n_pieces = ok ? w->n_pieces : n_before;
        return ok;
}

/* --- the end --- */

static int compare_features(const void *a, const void *b)
{
        return (int)((const struct written_feature *)a)->number -
               (int)((const struct written_feature *)b)->number;
}

static bool write_pipe_features(struct perfdata_writer *w, struct err *err)
{
        struct buf out = {0};
        bool ok;

        for (size_t i = 0; i < w->n_features; i++)
                head_add_feature_record(&out, &w->features[i]);
        ok = !out.len || write_bytes(w, out.data, out.len, err);
        buf_release(&out);
        return ok;
}

static void make_features(struct perfdata_writer *w, struct buf *out, uint64_t *bits)
{
        uint64_t off = w->data_off + w->data_bytes + w->n_features * SECTION_BYTES;

        for (size_t i = 0; i < w->n_features; i++) {
                const struct written_feature *f = &w->features[i];

                bits[f->number / 64] |= (uint64_t)1 << (f->number % 64);
                head_add_section(out, off, f->bytes.len);
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

/* The end of the last complete record between two offsets in the data; a record must end at `from`.
 * Compressed records can't be found this way. */
static uint64_t last_end(const struct perfdata_writer *w, uint64_t from, uint64_t limit)
{
        AUTO(os_map) map = w->packer ? NULL : os_map_open(w->path, NULL);
        struct cursor records, record;
        struct perf_header header;

        if (!map || map->size_bytes < w->data_off + limit)
                return from;
        records = cursor_make(map->bytes + w->data_off + from, limit - from);
        while (record_next(&records, &header, &record))
                continue;
        return from + cursor_pos(&records);
}

/* Removes the newest records, up to the end of a record, until the features fit. */
static bool make_room(struct perfdata_writer *w, uint64_t *ret_lost)
{
        uint64_t before = w->data_bytes, need = feature_bytes(w) + SALVAGE_BYTES;

        while (w->n_steps && before - w->steps[w->n_steps - 1] < need)
                w->n_steps--;
        if (!w->n_steps)
                return false;
        w->data_bytes = last_end(w, w->steps[w->n_steps - 1], before - need);
        *ret_lost = before - w->data_bytes;
        head_cut_piece_tables(w);
        fail_write(w);
        return true;
}

/* Drops a feature whose content may be wrong after records are cut off. */
static void drop_feature(struct perfdata_writer *w, unsigned number)
{
        for (size_t i = 0; i < w->n_features; i++) {
                if (w->features[i].number != number)
                        continue;
                buf_release(&w->features[i].bytes);
                memmove(&w->features[i], &w->features[i + 1], (--w->n_features - i) * sizeof(w->features[0]));
        }
}

static bool finish_file(struct perfdata_writer *w, struct err *err)
{
        bool failed_before = w->failed;
        uint64_t lost;

        if (write_features(w, err))
                return !failed_before ||
                       err_set(err, ERR_IO, "%s: the last records could not be written", w->path);
        fail_write(w);
        drop_feature(w, FEATURE_AUXTRACE);
        if (!make_room(w, &lost) || !write_features(w, NULL)) {
                fail_write(w);
                return false;
        }
        err_in(err,
               "%s: the last %llu bytes of records were removed to make room for the description of the run",
               w->path, (unsigned long long)lost);
        return false;
}

bool perfdata_writer_close(struct perfdata_writer *w, struct err *err)
{
        bool ok = w->failed || write_gathered(w, err), closed;

        if (!w->pipe)
                head_add_event_desc(w);
        if (!w->pipe && w->packer)
                head_add_compressed(w);
        if (!w->pipe && w->n_auxtraces && !w->failed)
                head_add_auxtrace(w);
        head_add_piece_tables(w);
        qsort(w->features, w->n_features, sizeof(*w->features), compare_features);
        if (w->pipe)
                ok = ok && !w->failed && write_pipe_features(w, err);
        else
                ok = finish_file(w, ok ? err : NULL) && ok;
        closed = w->memory || os_file_close(w->file, ok ? err : NULL);
        w->file = NULL;
        perfdata_writer_free(w);
        return ok && closed;
}
