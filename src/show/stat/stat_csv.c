/* SPDX-License-Identifier: BSD-3-Clause */
/* A timeline's CSV in WindowsPerf's layout: a block of columns for each CPU or unit from left to right;
 * every line ends with a comma. */
#include <assert.h>
#include <inttypes.h>

#include "buf.h"
#include "stat_view.h"
#include "text_number.h"
#include "text_printable.h"

/* Single units have columns; the table of all units has none. */
static bool has_columns(const struct sheet_table *table, enum count_class class)
{
        return table->class == class && (table->kind == SHEET_CPU || table->kind == SHEET_UNIT);
}

bool stat_csv_has(const struct sheet *sheet, enum count_class class)
{
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (has_columns(&sheet->tables[i], class))
                        return true;
        }
        return false;
}

static bool is_metric_of(const struct sheet_table *table, const struct sheet_metric *metric)
{
        return table->kind == SHEET_CPU && metric->cpu == table->number;
}

static void add_place(const struct sheet_table *table, struct buf *out)
{
        if (table->kind == SHEET_UNIT)
                buf_printf(out, "%s,", table->pmu);
        else if (table->number == COUNTS_NO_CPU)
                buf_add_str(out, "process,");
        else
                buf_printf(out, "core %" PRIu32 ",", table->number);
}

/* An event's name may contain a comma ("cpu/event=0x3c,umask=1/"). */
static void add_name(const char *name, struct buf *out)
{
        bool quote = false;

        for (const char *c = name; *c; c++)
                quote |= *c == ',' || *c == '"';
        if (quote)
                buf_add_char(out, '"');
        for (const char *c = name; *c; c++) {
                if (*c == '"')
                        buf_add_char(out, '"');
                buf_add_char(out, *c);
        }
        buf_add_str(out, quote ? "\"," : ",");
}

/* One line; calls `cell` for every column of every block. */
static void add_line(const struct sheet *sheet, enum count_class class, bool multiplexed,
                     void (*cell)(const struct sheet_table *, const struct sheet_row *,
                                  const struct sheet_metric *, struct buf *),
                     struct buf *out)
{
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                if (!has_columns(table, class))
                        continue;
                for (size_t i = 0; i < table->n_rows; i++) {
                        cell(table, &table->rows[i], NULL, out);
                        if (multiplexed)
                                cell(table, NULL, NULL, out);
                }
                for (size_t i = 0; i < sheet->n_metrics; i++) {
                        if (is_metric_of(table, &sheet->metrics[i]))
                                cell(table, NULL, &sheet->metrics[i], out);
                }
        }
        buf_add_char(out, '\n');
}

static void place_cell(const struct sheet_table *table, const struct sheet_row *row,
                       const struct sheet_metric *metric, struct buf *out)
{
        add_place(table, out);
}

static void name_cell(const struct sheet_table *table, const struct sheet_row *row,
                      const struct sheet_metric *metric, struct buf *out)
{
        if (row)
                add_name(row->name, out);
        else if (metric)
                text_printf(out, "M@%s,", metric->name);
        else
                buf_add_str(out, "sched_times,");
}

void stat_csv_add_file(const char *path, struct buf *out)
{
        text_printf(out, "timeline file: '%s'\n", path);
}

void stat_csv_head(const struct stat_csv *csv, const struct sheet *sheet, bool multiplexed, struct buf *out)
{
        assert((unsigned)csv->class < COUNT_CLASSES);
        buf_printf(out, "Multiplexing,%s\n", multiplexed ? "TRUE" : "FALSE");
        if (csv->class == COUNT_CORE)
                buf_printf(out, "Kernel mode,%s\n", sheet->kernel ? "TRUE" : "FALSE");
        buf_printf(out, "Count interval,%.2f\n", (double)csv->interval_ns / 1e9);
        buf_add_str(out, "Vendor,");
        text_add_printable(out, csv->vendor ? csv->vendor : "");
        buf_printf(out, "\nEvent class,%s\n\n", csv->class_name);
        add_line(sheet, csv->class, multiplexed, place_cell, out);
        add_line(sheet, csv->class, multiplexed, name_cell, out);
}

static void add_metric_value(const struct sheet_metric *metric, struct buf *out)
{
        if (metric->has_value)
                buf_printf(out, "%.3f", metric->value);
        buf_add_char(out, ',');
}

void stat_csv_row(const struct stat_csv *csv, const struct sheet *sheet, bool multiplexed, struct buf *out)
{
        assert((unsigned)csv->class < COUNT_CLASSES);
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                if (!has_columns(table, csv->class))
                        continue;
                for (size_t i = 0; i < table->n_rows; i++) {
                        const struct sheet_row *row = &table->rows[i];

                        if (row->not_counted)
                                buf_add_str(out, row->instead);
                        else
                                text_add_u64(out, multiplexed ? row->value : row->scaled);
                        buf_add_char(out, ',');
                        if (multiplexed)
                                buf_printf(out, "%" PRIu64 ",", row->running_ns / 1000000);
                }
                for (size_t i = 0; i < sheet->n_metrics; i++) {
                        if (is_metric_of(table, &sheet->metrics[i]))
                                add_metric_value(&sheet->metrics[i], out);
                }
        }
        buf_add_char(out, '\n');
}
