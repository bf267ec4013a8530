/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns and cells of the tables of a count. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "stat_view_internal.h"
#include "text.h"
#include "text_number.h"

static void add_column(struct stat_table *made, struct column column)
{
        made->columns[made->n_columns++] = column;
}

static void begin(struct stat_table *made)
{
        made->table = table_new(made->columns, made->n_columns);
}

void stat_table_release(struct stat_table *made)
{
        table_free(made->table);
}

static void add_deviation(struct table *table, double percent)
{
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%.2f %%", percent);
        table_add_text(table, percent < 0 ? "" : text.data);
}

static bool is_total(enum sheet_kind kind)
{
        return kind == SHEET_SYSTEM || kind == SHEET_ALL_UNITS;
}

static void add_value(struct table *table, const struct sheet_row *row, uint64_t value)
{
        if (row->not_counted)
                table_add_u64_as(table, 0, row->instead);
        else
                table_add_u64(table, value);
}

/* The unit of clocks is the last column, so that scripts that split a row at blanks find the other columns
 * at their usual positions. */
static bool has_unit(const struct sheet_table *table)
{
        for (size_t i = 0; i < table->n_rows; i++) {
                if (table->rows[i].unit)
                        return true;
        }
        return false;
}

/* "0x001b" in tables of totals. */
static void add_index(struct table *table, const struct sheet_row *row, bool total)
{
        char text[24];
        uint64_t code;

        if (total && text_starts(row->index, "0x") && text_to_u64(row->index, 16, &code)) {
                snprintf(text, sizeof(text), "0x%04" PRIx64, code);
                table_add_text(table, text);
        } else {
                table_add_text(table, row->index);
        }
}

static void add_share(struct table *table, const struct sheet_row *row)
{
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%" PRIu64 "/%" PRIu64, row->running_ns / 1000000, row->enabled_ns / 1000000);
        table_add_text(table, text.data);
}

static void add_count_columns(struct stat_table *made, bool plain, bool share, bool scaled, bool deviation)
{
        enum column_type number = plain ? COLUMN_U64 : COLUMN_THOUSANDS;

        add_column(made, (struct column){.name = "counter value", .type = number});
        add_column(made, (struct column){.name = "event name"});
        add_column(made, (struct column){.name = "event idx"});
        add_column(made, (struct column){.name = "event note"});
        if (share)
                add_column(made, (struct column){.name = "multiplexed", .right = true});
        if (scaled)
                add_column(made, (struct column){.name = "scaled value", .type = number});
        if (deviation)
                add_column(made, (struct column){.name = "stddev", .right = true});
}

void stat_table_init(struct stat_table *made, const struct stat_view *view, const struct sheet_table *from,
                     bool screen)
{
        bool total = is_total(from->kind), multiplexed = view->sheet->multiplexed[from->class];
        bool deviation = view->n_runs > 1, unit = screen && has_unit(from);

        *made = (struct stat_table){0};
        multiplexed &= !deviation;
        add_count_columns(made, view->plain_numbers, multiplexed && !total, multiplexed, deviation);
        if (unit)
                add_column(made, (struct column){.name = "unit"});
        begin(made);
        for (size_t i = 0; i < from->n_rows; i++) {
                const struct sheet_row *row = &from->rows[i];

                add_value(made->table, row, row->value);
                table_add_text(made->table, row->name);
                add_index(made->table, row, total);
                table_add_text(made->table, row->note);
                if (multiplexed && !total)
                        add_share(made->table, row);
                if (multiplexed)
                        add_value(made->table, row, row->scaled);
                if (deviation)
                        add_deviation(made->table, row->deviation_percent);
                if (unit)
                        table_add_text(made->table, row->unit ? row->unit : "");
        }
}

void stat_table_init_dmc(struct stat_table *made, const struct stat_view *view)
{
        const struct sheet *sheet = view->sheet;

        *made = (struct stat_table){0};
        add_column(made, (struct column){.name = "pmu id"});
        add_count_columns(made, view->plain_numbers, false, false, false);
        begin(made);
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *from = &sheet->tables[t];
                AUTO_RELEASE(buf) id = {0};

                if (from->class != COUNT_DMC_CLK && from->class != COUNT_DMC_CLKDIV2)
                        continue;
                if (from->kind == SHEET_ALL_UNITS)
                        buf_add_str(&id, "overall");
                else
                        buf_printf(&id, "dmc %" PRIu32, from->number);
                for (size_t i = 0; i < from->n_rows; i++) {
                        const struct sheet_row *row = &from->rows[i];

                        table_add_text(made->table, id.data);
                        add_value(made->table, row, row->scaled);
                        table_add_text(made->table, row->name);
                        add_index(made->table, row, false);
                        table_add_text(made->table, row->note);
                }
        }
}

/* --- Metrics --- */

void stat_table_init_metrics(struct stat_table *made, const struct stat_view *view)
{
        const struct sheet *sheet = view->sheet;
        bool deviation = view->n_runs > 1;

        *made = (struct stat_table){0};
        add_column(made, (struct column){.name = "core", .right = true});
        add_column(made, (struct column){.name = "product_name"});
        add_column(made, (struct column){.name = "metric_name"});
        add_column(made, (struct column){.name = "value", .right = true});
        add_column(made, (struct column){.name = "unit"});
        if (deviation)
                add_column(made, (struct column){.name = "stddev", .right = true});
        begin(made);
        for (size_t i = 0; i < sheet->n_metrics; i++) {
                const struct sheet_metric *metric = &sheet->metrics[i];
                char core[16] = "-", value[64] = "n/a";

                if (metric->cpu != COUNTS_NO_CPU)
                        snprintf(core, sizeof(core), "%" PRIu32, metric->cpu);
                if (metric->has_value)
                        snprintf(value, sizeof(value), "%.3f", metric->value);
                table_add_text(made->table, core);
                table_add_text(made->table, metric->product);
                table_add_text(made->table, metric->name);
                table_add_text(made->table, value);
                table_add_text(made->table, metric->unit);
                if (deviation)
                        add_deviation(made->table, metric->deviation_percent);
        }
}

static void add_unit(struct table *table, const struct sheet_traffic *traffic)
{
        char text[16] = "all";

        if (traffic->unit != UINT32_MAX)
                snprintf(text, sizeof(text), "%" PRIu32, traffic->unit);
        table_add_text(table, text);
}

static void add_number(struct table *table, bool has_value, double value, const char *unit)
{
        AUTO_RELEASE(buf) text = {0};

        if (has_value)
                buf_printf(&text, "%.2f%s", value, unit);
        else
                buf_add_str(&text, "n/a");
        table_add_text(table, text.data);
}

void stat_table_init_l3(struct stat_table *made, const struct stat_view *view)
{
        const double line_bytes = 64, mib = 1024 * 1024;

        *made = (struct stat_table){0};
        add_column(made, (struct column){.name = "cluster", .right = true});
        add_column(made, (struct column){.name = "cores"});
        add_column(made, (struct column){.name = "read_bandwidth", .right = true});
        add_column(made, (struct column){.name = "miss_rate", .right = true});
        begin(made);
        for (size_t i = 0; i < view->sheet->n_l3; i++) {
                const struct sheet_traffic *t = &view->sheet->l3[i];

                add_unit(made->table, t);
                table_add_text(made->table, t->cpus ? t->cpus : *t->pmu ? "n/a" : "all");
                add_number(made->table, t->has_value, (double)t->accesses * line_bytes / mib, "MB");
                add_number(made->table, t->has_value && t->accesses,
                           100.0 * (double)t->misses / (double)(t->accesses ? t->accesses : 1), "%");
        }
}

void stat_table_init_ddr(struct stat_table *made, const struct stat_view *view)
{
        const double transfer_bytes = 128;

        *made = (struct stat_table){0};
        add_column(made, (struct column){.name = "channel", .right = true});
        add_column(made, (struct column){.name = "rw_bandwidth", .right = true});
        begin(made);
        for (size_t i = 0; i < view->sheet->n_ddr; i++) {
                const struct sheet_traffic *t = &view->sheet->ddr[i];

                add_unit(made->table, t);
                add_number(made->table, t->has_value, (double)t->accesses * transfer_bytes / 1e6, "MB");
        }
}
