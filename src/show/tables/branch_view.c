/* SPDX-License-Identifier: BSD-3-Clause */
#include "branch_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "buf.h"
#include "table.h"
#include "text_printable.h"

/* Columns for both ends, by row key. */
static const struct column ends[2][ROW_N_KEYS] = {
        {
                [ROW_SYMBOL] = {.name = "from", .can_cut = true, .is_name = true},
                [ROW_ADDR] = {.name = "from addr"},
                [ROW_MODULE] = {.name = "from module"},
        },
        {
                [ROW_SYMBOL] = {.name = "to", .can_cut = true, .is_name = true},
                [ROW_ADDR] = {.name = "to addr"},
                [ROW_MODULE] = {.name = "to module"},
        },
};

static const struct column counts[] = {
        {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "count", .type = COLUMN_U64},
        {.name = "mispredicted", .key = "mispredicted_percent", .type = COLUMN_FIXED, .decimals = 2},
        {.name = "cycles", .key = "mean_cycles", .type = COLUMN_FIXED, .decimals = 1},
};

static const struct column target_counts[] = {
        {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "mispredicted", .type = COLUMN_U64},
        {.name = "of", .key = "branches", .type = COLUMN_U64},
        {.name = "percent", .key = "mispredicted_percent", .type = COLUMN_FIXED, .decimals = 2},
};

_Static_assert(N_ELEMENTS(counts) == N_ELEMENTS(target_counts), "as many columns");

struct branch_columns {
        struct column list[1 + N_ELEMENTS(counts) + 2 * ROW_N_KEYS];
        size_t n;
};

static struct row_keys keys_of(const struct branch_view *view)
{
        return view->keys.n ? view->keys : (struct row_keys){{ROW_SYMBOL, ROW_MODULE}, 2};
}

static void list_columns(const struct branch_view *view, bool with_event, struct branch_columns *c)
{
        const struct row_keys keys = keys_of(view);

        *c = (struct branch_columns){0};
        if (with_event)
                c->list[c->n++] = (struct column){.name = "event"};
        for (size_t i = 0; i < N_ELEMENTS(counts); i++)
                c->list[c->n++] = view->by_target ? target_counts[i] : counts[i];
        for (size_t end = view->by_target; end < N_ELEMENTS(ends); end++) {
                for (size_t i = 0; i < keys.n; i++) {
                        struct column column = ends[end][keys.order[i]];

                        if (!column.name)
                                continue;
                        column.is_name &= !view->long_names;
                        column.can_cut &= !view->long_names;
                        c->list[c->n++] = column;
                }
        }
}

static bool has_module_column(const struct row_keys *keys)
{
        for (size_t i = 0; i < keys->n; i++) {
                if (keys->order[i] == ROW_MODULE)
                        return true;
        }
        return false;
}

/* A value that the hardware did not report is blank, not 0. */
static void add_share(struct table *table, uint64_t part, uint64_t all, double unit)
{
        if (all)
                table_add_fixed(table, unit * (double)part / (double)all);
        else
                table_add_none(table);
}

/* Adds the module if it has no column of its own: "0x1139:libm.so.6". */
static void add_in_module(const struct row_keys *keys, const char *text, const char *module,
                          struct table *table)
{
        AUTO_RELEASE(buf) whole = {0};
        size_t len;

        buf_add_str(&whole, text);
        len = whole.len;
        if (*module && !has_module_column(keys))
                buf_printf(&whole, ":%s", module);
        table_add_name(table, buf_text(&whole), whole.len - len);
}

static void add_end(const struct branch_view *view, str_id function, str_id in, uint64_t addr,
                    struct table *table)
{
        const struct row_keys keys = keys_of(view);
        const char *module = branch_rows_text(view->rows, in);
        char hex[32];

        snprintf(hex, sizeof(hex), "0x%" PRIx64, addr);
        for (size_t i = 0; i < keys.n; i++) {
                switch (keys.order[i]) {
                case ROW_SYMBOL:
                        add_in_module(&keys, branch_rows_text(view->rows, function), module, table);
                        break;
                case ROW_ADDR: add_in_module(&keys, addr || *module ? hex : "unknown", module, table); break;
                case ROW_MODULE: table_add_text(table, module); break;
                default: break;
                }
        }
}

static void add_cells(const struct branch_view *view, const struct branch_row *row, uint64_t of,
                      bool with_event, struct table *table)
{
        if (with_event)
                table_add_text(table, view->events[row->event].name);
        add_share(table, view->by_target ? row->n_mispredicted : row->count, of, 100);
        if (view->by_target)
                table_add_u64(table, row->n_mispredicted);
        table_add_u64(table, row->count);
        add_share(table, row->n_mispredicted, row->n_told, 100);
        if (!view->by_target) {
                add_share(table, row->cycles, row->n_timed, 1);
                add_end(view, row->from, row->from_module, row->from_addr, table);
        }
        add_end(view, row->to, row->to_module, row->to_addr, table);
}

static bool is_hidden(const struct branch_view *view, const struct branch_row *row)
{
        return view->symbol && !branch_row_matches(view->rows, row, view->symbol);
}

static void add_rows(const struct branch_view *view, uint32_t event, bool with_event, struct table *table)
{
        uint64_t of = branch_rows_count(view->rows, event), shown = 0;

        for (size_t i = 0; i < branch_rows_n(view->rows) && shown < view->max_rows; i++) {
                const struct branch_row *row = branch_rows_get(view->rows, i);

                if (row->event != event || is_hidden(view, row))
                        continue;
                add_cells(view, row, of, with_event, table);
                shown++;
        }
}

/* NULL: the event has no branches. */
static struct table *table_of(const struct branch_view *view, uint32_t event, struct branch_columns *c)
{
        struct table *table;

        if (!branch_rows_count(view->rows, event))
                return NULL;
        list_columns(view, false, c);
        table = table_new(c->list, c->n);
        table_color(table, view->is_colored);
        add_rows(view, event, false, table);
        return table;
}

static void add_event(const struct branch_view *view, uint32_t event, const struct table *table,
                      struct buf *out)
{
        buf_printf(out, "======================== %s: ",
                   view->by_target ? "targets of mispredicted branches" : "branches");
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
                struct branch_columns c;
                AUTO(table) table = table_of(view, i, &c);

                if (table)
                        add_event(view, i, table, out);
        }
}

void branch_view_csv(const struct branch_view *view, struct buf *out)
{
        bool with_event = view->n_events > 1;
        struct branch_columns c;
        AUTO(table) table = NULL;

        list_columns(view, with_event, &c);
        table = table_new(c.list, c.n);
        for (uint32_t i = 0; i < view->n_events; i++)
                add_rows(view, i, with_event, table);
        table_render_csv(table, out);
}

void branch_view_json(const struct branch_view *view, struct json *json)
{
        json_key(json, view->by_target ? "mispredicted" : "branches");
        json_begin_array(json);
        for (uint32_t i = 0; i < view->n_events; i++) {
                struct branch_columns c;
                AUTO(table) table = table_of(view, i, &c);

                if (!table)
                        continue;
                json_begin_object(json);
                json_key_str(json, "type", view->events[i].name);
                json_key_u64(json, "count", branch_rows_count(view->rows, i));
                json_key(json, view->by_target ? "targets" : "edges");
                table_render_json(table, false, json);
                json_end_object(json);
        }
        json_end_array(json);
}
