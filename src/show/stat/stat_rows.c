/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a count, and the two forms of a row.  The separated fields are those that perf-stat(1) lists
 * under "CSV FORMAT": time, CPU, value, unit, event, deviation, run time, share of the time, metric, unit
 * of the metric. */
#include "stat_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "table.h"
#include "text_number.h"
#include "text_printable.h"
#include "text_width.h"

enum { VALUE_COLUMNS = 20, NAME_COLUMNS_MIN = 10 };

struct stat_row {
        char time[32], cpu[16]; /* "" if not used */
        const struct sheet_row *event;
        const struct sheet_metric *metric; /* one of these two is set */
};

struct form {
        const struct stat_rows *rows;
        const struct stat_view *view;
        size_t name_columns;
        bool has_unit;
        struct buf *out;
};

/* --- Selecting rows --- */

static bool has_table(const struct sheet *sheet, enum sheet_kind kind, enum count_class class)
{
        for (size_t i = 0; i < sheet->n_tables; i++) {
                if (sheet->tables[i].kind == kind && sheet->tables[i].class == class)
                        return true;
        }
        return false;
}

/* Shows the sum if there is one and it is wanted, otherwise its parts. */
static bool is_shown(const struct stat_rows *rows, const struct sheet *sheet, const struct sheet_table *table)
{
        switch (table->kind) {
        case SHEET_SYSTEM: return !rows->each_cpu;
        case SHEET_CPU: return rows->each_cpu || !has_table(sheet, SHEET_SYSTEM, table->class);
        case SHEET_ALL_UNITS: return true;
        case SHEET_UNIT: return !has_table(sheet, SHEET_ALL_UNITS, table->class);
        }
        return false;
}

static void each_row(const struct form *form, struct stat_row row,
                     void (*take)(const struct form *form, const struct stat_row *row))
{
        const struct sheet *sheet = form->view->sheet;
        bool each = form->rows->each_cpu;

        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                if (!is_shown(form->rows, sheet, table))
                        continue;
                row.cpu[0] = '\0';
                if (each && table->kind == SHEET_CPU && table->number != COUNTS_NO_CPU)
                        snprintf(row.cpu, sizeof(row.cpu), "CPU%" PRIu32, table->number);
                for (size_t i = 0; i < table->n_rows; i++) {
                        row.event = &table->rows[i];
                        take(form, &row);
                }
        }
        row.event = NULL;
        for (size_t i = 0; i < sheet->n_metrics; i++) {
                row.metric = &sheet->metrics[i];
                row.cpu[0] = '\0';
                if (each && row.metric->cpu != COUNTS_NO_CPU)
                        snprintf(row.cpu, sizeof(row.cpu), "CPU%" PRIu32, row.metric->cpu);
                take(form, &row);
        }
}

/* Metrics have no sum.  If rows do not have a column for the CPU, it is added to the name of the metric. */
static void add_metric_name(const struct form *form, const struct sheet_metric *metric, struct buf *out)
{
        text_add_printable(out, metric->name);
        if (!form->rows->each_cpu && metric->cpu != COUNTS_NO_CPU)
                buf_printf(out, ":CPU%" PRIu32, metric->cpu);
}

/* --- Separated fields --- */

/* A name may contain the separator: "cpu/event=0x3c,umask=1/". */
static void add_field(const struct form *form, const char *text)
{
        bool quote = strstr(text, form->rows->separator) != NULL || strchr(text, '"');

        if (quote)
                buf_add_char(form->out, '"');
        for (const char *c = text; *c; c++) {
                if (*c == '"')
                        buf_add_char(form->out, '"');
                buf_add_char(form->out, *c);
        }
        buf_add_str(form->out, quote ? "\"" : "");
        buf_add_str(form->out, form->rows->separator);
}

/* perf prints clocks in milliseconds. */
static void add_value_field(const struct form *form, const struct sheet_row *row)
{
        if (row->not_counted)
                buf_add_str(form->out, row->instead);
        else if (row->unit)
                buf_printf(form->out, "%.2f", (double)row->scaled / 1e6);
        else
                buf_printf(form->out, "%" PRIu64, row->scaled);
        buf_printf(form->out, "%s%s%s", form->rows->separator, row->unit ? "msec" : "",
                   form->rows->separator);
}

static void add_event_fields(const struct form *form, const struct sheet_row *row)
{
        const char *separator = form->rows->separator;
        double share = row->enabled_ns ? 100.0 * (double)row->running_ns / (double)row->enabled_ns : 100.0;

        add_value_field(form, row);
        add_field(form, row->name);
        if (form->view->n_runs > 1)
                buf_printf(form->out, "%.2f%%%s", row->deviation_percent < 0 ? 0 : row->deviation_percent,
                           separator);
        buf_printf(form->out, "%" PRIu64 "%s%.2f%s%s\n", row->running_ns, separator, share, separator,
                   separator);
}

static void add_metric_fields(const struct form *form, const struct sheet_metric *metric)
{
        unsigned n_blank = form->view->n_runs > 1 ? 6 : 5;
        AUTO_RELEASE(buf) name = {0};

        add_metric_name(form, metric, &name);
        while (n_blank--)
                buf_add_str(form->out, form->rows->separator);
        if (metric->has_value)
                buf_printf(form->out, "%.3f", metric->value);
        buf_printf(form->out, "%s%s%s%s\n", form->rows->separator, metric->unit, *metric->unit ? "  " : "",
                   name.data);
}

static void add_fields(const struct form *form, const struct stat_row *row)
{
        if (*row->time)
                add_field(form, row->time);
        if (*row->cpu)
                add_field(form, row->cpu);
        else if (form->rows->each_cpu)
                buf_add_str(form->out, form->rows->separator);
        if (row->event)
                add_event_fields(form, row->event);
        else
                add_metric_fields(form, row->metric);
}

/* --- Columns --- */

static void pad(const struct form *form, const char *text, size_t columns)
{
        size_t width = text_width(text);

        buf_add_str(form->out, text);
        for (; width < columns; width++)
                buf_add_char(form->out, ' ');
}

static void add_right(const struct form *form, const char *text, size_t columns)
{
        for (size_t width = text_width(text); width < columns; width++)
                buf_add_char(form->out, ' ');
        buf_add_str(form->out, text);
}

static void add_start(const struct form *form, const struct stat_row *row)
{
        if (form->rows->times)
                add_right(form, row->time, 15);
        if (form->rows->each_cpu) {
                buf_add_str(form->out, "  ");
                pad(form, row->cpu, 6);
        }
}

static void add_number(uint64_t number, bool plain, struct buf *out)
{
        if (plain)
                buf_printf(out, "%" PRIu64, number);
        else
                text_add_thousands(out, number);
}

static void add_columns(const struct form *form, const struct stat_row *row)
{
        const struct sheet_row *event = row->event;
        const struct sheet_metric *metric = row->metric;
        AUTO_RELEASE(buf) value = {0};
        AUTO_RELEASE(buf) name = {0};

        if (event && event->not_counted)
                buf_add_str(&value, event->instead);
        else if (event)
                add_number(event->scaled, form->view->plain_numbers, &value);
        else if (metric->has_value)
                buf_printf(&value, "%.3f", metric->value);
        else
                buf_add_str(&value, "n/a");
        if (event)
                text_add_printable(&name, event->name);
        else
                add_metric_name(form, metric, &name);
        add_start(form, row);
        add_right(form, value.data, VALUE_COLUMNS);
        buf_add_str(form->out, "  ");
        pad(form, name.data, form->name_columns);
        buf_printf(form->out, "  %s", event ? event->unit ? event->unit : "" : metric->unit);
        if (event && !event->not_counted && event->running_ns < event->enabled_ns)
                buf_printf(form->out, "  counted %.0f %% of the time",
                           100.0 * (double)event->running_ns / (double)event->enabled_ns);
        while (form->out->data[form->out->len - 1] == ' ')
                form->out->data[--form->out->len] = '\0';
        buf_add_char(form->out, '\n');
}

static struct form make_form(const struct stat_rows *rows, const struct stat_view *view, struct buf *out)
{
        struct form form = {.rows = rows, .view = view, .name_columns = NAME_COLUMNS_MIN, .out = out};
        const struct sheet *sheet = view->sheet;

        for (size_t t = 0; t < sheet->n_tables; t++) {
                for (size_t i = 0; i < sheet->tables[t].n_rows; i++) {
                        size_t width = text_width(sheet->tables[t].rows[i].name);

                        form.has_unit |= sheet->tables[t].rows[i].unit != NULL;
                        form.name_columns = width > form.name_columns ? width : form.name_columns;
                }
        }
        for (size_t i = 0; i < sheet->n_metrics; i++) {
                AUTO_RELEASE(buf) name = {0};
                size_t width;

                add_metric_name(&form, &sheet->metrics[i], &name);
                width = name.len;

                form.has_unit |= *sheet->metrics[i].unit;
                form.name_columns = width > form.name_columns ? width : form.name_columns;
        }
        return form;
}

static void add_head(const struct stat_rows *rows, const struct stat_view *view, struct buf *out)
{
        struct form form = make_form(rows, view, out);
        struct stat_row names = {.time = "seconds", .cpu = "CPU"}, lines = {.time = "=======", .cpu = "==="};

        if (rows->separator)
                return;
        add_start(&form, &names);
        add_right(&form, "counter value", VALUE_COLUMNS);
        buf_add_str(out, "  ");
        pad(&form, "event name", form.has_unit ? form.name_columns : 0);
        buf_add_str(out, form.has_unit ? "  unit\n" : "\n");
        add_start(&form, &lines);
        add_right(&form, "=============", VALUE_COLUMNS);
        buf_add_str(out, "  ");
        pad(&form, "==========", form.has_unit ? form.name_columns : 0);
        buf_add_str(out, form.has_unit ? "  ====\n" : "\n");
}

/* Keeps notes that are new. */
static void keep_notes(struct stat_rows *rows, const struct stat_view *view)
{
        AUTO_RELEASE(buf) notes = {0};

        stat_view_notes(view, &notes);
        for (char *at = notes.data, *end; at && (end = strchr(at, '\n')); at = end + 1) {
                *end = '\0';
                if (!strstr(buf_text(&rows->notes), at))
                        buf_printf(&rows->notes, "%s\n", at);
        }
}

void stat_rows_add(struct stat_rows *rows, const struct stat_view *view, uint64_t end_ns, struct buf *out)
{
        struct form form = make_form(rows, view, out);
        struct stat_row row = {0};

        if (!rows->n_counts++)
                add_head(rows, view, out);
        rows->n_poor += sheet_is_poor(view->sheet);
        if (rows->times)
                snprintf(row.time, sizeof(row.time), rows->separator ? "%.9f" : "%.6f", (double)end_ns / 1e9);
        each_row(&form, row, rows->separator ? add_fields : add_columns);
        keep_notes(rows, view);
        if (rows->separator)
                return;
        buf_clear(&rows->quality);
        stat_view_add_quality(view->sheet, &rows->quality);
}

void stat_rows_add_end(const struct stat_rows *rows, struct buf *out)
{
        if (rows->separator)
                return;
        buf_add_str(out, buf_text(&rows->notes));
        buf_add_str(out, buf_text(&rows->quality));
        if (rows->n_counts > 1 && rows->n_poor)
                buf_printf(out, "; %" PRIu64 " of %" PRIu64 " counts are poor", rows->n_poor, rows->n_counts);
        buf_add_char(out, '\n');
}

void stat_rows_release(struct stat_rows *rows)
{
        buf_release(&rows->notes);
        buf_release(&rows->quality);
}
