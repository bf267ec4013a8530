/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens sessions (files and directories), and reads their features. */
#include "perfdata_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "buf.h"
#include "err.h"
#include "mem.h"
#include "perfdata_reader_internal.h"
#include "raw_spe.h"
#include "text.h"
#include "text_number.h"

static struct perfdata_reader *reader_new(const char *name)
{
        struct perfdata_reader *r = mem_new(1, sizeof(*r));

        r->name = mem_strdup(name);
        r->given_pos = POS_NONE;
        r->max_waiting_bytes = BUDGET_DEFAULT_BYTES / 4;
        return r;
}

void perfdata_set_waiting(struct perfdata_reader *r, uint64_t max_bytes)
{
        r->max_waiting_bytes = max_bytes;
}

void perfdata_reader_free(struct perfdata_reader *r)
{
        if (!r)
                return;
        events_release(&r->events);
        for (size_t i = 0; i < N_ELEMENTS(r->pieces); i++)
                buf_release(&r->pieces[i]);
        record_order_release(&r->order);
        deferred_release(&r->deferred);
        buf_release(&r->raw_spe);
        free(r->build_ids);
        tracing_data_free(r->tracing);
        stream_free(r);
        arena_release(&r->arena);
        free(r->name);
        free(r);
}

static bool open_source(struct perfdata_reader *r, struct err *err)
{
        struct source *s = &r->sources[0];

        if (!header_has_magic(s->bytes) && raw_spe_is(s->bytes)) {
                raw_spe_wrap(s->bytes, &r->raw_spe);
                s->bytes = cursor_make(r->raw_spe.data, r->raw_spe.len);
                s->end = r->raw_spe.len;
                r->layout.raw_spe = true;
        }
        r->layout.file_bytes = (uint64_t)(s->bytes.end - s->bytes.start);
        return header_read(r, err);
}

struct perfdata_reader *perfdata_open_bytes(const void *bytes, size_t size, const char *name, struct err *err)
{
        AUTO(perfdata_reader) r = reader_new(name);
        struct source *s = stream_add_source(r, NULL, name);

        s->bytes = cursor_make(bytes, size);
        s->end = size;
        if (!open_source(r, err))
                return NULL;
        return TAKE(r);
}

static bool open_file(struct perfdata_reader *r, const char *path, struct err *err)
{
        struct os_map *map = os_map_open(path, err);

        if (!map)
                return false;
        stream_add_source(r, map, path);
        return open_source(r, err);
}

struct dir_files {
        uint64_t numbers[LIMIT_DIR_FILES];
        size_t n;
        bool too_many;
};

/* data.0, data.1 and so on: one for each thread of the recorder */
static bool note_dir_file(void *ctx, const char *name)
{
        struct dir_files *files = ctx;
        uint64_t number;

        if (!text_starts(name, "data.") || !text_to_u64(name + 5, 10, &number))
                return true;
        files->too_many = files->n == LIMIT_DIR_FILES;
        if (!files->too_many)
                files->numbers[files->n++] = number;
        return !files->too_many;
}

static int compare_numbers(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return x < y ? -1 : x > y;
}

static bool add_dir_files(struct perfdata_reader *r, const char *path, const struct dir_files *files,
                          struct err *err)
{
        for (size_t i = 0; i < files->n; i++) {
                struct buf file = {0};
                struct os_map *map;

                buf_printf(&file, "%s/data.%" PRIu64, path, files->numbers[i]);
                map = os_map_open(buf_text(&file), err);
                if (map)
                        stream_add_source(r, map, buf_text(&file));
                buf_release(&file);
                if (!map)
                        return false;
        }
        return true;
}

static bool open_dir(struct perfdata_reader *r, const char *path, struct err *err)
{
        struct dir_files *files = mem_new(1, sizeof(*files));
        struct buf data = {0};
        bool ok;

        buf_printf(&data, "%s/data", path);
        ok = os_list_dir(path, note_dir_file, files, err);
        if (ok && files->too_many)
                ok = err_set(err, ERR_LIMIT, "%s: more than %d data files", path, LIMIT_DIR_FILES);
        qsort(files->numbers, files->n, sizeof(files->numbers[0]), compare_numbers);
        ok = ok && open_file(r, buf_text(&data), err) && add_dir_files(r, path, files, err);
        buf_release(&data);
        free(files);
        return ok;
}

struct perfdata_reader *perfdata_open(const char *path, struct err *err)
{
        AUTO(perfdata_reader) r = reader_new(path);
        struct os_stat st;
        bool is_dir = os_stat(path, &st) && st.is_dir;

        if (!(is_dir ? open_dir(r, path, err) : open_file(r, path, err)))
                return NULL;
        return TAKE(r);
}

bool perfdata_is_trusted(const struct perfdata_reader *r)
{
        for (size_t i = 0; i < r->n_sources; i++) {
                if (r->sources[i].map && !os_is_trusted_owner(r->sources[i].map->owner))
                        return false;
        }
        return true;
}

size_t perfdata_n_events(const struct perfdata_reader *r)
{
        return r->events.n;
}

const struct perfdata_event *perfdata_get_event(const struct perfdata_reader *r, size_t index)
{
        return index < r->events.n ? r->events.items[index] : NULL;
}

struct cursor perfdata_feature(const struct perfdata_reader *r, unsigned feature)
{
        struct cursor none = {.failed = true};

        if (feature >= PERFDATA_FEATURES || !r->features[feature].start)
                return none;
        return r->features[feature];
}

const struct tracing_event *perfdata_tracepoint(const struct perfdata_reader *r, const struct perf_attr *attr)
{
        return r->tracing && attr->type == PERF_TYPE_TRACEPOINT ? tracing_data_find(r->tracing, attr->config)
                                                                : NULL;
}

const char *perfdata_feature_str(const struct perfdata_reader *r, unsigned feature)
{
        struct cursor c = perfdata_feature(r, feature), text;
        uint32_t size = cursor_u32(&c);

        text = cursor_sub(&c, cursor_pos(&c), size);
        return c.failed ? NULL : cursor_str_at(&text, 0);
}

/* Old recorders pad shorter ids with zeros to 20 bytes. */
static size_t build_id_size(uint16_t misc, const uint8_t *id)
{
        static const uint8_t zeros[BUILD_ID_MAX];

        if (misc & PERFDATA_MISC_BUILD_ID_SIZE)
                return id[BUILD_ID_MAX] <= BUILD_ID_MAX ? id[BUILD_ID_MAX] : BUILD_ID_MAX;
        if (!memcmp(id, zeros, BUILD_ID_MAX))
                return 0;
        return memcmp(id + 16, zeros, 4) ? BUILD_ID_MAX : 16;
}

/* header, pid i32, id[24], path */
static bool give_build_id(struct cursor record, perfdata_build_id_fn *each, void *ctx)
{
        enum { ID_FIELD_BYTES = 24 };
        const uint8_t *id;
        const char *path;
        uint16_t misc;
        int32_t pid;

        cursor_u32(&record);
        misc = cursor_u16(&record);
        cursor_u16(&record);
        pid = (int32_t)cursor_u32(&record);
        id = cursor_bytes(&record, ID_FIELD_BYTES);
        path = cursor_str(&record, NULL);
        return path && each(ctx, misc, pid, id, build_id_size(misc, id), path);
}

void perfdata_each_build_id(const struct perfdata_reader *r, perfdata_build_id_fn *each, void *ctx)
{
        struct cursor c = perfdata_feature(r, FEATURE_BUILD_ID);

        for (size_t i = 0; i < r->n_build_ids; i++) {
                if (!give_build_id(r->build_ids[i], each, ctx))
                        return;
        }
        while (!c.failed && cursor_left(&c) >= sizeof(struct perf_header)) {
                size_t start = cursor_pos(&c);
                struct perfdata_record record;

                if (!perfdata_record_make(c.at, cursor_left(&c), c.swap, &record) ||
                    !give_build_id(record.bytes, each, ctx))
                        return;
                cursor_seek(&c, start + record.header.size);
        }
}

void perfdata_keep_unknown(struct perfdata_reader *r)
{
        r->keep_unknown = true;
}

const struct perfdata_damage *perfdata_get_damage(const struct perfdata_reader *r)
{
        return &r->damage;
}

const struct perfdata_layout *perfdata_get_layout(const struct perfdata_reader *r)
{
        return &r->layout;
}
