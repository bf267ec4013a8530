/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling document: WindowsPerf's keys, which editor extensions read, and what it lacked at top level. */
#include "hot_view_internal.h"
#include "quality_view.h"
#include "text.h"

static void add_pcs(const struct hot_view *view, uint32_t event, struct json *json)
{
        json_key(json, "pcs");
        json_begin_array(json);
        for (size_t i = 0; i < hot_n_pcs(view->hot); i++) {
                const struct hot_pc *pc = hot_get_pc(view->hot, i);
                const struct hot_row *row = hot_get_row(view->hot, pc->row);

                if (pc->event != event || !hot_view_shows(view, row))
                        continue;
                json_begin_object(json);
                json_key_u64(json, "address", pc->addr);
                json_key_u64(json, "count", pc->count);
                json_key_str(json, "in_symbol", hot_text(view->hot, row->symbol));
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_event(const struct hot_view *view, uint32_t event, struct json *json)
{
        struct columns c = {0};
        struct hot_sums sums = {0};
        AUTO(table) table = NULL;
        size_t shown;

        hot_view_columns(view, false, &c);
        table = table_new(c.list, c.n);
        shown = hot_view_add_rows(view, event, false, table, &sums);
        json_begin_object(json);
        json_key_str(json, "type", view->events[event].name);
        json_key(json, "samples");
        table_render_json(table, view->is_extended, json);
        json_key_u64(json, "interval", view->events[event].interval);
        json_key_u64(json, "printed_sample_num", shown);
        if (view->verbose)
                add_pcs(view, event, json);
        json_key(json, "annotate");
        json_begin_array(json);
        if (view->add_annotated_json)
                view->add_annotated_json(view->annotated_ctx, event, json);
        json_end_array(json);
        json_end_object(json);
}

static void add_modules(const struct hot_view *view, struct json *json)
{
        json_key(json, "modules");
        json_begin_array(json);
        for (size_t i = 0; i < view->n_modules; i++) {
                const struct hot_view_module *module = &view->modules[i];

                json_begin_object(json);
                json_key_str(json, "name", text_base_name(module->path));
                json_key_u64(json, "address", module->address);
                json_key_str(json, "path", module->path);
                if (module->note)
                        json_key_str(json, "note", module->note);
                json_end_object(json);
        }
        json_end_array(json);
}

/* Modules whose file was found, with the sections that are loaded. */
static void add_modules_info(const struct hot_view *view, struct json *json)
{
        json_key(json, "modules_info");
        json_begin_array(json);
        for (size_t i = 0; i < view->n_modules; i++) {
                const struct hot_view_module *module = &view->modules[i];

                if (!module->n_sections)
                        continue;
                json_begin_object(json);
                json_key(json, "sections");
                json_begin_array(json);
                for (size_t k = 0; k < module->n_sections; k++) {
                        json_begin_object(json);
                        json_key_str(json, "section", module->sections[k].name);
                        json_key_u64(json, "offset", module->sections[k].addr);
                        json_key_u64(json, "virtual_size", module->sections[k].size_bytes);
                        json_end_object(json);
                }
                json_end_array(json);
                json_key_str(json, "module", text_base_name(module->path));
                json_key_str(json, "pe_name", module->path);
                json_key_str(json, "pdb_file", "");
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_sampling(const struct hot_view *view, struct json *json)
{
        const struct quality *q = view->quality;

        json_key(json, "sampling");
        json_begin_object(json);
        json_key_str(json, "pe_file", view->pe_file ? view->pe_file : "");
        json_key_str(json, "pdb_file", view->pdb_file ? view->pdb_file : "");
        json_key_u64(json, "sample_display_row", view->max_rows);
        json_key_u64(json, "samples_generated", q->n_samples + q->n_lost);
        json_key_u64(json, "samples_dropped", q->n_lost);
        if (view->has_image) {
                json_key_u64(json, "base_address", view->base_address);
                json_key_u64(json, "runtime_delta", view->runtime_delta);
        }
        if (view->verbose) {
                add_modules(view, json);
                add_modules_info(view, json);
        }
        json_key(json, "events");
        json_begin_array(json);
        for (size_t i = 0; i < view->n_events; i++) {
                if (hot_view_has_section(view, i))
                        add_event(view, (uint32_t)i, json);
        }
        json_end_array(json);
        json_end_object(json);
}

void hot_view_json(const struct hot_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        add_sampling(view, &json);
        if (view->add_more_json)
                view->add_more_json(view->more_ctx, &json);
        quality_add_json(view->quality, view->source_note, &json);
        if (view->has_elapsed) {
                json_key(&json, "Time_elapsed");
                json_fixed(&json, (double)view->elapsed_ns / 1e9, 3);
        }
        if (view->has_exit)
                json_key_i64(&json, "target_exit", view->exit_status);
        json_end_object(&json);
        buf_add_char(out, '\n');
}
