/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "table.h"
#include "text_match.h"
#include "text_printable.h"

static const struct column columns[] = {
        {.name = "self", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "total", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
        {.name = "count", .type = COLUMN_U64},
        {.name = "Python function", .can_cut = true},
};

bool python_view_shows(const struct python_view *view, const struct python_function *function)
{
        return !view->symbol || text_match_symbol(view->symbol, function->name) ||
               text_match_symbol(view->symbol, function->label);
}

bool python_view_has_rows(const struct python_view *view)
{
        for (size_t i = 0; view->rows && i < view->rows->n; i++) {
                if (python_view_shows(view, &view->rows->items[i]))
                        return true;
        }
        return false;
}

static double percent(const struct python_view *view, uint32_t event, uint64_t weight)
{
        uint64_t all = view->events[event].weight;

        return all ? 100 * (double)weight / (double)all : 0;
}

static void add_row(const struct python_view *view, const struct python_function *function,
                    struct table *table)
{
        AUTO_RELEASE(buf) label = {0};

        text_add_printable(&label, function->label);
        table_add_fixed(table, percent(view, function->event, function->self_weight));
        table_add_fixed(table, percent(view, function->event, function->weight));
        table_add_u64(table, function->self_count);
        table_add_text(table, buf_text(&label));
}

static void add_footer(const struct python_view *view, uint32_t event, uint64_t weight, uint64_t count,
                       size_t n, struct table *table)
{
        char share[24], counted[24], top[48];
        const char *const texts[] = {share, NULL, counted, top};

        snprintf(share, sizeof(share), "%.2f%%", percent(view, event, weight));
        snprintf(counted, sizeof(counted), "%" PRIu64, count);
        snprintf(top, sizeof(top), "top %zu in total", n);
        table_add_footer(table, texts);
}

static void add_section(const struct python_view *view, uint32_t event, struct buf *out)
{
        AUTO(table) table = table_new(columns, N_ELEMENTS(columns));
        uint64_t weight = 0, count = 0;
        size_t n = 0;

        for (size_t i = 0; i < view->rows->n && n < view->max_rows; i++) {
                const struct python_function *function = &view->rows->items[i];

                if (function->event != event || !python_view_shows(view, function))
                        continue;
                add_row(view, function, table);
                weight += function->self_weight;
                count += function->self_count;
                n++;
        }
        if (!n)
                return;
        add_footer(view, event, weight, count, n, table);
        table_color(table, view->is_colored);
        buf_add_str(out, "======================== Python functions: ");
        text_add_printable(out, view->events[event].name);
        buf_printf(out, ", top %" PRIu64 " by innermost Python frame ========================\n",
                   view->max_rows);
        table_render_text(table, view->max_columns, out);
}

void python_view_text(const struct python_view *view, struct buf *out)
{
        for (uint32_t i = 0; view->rows && i < view->n_events; i++)
                add_section(view, i, out);
}

static void add_object(const struct python_view *view, const struct python_function *function,
                       struct json *json)
{
        json_begin_object(json);
        json_key_str(json, "event", view->events[function->event].name);
        json_key_str(json, "function", function->name);
        json_key_str(json, "label", function->label);
        json_key_str(json, "file", function->path);
        json_key_u64(json, "self_count", function->self_count);
        json_key(json, "self_percent");
        json_fixed(json, percent(view, function->event, function->self_weight), 4);
        json_key_u64(json, "count", function->count);
        json_key(json, "percent");
        json_fixed(json, percent(view, function->event, function->weight), 4);
        json_key(json, "lines");
        json_begin_array(json);
        for (size_t i = 0; i < function->n_lines; i++) {
                json_begin_object(json);
                json_key_u64(json, "line", function->lines[i].line);
                json_key_u64(json, "count", function->lines[i].count);
                json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
}

void python_view_json(const struct python_view *view, struct json *json)
{
        json_key(json, "python_functions");
        json_begin_array(json);
        for (size_t i = 0; i < view->rows->n; i++) {
                if (python_view_shows(view, &view->rows->items[i]))
                        add_object(view, &view->rows->items[i], json);
        }
        json_end_array(json);
}
