/* SPDX-License-Identifier: BSD-3-Clause */
#include "group_view.h"

#include "table.h"
#include "text_printable.h"

static const struct column text_columns[] = {
        {.name = "samples", .type = COLUMN_THOUSANDS},
        {.name = "share", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "95 % interval", .type = COLUMN_TEXT, .right = true},
        {.name = "group", .type = COLUMN_TEXT, .can_cut = true},
};

static const struct column data_columns[] = {
        {.name = "event", .type = COLUMN_TEXT},
        {.name = "group", .type = COLUMN_TEXT},
        {.name = "samples", .type = COLUMN_U64},
        {.name = "weight", .type = COLUMN_U64},
        {.name = "share_percent", .type = COLUMN_FIXED, .decimals = 4},
        {.name = "low_percent", .type = COLUMN_FIXED, .decimals = 4},
        {.name = "high_percent", .type = COLUMN_FIXED, .decimals = 4},
};

void group_view_text(const struct group_view *view, struct buf *out)
{
        AUTO(table) table = table_new(text_columns, N_ELEMENTS(text_columns));

        text_printf(out, "%s by group\n", view->event);
        for (size_t i = 0; i < view->n_rows; i++) {
                const struct group_view_row *row = &view->rows[i];
                AUTO_RELEASE(buf) interval = {0};

                buf_printf(&interval, "%.2f to %.2f", row->low * 100, row->high * 100);
                table_add_u64(table, row->count);
                table_add_fixed(table, row->share * 100);
                table_add_text(table, buf_text(&interval));
                table_add_text(table, row->group);
        }
        table_color(table, view->is_colored);
        table_render_text(table, view->max_columns, out);
        buf_add_char(out, '\n');
}

static void add_rows(const struct group_view *view, struct table *table)
{
        for (size_t i = 0; i < view->n_rows; i++) {
                const struct group_view_row *row = &view->rows[i];

                table_add_text(table, view->event);
                table_add_text(table, row->group);
                table_add_u64(table, row->count);
                table_add_u64(table, row->weight);
                table_add_fixed(table, row->share * 100);
                table_add_fixed(table, row->low * 100);
                table_add_fixed(table, row->high * 100);
        }
}

void group_view_json(const struct group_view *view, struct json *json)
{
        AUTO(table) table = table_new(data_columns, N_ELEMENTS(data_columns));

        add_rows(view, table);
        json_begin_object(json);
        json_key_str(json, "event", view->event);
        json_key(json, "groups");
        table_render_json(table, true, json);
        json_end_object(json);
}

void group_view_csv(const struct group_view *views, size_t n, struct buf *out)
{
        AUTO(table) table = table_new(data_columns, N_ELEMENTS(data_columns));

        for (size_t i = 0; i < n; i++)
                add_rows(&views[i], table);
        table_render_csv(table, out);
}
