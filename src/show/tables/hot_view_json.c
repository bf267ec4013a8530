/* SPDX-License-Identifier: BSD-3-Clause */
#include "hot_view_internal.h"

static void add_pcs(const struct hot_view *view, uint32_t event, struct json *json)
{
        json_key(json, "pcs");
        json_begin_array(json);
        for (size_t i = hot_view_first_pc(view, event); i < hot_n_pcs(view->hot); i++) {
                const struct hot_pc *pc = hot_get_pc(view->hot, i);
                const struct hot_row *row = hot_get_row(view->hot, pc->row);

                if (pc->event != event)
                        break;
                if (hot_view_hides(view, row))
                        continue;
                json_begin_object(json);
                json_key_u64(json, "address", pc->addr);
                json_key_u64(json, "count", pc->count);
                json_key_str(json, "in_symbol", hot_text(view->hot, row->symbol));
                json_end_object(json);
        }
        json_end_array(json);
}

static void add_annotated(const struct hot_view *view, uint32_t event, struct json *json)
{
        for (size_t i = 0; i < view->n_annotated; i++) {
                if (view->annotated[i].event != event)
                        continue;
                json_begin_object(json);
                annotate_view_json(&view->annotated[i].view, view->disassemble, json);
                json_end_object(json);
        }
}

static void add_emulation(const struct hot_view *view, const struct report_event *event, struct json *json)
{
        if (!view->is_extended || !event->emulated_module)
                return;
        json_key(json, "emulation");
        json_begin_object(json);
        json_key(json, "x64");
        json_fixed(json, event->emulation.x64, 4);
        json_key(json, "x86");
        json_fixed(json, event->emulation.x86, 4);
        json_key_str(json, "module", event->emulated_module);
        json_end_object(json);
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
        add_emulation(view, &view->events[event], json);
        json_key_u64(json, "interval", view->events[event].mean_period);
        json_key_u64(json, "printed_sample_num", shown);
        if (view->verbose)
                add_pcs(view, event, json);
        json_key(json, "annotate");
        json_begin_array(json);
        add_annotated(view, event, json);
        json_end_array(json);
        json_end_object(json);
}

void hot_view_json(const struct hot_view *view, struct json *json)
{
        json_key(json, "events");
        json_begin_array(json);
        for (size_t i = 0; i < view->n_events; i++) {
                if (hot_view_has_section(view, i))
                        add_event(view, (uint32_t)i, json);
        }
        json_end_array(json);
}
