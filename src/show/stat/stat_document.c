/* SPDX-License-Identifier: BSD-3-Clause */
#include "stat_document.h"

void stat_document_add(struct stat_document *d, const struct stat_view *view)
{
        struct json json;

        if (d->counts.len)
                buf_add_char(&d->counts, ',');
        json_init(&json, &d->counts);
        stat_view_json(view, &json);
        d->n_counts++;
        d->n_poor += sheet_is_poor(view->sheet);
}

/* Schemas of a timeline allow only WindowsPerf's keys; each count has its own `quality`. */
static void add_extras(const struct stat_document *d, bool has_exit, int exit_status, struct json *json)
{
        if (has_exit)
                json_key_i64(json, "target_exit", exit_status);
        json_key(json, "quality");
        json_begin_object(json);
        json_key_bool(json, "poor", d->n_poor);
        json_key_u64(json, "poor_counts", d->n_poor);
        json_end_object(json);
}

static void add_timeline(const struct stat_document *d, bool has_exit, int exit_status, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "count_duration");
        json_fixed(&json, (double)d->timeout_ns / 1e9, 3);
        json_key(&json, "count_interval");
        json_fixed(&json, (double)d->interval_ns / 1e9, 3);
        json_key_u64(&json, "count_timeline", d->n_counts);
        json_key(&json, "timeline");
        buf_add_char(out, '[');
        buf_add(out, d->counts.data, d->counts.len);
        buf_add_char(out, ']');
        json.need_comma = true;
        if (d->is_extended)
                add_extras(d, has_exit, exit_status, &json);
        json_end_object(&json);
}

void stat_document_render(const struct stat_document *d, bool has_exit, int exit_status, struct buf *out)
{
        if (d->is_timeline || d->n_counts > 1)
                add_timeline(d, has_exit, exit_status, out);
        else
                buf_add(out, d->counts.data, d->counts.len);
        buf_add_char(out, '\n');
}

void stat_document_release(struct stat_document *document)
{
        buf_release(&document->counts);
}
