/* SPDX-License-Identifier: BSD-3-Clause */
#include "perfdata_batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perfdata_reader_internal.h"

void perfdata_batch_release(struct perfdata_batch *batch)
{
        free(batch->items);
        free(batch->first_sample);
        free(batch->others);
        free(batch->events);
        buf_release(&batch->copies);
        *batch = (struct perfdata_batch){0};
}

/* Whether the bytes stay in place as long as the reader exists. */
static bool is_in_file(const struct perfdata_reader *r, const struct cursor *bytes)
{
        for (size_t i = 0; i < r->n_sources; i++) {
                const struct cursor *file = &r->sources[i].bytes;

                if (bytes->start >= file->start && bytes->end <= file->end && bytes->start < file->end)
                        return true;
        }
        return false;
}

static void add_record(const struct perfdata_reader *r, struct perfdata_batch *batch,
                       const struct perfdata_record *record, struct batch_totals *totals)
{
        struct batched_record item = {
                .at = record->bytes.start,
                .time = record->time,
                .event = record->event,
                .size_bytes = (uint16_t)(record->bytes.end - record->bytes.start),
                .is_sample = record->header.type == PERF_RECORD_SAMPLE,
                .asked_build_id = record->asked_build_id,
        };

        /* The file was truncated while it was read. */
        if (record->bytes.failed || item.size_bytes < sizeof(struct perf_header))
                return;
        if (!is_in_file(r, &record->bytes)) {
                item.at = NULL;
                item.copy = batch->copies.len;
                buf_add(&batch->copies, record->bytes.start, item.size_bytes);
        }
        if (batch->n % BATCH_CHUNK == 0)
                ARRAY_PUSH(batch->first_sample, batch->n_chunks, batch->cap_chunks, totals->n_samples);
        if (!item.is_sample)
                ARRAY_PUSH(batch->others, batch->n_others, batch->cap_others, (uint32_t)batch->n);
        totals->n_samples += item.is_sample;
        ARRAY_PUSH(batch->items, batch->n, batch->cap, item);
}

static void keep_events(const struct perfdata_reader *r, struct perfdata_batch *batch)
{
        size_t n = r->events.n;

        if (n == batch->n_events)
                return;
        batch->events = mem_resize(batch->events, n, sizeof(*batch->events));
        for (size_t i = 0; i < n; i++)
                batch->events[i] = r->events.items[i];
        batch->n_events = n;
}

void perfdata_set_extra(struct perfdata_reader *r, const struct perfdata_extra *extra)
{
        assert(extra->see || !extra->ctx);
        r->extra = *extra;
}

/* As perfdata_next, with the samples of `extra` in between. */
static int next_of_both(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        if (!r->is_held && !r->at_end) {
                int got = perfdata_next(r, &r->held, err);

                if (got < 0)
                        return -1;
                r->is_held = got > 0;
                r->at_end = !got;
        }
        if (r->extra.next(r->extra.ctx, r->is_held ? &r->held : NULL, ret))
                return 1;
        if (!r->is_held)
                return 0;
        r->is_held = false;
        *ret = r->held;
        r->extra.see(r->extra.ctx, ret);
        return 1;
}

static int next_record(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        return r->extra.next ? next_of_both(r, ret, err) : perfdata_next(r, ret, err);
}

static bool has_room(const struct perfdata_batch *batch)
{
        return !batch->max_copied_bytes || batch->copies.len < batch->max_copied_bytes;
}

int perfdata_next_batch(struct perfdata_reader *r, struct perfdata_batch *batch, size_t max,
                        struct batch_totals *totals, struct err *err)
{
        struct perfdata_record record;
        int got = 1;

        batch->n = batch->n_chunks = batch->n_others = 0;
        batch->first_chunk = totals->n_chunks;
        batch->swap = r->layout.swapped;
        buf_clear(&batch->copies);
        while (batch->n < max && has_room(batch) && (got = next_record(r, &record, err)) > 0)
                add_record(r, batch, &record, totals);
        totals->n_chunks += batch->n_chunks;
        keep_events(r, batch);
        batch->file_off = r->n_sources == 1 ? r->sources[0].at : 0;
        return got < 0 ? -1 : batch->n > 0;
}

/* As perfdata_record_make(), but faster: samples are most of the records. */
static void get_sample(const struct batched_record *item, const void *at, struct perfdata_record *ret)
{
        ret->bytes = (struct cursor){.start = at, .at = at, .end = (const uint8_t *)at + item->size_bytes};
        memcpy(&ret->header, at, sizeof(ret->header));
        ret->payload = (struct cursor){0};
        ret->file_off = 0;
        ret->time = item->time;
        ret->event = item->event;
        ret->asked_build_id = item->asked_build_id;
}

void perfdata_batch_get(const struct perfdata_batch *batch, size_t index, struct perfdata_record *ret)
{
        const struct batched_record *item = &batch->items[index];
        const void *at = item->at ? (const void *)item->at : batch->copies.data + item->copy;
        struct perf_header header;

        if (item->is_sample && !batch->swap) {
                get_sample(item, at, ret);
                return;
        }
        /* Use the size that was checked, because the file may change while it is read. */
        if (!perfdata_record_make(at, item->size_bytes, batch->swap, ret)) {
                header = (struct perf_header){.size = item->size_bytes};
                *ret = (struct perfdata_record){.header = header, .bytes = cursor_make(at, 0)};
                ret->bytes.failed = true;
        }
        ret->time = item->time;
        ret->event = item->event;
        ret->asked_build_id = item->asked_build_id;
}

void perfdata_forget_before(struct perfdata_reader *r, uint64_t file_off)
{
        if (r->n_sources == 1 && r->sources[0].map)
                os_map_forget(r->sources[0].map, 0, file_off);
}

void perfdata_forget_bytes(const struct perfdata_reader *r, const uint8_t *bytes, size_t size)
{
        for (size_t i = 0; i < r->n_sources; i++) {
                const struct os_map *map = r->sources[i].map;

                if (map && bytes >= map->bytes && bytes < map->bytes + map->size_bytes)
                        os_map_forget(map, (uint64_t)(bytes - map->bytes), size);
        }
}
