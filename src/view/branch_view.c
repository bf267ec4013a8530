/* SPDX-License-Identifier: BSD-3-Clause */
#include "branch_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "table.h"
#include "text.h"

static const struct column columns[] = {
        {.name = "event"},
        {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "count", .type = COLUMN_U64},
        {.name = "mispredicted", .key = "mispredicted_percent", .type = COLUMN_FIXED, .decimals = 2},
        {.name = "cycles", .key = "mean_cycles", .type = COLUMN_FIXED, .decimals = 1},
        {.name = "from", .can_cut = true},
        {.name = "from module"},
        {.name = "to", .can_cut = true},
        {.name = "to module"},
};

static struct table *new_table(bool with_event)
{
        return table_new(with_event ? columns : columns + 1, N_ELEMENTS(columns) - !with_event);
}

static bool shows(const struct branch_view *view, const struct branch_row *row)
{
        return !view->symbol || text_match_symbol(view->symbol, branch_rows_text(view->rows, row->from)) ||
               text_match_symbol(view->symbol, branch_rows_text(view->rows, row->to));
}

/* What hardware did not tell is no 0. */
static void add_share(struct table *table, uint64_t part, uint64_t all, double unit)
{
        if (all)
                table_add_fixed(table, unit * (double)part / (double)all);
        else
                table_add_none(table);
}

static void add_cells(const struct branch_view *view, const struct branch_row *row, uint64_t of,
                      bool with_event, struct table *table)
{
        if (with_event)
                table_add_text(table, view->events[row->event].name);
        add_share(table, row->count, of, 100);
        table_add_u64(table, row->count);
        add_share(table, row->n_mispredicted, row->n_told, 100);
        add_share(table, row->cycles, row->n_timed, 1);
        table_add_text(table, branch_rows_text(view->rows, row->from));
        table_add_text(table, branch_rows_text(view->rows, row->from_module));
        table_add_text(table, branch_rows_text(view->rows, row->to));
        table_add_text(table, branch_rows_text(view->rows, row->to_module));
}

static void add_rows(const struct branch_view *view, uint32_t event, bool with_event, struct table *table)
{
        uint64_t of = branch_rows_count(view->rows, event), shown = 0;

        for (size_t i = 0; i < branch_rows_n(view->rows) && shown < view->max_rows; i++) {
                const struct branch_row *row = branch_rows_get(view->rows, i);

                if (row->event != event || !shows(view, row))
                        continue;
                add_cells(view, row, of, with_event, table);
                shown++;
        }
}

/* NULL: the event has no branches. */
static struct table *table_of(const struct branch_view *view, uint32_t event)
{
        struct table *table;

        if (!branch_rows_count(view->rows, event))
                return NULL;
        table = new_table(false);
        table_color(table, view->is_colored);
        add_rows(view, event, false, table);
        return table;
}

static void add_event(const struct branch_view *view, uint32_t event, const struct table *table,
                      struct buf *out)
{
        buf_add_str(out, "======================== branches: ");
        text_add_printable(out, view->events[event].name);
        buf_printf(out, ", %" PRIu64 " in %" PRIu64 " samples, top %" PRIu64 " ========================\n",
                   branch_rows_count(view->rows, event), view->events[event].n_samples, view->max_rows);
        if (table_n_rows(table) || !view->symbol) {
                table_render_text(table, view->max_columns, out);
                return;
        }
        hot_view_add_no_match(view->symbol, out);
}

void branch_view_text(const struct branch_view *view, struct buf *out)
{
        for (uint32_t i = 0; i < view->n_events; i++) {
                AUTO(table) table = table_of(view, i);

                if (table)
                        add_event(view, i, table, out);
        }
}

void branch_view_csv(const struct branch_view *view, struct buf *out)
{
        bool with_event = view->n_events > 1;
        AUTO(table) table = new_table(with_event);

        for (uint32_t i = 0; i < view->n_events; i++)
                add_rows(view, i, with_event, table);
        table_render_csv(table, out);
}

void branch_view_json(const struct branch_view *view, struct json *json)
{
        json_key(json, "branches");
        json_begin_array(json);
        for (uint32_t i = 0; i < view->n_events; i++) {
                AUTO(table) table = table_of(view, i);

                if (!table)
                        continue;
                json_begin_object(json);
                json_key_str(json, "type", view->events[i].name);
                json_key_u64(json, "count", branch_rows_count(view->rows, i));
                json_key(json, "edges");
                table_render_json(table, false, json);
                json_end_object(json);
        }
        json_end_array(json);
}
