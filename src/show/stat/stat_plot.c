/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers counts as lines over time, which the page of charts shows. */
#include "stat_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "stat_view.h"
#include "web_page_charts.h"

struct plot_line {
        char *chart, *unit, *name; /* "ld_spec", "a second", "core 1" */
        double *values;            /* by span; NaN: not counted */
        size_t n, cap;
};

struct stat_plot {
        struct plot_line *lines;
        size_t n_lines, cap_lines;
        size_t next; /* the search for a line begins here, because lines are in the same order each time */
        struct web_page_span *spans;
        size_t n_spans, cap_spans;
        struct buf quality;
        /* of the last count: events that were not counted, and why */
        struct buf *missing;
        size_t n_missing, cap_missing;
};

struct stat_plot *stat_plot_new(void)
{
        return mem_new(1, sizeof(struct stat_plot));
}

static void forget_missing(struct stat_plot *plot)
{
        while (plot->n_missing)
                buf_release(&plot->missing[--plot->n_missing]);
}

void stat_plot_free(struct stat_plot *plot)
{
        if (!plot)
                return;
        for (size_t i = 0; i < plot->n_lines; i++) {
                free(plot->lines[i].chart);
                free(plot->lines[i].unit);
                free(plot->lines[i].name);
                free(plot->lines[i].values);
        }
        free(plot->lines);
        free(plot->spans);
        forget_missing(plot);
        free(plot->missing);
        buf_release(&plot->quality);
        free(plot);
}

static struct plot_line *find_line(struct stat_plot *plot, const char *chart, const char *unit,
                                   const char *name)
{
        struct plot_line line = {0};

        for (size_t i = 0; i < plot->n_lines; i++) {
                size_t at = (plot->next + i) % plot->n_lines;

                if (!strcmp(plot->lines[at].chart, chart) && !strcmp(plot->lines[at].name, name)) {
                        plot->next = at + 1;
                        return &plot->lines[at];
                }
        }
        line.chart = mem_strdup(chart);
        line.unit = mem_strdup(unit);
        line.name = mem_strdup(name);
        ARRAY_PUSH(plot->lines, plot->n_lines, plot->cap_lines, line);
        return &plot->lines[plot->n_lines - 1];
}

/* The value of the last span.  The line was not counted in those that it has no value of. */
static void add_value(struct stat_plot *plot, const char *chart, const char *unit, const char *name,
                      double value)
{
        struct plot_line *line = find_line(plot, chart, unit, name);

        while (line->n + 1 < plot->n_spans)
                ARRAY_PUSH(line->values, line->n, line->cap, NAN);
        if (line->n < plot->n_spans)
                ARRAY_PUSH(line->values, line->n, line->cap, value);
}

static void place_name(const struct sheet_table *table, char *text, size_t size)
{
        if (table->kind == SHEET_UNIT)
                snprintf(text, size, "%s", table->pmu);
        else if (table->number == COUNTS_NO_CPU)
                snprintf(text, size, "process");
        else
                snprintf(text, size, "core %" PRIu32, table->number);
}

static void add_table(struct stat_plot *plot, const struct sheet_table *table, double seconds)
{
        char name[80];

        place_name(table, name, sizeof(name));
        for (size_t i = 0; i < table->n_rows; i++) {
                const struct sheet_row *row = &table->rows[i];
                /* A clock counts nanoseconds; nanoseconds a second are CPUs in use. */
                double unit = row->unit ? 1e9 : 1;
                double rate = row->not_counted ? NAN : (double)row->scaled / unit / seconds;

                add_value(plot, row->name, row->unit ? "CPUs" : "a second", name, rate);
        }
}

static void add_notes(struct stat_plot *plot, const struct sheet *sheet)
{
        buf_clear(&plot->quality);
        stat_view_add_quality(sheet, &plot->quality);
        forget_missing(plot);
        for (size_t i = 0; i < sheet->n_missing; i++) {
                struct buf text = {0};

                buf_printf(&text, "%s: %s", sheet->missing[i].name, sheet->missing[i].reason);
                ARRAY_PUSH(plot->missing, plot->n_missing, plot->cap_missing, text);
        }
}

void stat_plot_add(struct stat_plot *plot, const struct sheet *sheet, uint64_t start_ns, uint64_t elapsed_ns)
{
        char name[80];

        if (!elapsed_ns)
                return;
        ARRAY_PUSH(plot->spans, plot->n_spans, plot->cap_spans,
                   ((struct web_page_span){start_ns, start_ns + elapsed_ns}));
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                if (table->kind == SHEET_CPU || table->kind == SHEET_UNIT)
                        add_table(plot, table, (double)elapsed_ns / 1e9);
        }
        for (size_t i = 0; i < sheet->n_metrics; i++) {
                const struct sheet_metric *m = &sheet->metrics[i];

                snprintf(name, sizeof(name), m->cpu == COUNTS_NO_CPU ? "process" : "core %" PRIu32, m->cpu);
                add_value(plot, m->name, m->unit, name, m->has_value ? m->value : NAN);
        }
        add_notes(plot, sheet);
}

/* What the page says of the counts as a whole. */
static struct web_page_fact *make_facts(const struct stat_plot *plot, const struct stat_plot_about *about,
                                        const struct buf *spans, size_t *ret_n)
{
        struct web_page_fact *facts = mem_new(6 + plot->n_missing, sizeof(*facts));
        size_t n = 0;

        facts[n++] = (struct web_page_fact){"Measured", about->title};
        facts[n++] = (struct web_page_fact){"Command", about->command};
        facts[n++] = (struct web_page_fact){"Machine", about->machine};
        facts[n++] = (struct web_page_fact){"Counts", buf_text(spans)};
        for (size_t i = 0; i < plot->n_missing; i++)
                facts[n++] = (struct web_page_fact){"Not counted", buf_text(&plot->missing[i])};
        facts[n++] = (struct web_page_fact){"Quality", buf_text(&plot->quality)};
        facts[n++] = (struct web_page_fact){"Written by", about->tool};
        *ret_n = n;
        return facts;
}

bool stat_plot_render(const struct stat_plot *plot, const struct stat_plot_about *about, struct buf *out,
                      struct err *err)
{
        struct web_page_line *lines = mem_new(plot->n_lines, sizeof(*lines));
        struct web_page_charts charts = {
                .spans = plot->spans, .n_spans = plot->n_spans, .lines = lines, .n_lines = plot->n_lines};
        AUTO_RELEASE(buf) spans = {0};
        struct web_page_fact *facts;
        bool ok;

        buf_printf(&spans, "%zu counts in %.3f s", plot->n_spans,
                   plot->n_spans ? (double)plot->spans[plot->n_spans - 1].end_ns / 1e9 : 0);
        charts.facts = facts = make_facts(plot, about, &spans, &charts.n_facts);
        for (size_t i = 0; i < plot->n_lines; i++) {
                const struct plot_line *line = &plot->lines[i];

                lines[i] = (struct web_page_line){line->chart, line->unit, line->name, line->values, line->n};
        }
        ok = web_page_charts_write(&charts, out, err);
        free(facts);
        free(lines);
        return ok;
}
