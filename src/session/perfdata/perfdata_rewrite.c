/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies a session up to the end of its records and writes new feature sections after it. In the header, only
 * the feature bits change, and the data size if the session was truncated. */
#include "perfdata_rewrite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "perfdata_reader_internal.h"

enum { SECTION_BYTES = 16, HEADER_DATA_SIZE_AT = 48, HEADER_FEATURES_AT = 72 };

/* --- Checks ----------------------------------------------------------------------------------------- */

static bool is_before_data(const struct perfdata_reader *r, struct cursor *c)
{
        uint64_t off = cursor_u64(c), size = cursor_u64(c);

        return !c->failed && off <= r->layout.data_off && size <= r->layout.data_off - off;
}

/* Checks the attributes and the ids that they refer to. */
static bool head_is_before_data(const struct perfdata_reader *r)
{
        struct cursor head = r->sources[0].bytes, attrs;
        uint64_t entry, off, size;

        cursor_seek(&head, 16);
        entry = cursor_u64(&head);
        off = cursor_u64(&head);
        size = cursor_u64(&head);
        cursor_seek(&head, 24);
        if (!is_before_data(r, &head) || entry < SECTION_BYTES)
                return false;
        cursor_skip(&head, 16);
        if (!is_before_data(r, &head))
                return false;
        attrs = cursor_sub(&r->sources[0].bytes, off, size);
        for (uint64_t at = entry; at <= size; at += entry) {
                cursor_seek(&attrs, at - SECTION_BYTES);
                if (!is_before_data(r, &attrs))
                        return false;
        }
        return true;
}

bool perfdata_rewrite_check(const struct perfdata_reader *r, struct err *err)
{
        if (r->layout.pipe)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: the session was recorded to a pipe, and sections can't be added to it: record it to a file",
                        r->name);
        if (r->n_sources != 1)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: the session is a directory with a file for each CPU: record it without --threads",
                        r->name);
        if (r->layout.swapped)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: the session has the byte order of another machine: archive it on a machine with that byte order",
                        r->name);
        if (r->layout.header_bytes < PERFDATA_HEADER_BYTES || r->layout.data_off < PERFDATA_HEADER_BYTES ||
            !head_is_before_data(r))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "%s: its attributes do not stand before its records, as in files that perf writes",
                        r->name);
        return true;
}

/* --- The records ------------------------------------------------------------------------------------ */

/* Finds the end of the last complete record. */
static bool find_end(const struct perfdata_reader *r, uint64_t *ret_end, struct err *err)
{
        const struct cursor *file = &r->sources[0].bytes;
        AUTO(perfdata_reader)
        raw = perfdata_open_bytes(file->start, (size_t)(file->end - file->start), r->name, err);
        struct perfdata_record record;
        uint64_t end = r->layout.data_off;
        int got = -1;

        if (raw)
                perfdata_keep_unknown(raw);
        while (raw && (got = perfdata_next_raw(raw, &record, err)) > 0) {
                const uint8_t *behind = record.payload.start ? record.payload.end : record.bytes.end;

                /* Unpacked records are not in the file. */
                if (record.bytes.start >= file->start && record.bytes.start < file->end &&
                    (uint64_t)(behind - file->start) > end)
                        end = (uint64_t)(behind - file->start);
        }
        *ret_end = end;
        return !got;
}

static bool is_finished(const struct perfdata_reader *r)
{
        return !r->damage.data_size_missing &&
               r->layout.data_bytes <= r->layout.file_bytes - r->layout.data_off;
}

/* --- The file ---------------------------------------------------------------------------------------- */

/* The new content of a section; start is NULL if there is none. Pieces of a section stay where they are. */
static struct cursor new_section(const struct perfdata_reader *r, unsigned feature,
                                 const struct perfdata_section *sections, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (sections[i].feature == feature)
                        return sections[i].bytes ? cursor_make(sections[i].bytes, sections[i].size)
                                                 : (struct cursor){0};
        }
        if (feature >= FEATURE_WPERF_RUN && feature <= FEATURE_WPERF_LAST &&
            r->piece_tables[feature - FEATURE_WPERF_RUN].start)
                return r->piece_tables[feature - FEATURE_WPERF_RUN];
        return r->features[feature];
}

static void make_tail(const struct perfdata_reader *r, const struct perfdata_section *sections, size_t n,
                      uint64_t data_end, uint64_t *bits, struct buf *out)
{
        uint64_t off = data_end;

        for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
                if (!new_section(r, i, sections, n).start)
                        continue;
                bits[i / 64] |= (uint64_t)1 << (i % 64);
                off += SECTION_BYTES;
        }
        for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
                struct cursor section = new_section(r, i, sections, n);

                if (!section.start)
                        continue;
                buf_add_u64(out, off);
                buf_add_u64(out, (uint64_t)(section.end - section.start));
                off += (uint64_t)(section.end - section.start);
        }
        for (unsigned i = 0; i < PERFDATA_FEATURES; i++) {
                struct cursor section = new_section(r, i, sections, n);

                if (section.start)
                        buf_add(out, section.start, (size_t)(section.end - section.start));
        }
}

static bool write_all(const struct perfdata_reader *r, struct os_file *file, uint64_t data_end,
                      const uint64_t *bits, const struct buf *tail, struct err *err)
{
        const uint8_t *start = r->sources[0].bytes.start;
        uint8_t head[PERFDATA_HEADER_BYTES];
        uint64_t data_bytes = data_end - r->layout.data_off;

        memcpy(head, start, sizeof(head));
        memcpy(head + HEADER_DATA_SIZE_AT, &data_bytes, sizeof(data_bytes));
        memcpy(head + HEADER_FEATURES_AT, bits, PERFDATA_FEATURE_WORDS * sizeof(*bits));
        return os_file_write(file, head, sizeof(head), err) &&
               os_file_write(file, start + sizeof(head), (size_t)data_end - sizeof(head), err) &&
               os_file_write(file, buf_text(tail), tail->len, err) && stream_check(r, err);
}

bool perfdata_rewrite(const struct perfdata_reader *r, const char *path,
                      const struct perfdata_section *sections, size_t n_sections, struct buf *ret_made,
                      uint64_t *ret_bytes, struct err *err)
{
        uint64_t bits[PERFDATA_FEATURE_WORDS] = {0}, data_end = r->layout.data_off + r->layout.data_bytes;
        AUTO_RELEASE(buf) tail = {0};
        struct os_file *file;
        bool ok;

        if (!perfdata_rewrite_check(r, err) || (!is_finished(r) && !find_end(r, &data_end, err)))
                return false;
        make_tail(r, sections, n_sections, data_end, bits, &tail);
        file = os_file_create_temp(path, ret_made, err);
        if (!file)
                return false;
        ok = write_all(r, file, data_end, bits, &tail, err);
        if (ok)
                ok = os_file_close(file, err);
        else
                os_file_free(file);
        if (!ok)
                os_remove(buf_text(ret_made), NULL);
        else
                *ret_bytes = data_end + tail.len;
        return ok;
}

bool perfdata_rewrite_put(const char *made, const char *path, bool keep_old, struct err *err)
{
        AUTO_RELEASE(buf) old = {0};
        struct os_stat st;

        buf_printf(&old, "%s.old", path);
        if ((!keep_old || !os_stat(path, &st) || os_rename(path, buf_text(&old), err)) &&
            os_rename(made, path, err))
                return true;
        os_remove(made, NULL);
        return false;
}
