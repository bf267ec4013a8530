/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses as JSON. */
#include "access_view_internal.h"

static void add_measures(const struct access_view *view, const struct access_row *row, struct json *json)
{
        size_t n;
        const struct access_measure *measures = access_view_measures(&n);

        for (size_t i = 0; i < n; i++) {
                bool is_known;
                double value = access_view_value(&measures[i], row, &is_known);

                if (!access_view_has(view, &measures[i]))
                        continue;
                json_key(json, measures[i].key);
                if (!is_known)
                        json_null(json);
                else if (measures[i].type == COLUMN_U64)
                        json_u64(json, (uint64_t)value);
                else
                        json_fixed(json, value, 2);
        }
}

static void add_object(const struct access_object *object, struct json *json)
{
        json_key_str(json, "memory", object->name ? "variable" : access_view_memory(object));
        if (object->name)
                json_key_str(json, "object", object->name);
        if (object->module)
                json_key_str(json, "object_module", object->module);
        if (object->size_bytes)
                json_key_u64(json, "size_bytes", object->size_bytes);
        json_key_i64(json, "pid", object->pid);
}

/* The address is a key of its own, so that programs need not parse the text of the column. */
static void add_keys(const struct access_view *view, const struct access_row *row, struct json *json)
{
        if (view->keys & ACCESS_BY_LEVEL)
                json_key_str(json, "level", access_level_name(row->level));
        if (view->keys & ACCESS_BY_LATENCY) {
                json_key_u64(json, "from_cycles", row->from);
                json_key_u64(json, "to_cycles", row->to);
        }
        if (view->keys & ACCESS_BY_OBJECT)
                add_object(access_rows_object(view->rows, row->object), json);
        if (!(view->keys & (ACCESS_BY_PAGE | ACCESS_BY_LINE)))
                return;
        json_key(json, "address");
        json_hex(json, row->data.addr);
        json_key_i64(json, "pid", row->data.pid);
        if (view->keys & ACCESS_BY_LINE)
                json_key_str(json, "sharing", access_view_sharing(row->sharing));
}

static void add_code(const struct access_view *view, const struct access_row *row, struct json *json)
{
        const struct row_keys *keys = &view->code.keys;
        const struct row_keys symbol = {{ROW_SYMBOL, ROW_MODULE}, 2};

        if (!view->by_code)
                return;
        if (!keys->n)
                keys = &symbol;
        for (size_t i = 0; i < keys->n; i++) {
                AUTO_RELEASE(buf) text = {0};
                const char *name = hot_view_key_name(keys->order[i]);

                if (!name)
                        continue;
                hot_view_add_key(&view->code, hot_get_row(view->code.hot, row->code), keys->order[i], &text);
                json_key_str(json, name, buf_text(&text));
        }
}

static void add_uses(const struct access_view *view, const struct access_row *row, struct json *json)
{
        const struct hot *hot = view->code.hot;

        json_key(json, "uses");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_uses; i++) {
                const struct access_use *use = access_rows_use(view->rows, row->first_use + i);

                json_begin_object(json);
                json_key_u64(json, "offset", use->offset);
                json_key_str(json, "symbol", hot_text(hot, hot_get_row(hot, use->code)->bare));
                json_key_str(json, "module", hot_text(hot, hot_get_row(hot, use->code)->module));
                json_key_u64(json, "count", use->count);
                json_key_u64(json, "loads", use->n_loads);
                json_key_u64(json, "stores", use->n_stores);
                json_key(json, "tids");
                json_begin_array(json);
                for (size_t k = 0; k < use->n_threads; k++)
                        json_i64(json, access_rows_thread(view->rows, use->first_thread + k));
                json_end_array(json);
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_rows(const struct access_view *view, uint32_t event, struct json *json)
{
        uint64_t n_shown = 0;

        json_key(json, "rows");
        json_begin_array(json);
        for (size_t i = 0; i < access_rows_n(view->rows) && n_shown < view->code.max_rows; i++) {
                const struct access_row *row = access_rows_get(view->rows, i);

                if (row->event != event)
                        continue;
                json_begin_object(json);
                add_measures(view, row, json);
                add_keys(view, row, json);
                add_code(view, row, json);
                if (view->keys & ACCESS_BY_ADDRESS)
                        add_uses(view, row, json);
                json_end_object(json);
                n_shown++;
        }
        json_end_array(json);
}

void access_view_json(const struct access_view *view, struct json *json)
{
        json_key(json, "accesses");
        json_begin_array(json);
        for (uint32_t i = 0; i < view->n_events; i++) {
                const struct access_view_event *e = &view->events[i];

                if (!e->totals.n_accesses)
                        continue;
                json_begin_object(json);
                json_key_str(json, "event", e->name);
                json_key_u64(json, "samples", e->totals.n_samples);
                json_key_u64(json, "loads", e->totals.n_loads);
                json_key_u64(json, "stores", e->totals.n_stores);
                json_key_u64(json, "latency_cycles", e->totals.cycles);
                json_key_u64(json, "left_out", e->totals.n_left_out);
                add_rows(view, i, json);
                json_end_object(json);
        }
        json_end_array(json);
        if (view->mispredicted)
                branch_view_json(view->mispredicted, json);
}
