/* SPDX-License-Identifier: BSD-3-Clause */
/* One chart for each event and metric, with one line for each CPU.  The charts are SVG, so that the page
 * needs no script and any program that opens HTML can show it. */
#include "stat_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "text_printable.h"

enum {
        WIDTH = 960,
        HEIGHT = 200,
        LEFT = 84,
        RIGHT = 16,
        TOP = 12,
        BOTTOM = 26,
        Y_TICKS = 4,
        X_TICKS = 8,
        POINTS_MAX = 1500, /* maximum number of points in a line; more are merged */
        DOTS_MAX = 120,    /* maximum number of points with hover text */
};

struct point {
        double at_s;  /* middle of the time of the count */
        double value; /* NaN: not counted */
};

struct plot_line {
        char *chart, *unit, *name; /* "ld_spec", "events a second", "core 1" */
        struct point *points;
        size_t n, cap;
};

struct stat_plot {
        struct plot_line *lines;
        size_t n_lines, cap_lines;
        size_t next; /* the search for a line begins here, because lines are in the same order each time */
        double end_s;
};

struct stat_plot *stat_plot_new(void)
{
        return mem_new(1, sizeof(struct stat_plot));
}

void stat_plot_free(struct stat_plot *plot)
{
        if (!plot)
                return;
        for (size_t i = 0; i < plot->n_lines; i++) {
                free(plot->lines[i].chart);
                free(plot->lines[i].unit);
                free(plot->lines[i].name);
                free(plot->lines[i].points);
        }
        free(plot->lines);
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

static void add_point(struct stat_plot *plot, const char *chart, const char *unit, const char *name,
                      struct point point)
{
        struct plot_line *line = find_line(plot, chart, unit, name);

        ARRAY_PUSH(line->points, line->n, line->cap, point);
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

void stat_plot_add(struct stat_plot *plot, const struct sheet *sheet, uint64_t start_ns, uint64_t elapsed_ns)
{
        double seconds = (double)elapsed_ns / 1e9, at_s = (double)start_ns / 1e9 + seconds / 2;
        char name[80];

        if (!elapsed_ns)
                return;
        plot->end_s = (double)start_ns / 1e9 + seconds;
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                if (table->kind != SHEET_CPU && table->kind != SHEET_UNIT)
                        continue;
                place_name(table, name, sizeof(name));
                for (size_t i = 0; i < table->n_rows; i++) {
                        const struct sheet_row *row = &table->rows[i];
                        /* A clock counts nanoseconds; nanoseconds a second are CPUs in use. */
                        double unit = row->unit ? 1e9 : 1;
                        double rate = row->not_counted ? NAN : (double)row->scaled / unit / seconds;

                        add_point(plot, row->name, row->unit ? "CPUs" : "a second", name,
                                  (struct point){at_s, rate});
                }
        }
        for (size_t i = 0; i < sheet->n_metrics; i++) {
                const struct sheet_metric *m = &sheet->metrics[i];

                snprintf(name, sizeof(name), m->cpu == COUNTS_NO_CPU ? "process" : "core %" PRIu32, m->cpu);
                add_point(plot, m->name, m->unit, name, (struct point){at_s, m->has_value ? m->value : NAN});
        }
}

/* --- drawing --- */

static void add_escaped(struct buf *out, const char *text)
{
        AUTO_RELEASE(buf) plain = {0};

        text_add_printable(&plain, text);
        for (const char *c = buf_text(&plain); *c; c++) {
                switch (*c) {
                case '<': buf_add_str(out, "&lt;"); break;
                case '>': buf_add_str(out, "&gt;"); break;
                case '&': buf_add_str(out, "&amp;"); break;
                case '"': buf_add_str(out, "&quot;"); break;
                default: buf_add_char(out, *c); break;
                }
        }
}

/* 1234567 as "1.23M". */
static void add_short(struct buf *out, double value)
{
        static const struct {
                double factor;
                const char *suffix;
        } sizes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                if (fabs(value) >= sizes[i].factor) {
                        buf_printf(out, "%.3g%s", value / sizes[i].factor, sizes[i].suffix);
                        return;
                }
        }
        buf_printf(out, "%.3g", value);
}

/* Exact up to 22.  pow() would need glibc 2.29, and the packages must run on 2.28. */
static double power_of_ten(int exponent)
{
        double power = 1;

        for (int i = 0; i < abs(exponent); i++)
                power *= 10;
        return exponent < 0 ? 1 / power : power;
}

/* The next of 1, 2, 2.5, 5, 10 times a power of ten. */
static double round_up(double value)
{
        static const double steps[] = {1, 2, 2.5, 5, 10};
        double power;

        if (!(value > 0))
                return 1;
        power = power_of_ten((int)floor(log10(value)));
        for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
                if (steps[i] * power >= value * (1 - 1e-9))
                        return steps[i] * power;
        }
        return 10 * power;
}

struct scale {
        double max_value, end_s;
};

static double x_of(const struct scale *scale, double at_s)
{
        return LEFT + (WIDTH - LEFT - RIGHT) * at_s / scale->end_s;
}

static double y_of(const struct scale *scale, double value)
{
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / scale->max_value);
}

static void add_axes(const struct scale *scale, struct buf *out)
{
        double step_s = round_up(scale->end_s / X_TICKS);

        for (int i = 0; i <= Y_TICKS; i++) {
                double value = scale->max_value * i / Y_TICKS, y = y_of(scale, value);

                buf_printf(out, "<line class=g x1=%d x2=%d y1=%.1f y2=%.1f />", LEFT, WIDTH - RIGHT, y, y);
                buf_printf(out, "<text x=%d y=%.1f text-anchor=end>", LEFT - 6, y + 4);
                add_short(out, value);
                buf_add_str(out, "</text>");
        }
        for (int i = 0; i * step_s <= scale->end_s * (1 + 1e-9); i++) {
                buf_printf(out, "<text x=%.1f y=%d text-anchor=middle>", x_of(scale, i * step_s), HEIGHT - 8);
                buf_printf(out, "%.4g s</text>", i * step_s);
        }
        buf_add_char(out, '\n');
}

/* Draws the points from `from` to `to` as their minimum and maximum; if none has a value, a gap. */
static void add_bucket(const struct scale *scale, const struct plot_line *line, size_t from, size_t to,
                       bool *is_open, struct buf *out)
{
        size_t low = SIZE_MAX, high = SIZE_MAX;

        for (size_t i = from; i < to; i++) {
                if (isnan(line->points[i].value))
                        continue;
                if (low == SIZE_MAX || line->points[i].value < line->points[low].value)
                        low = i;
                if (high == SIZE_MAX || line->points[i].value > line->points[high].value)
                        high = i;
        }
        if (low == SIZE_MAX) {
                *is_open = false;
                return;
        }
        for (int k = 0; k < (low == high ? 1 : 2); k++) {
                const struct point *p = &line->points[(k == 0) == (low < high) ? low : high];

                buf_printf(out, "%c%.1f %.1f", *is_open ? 'L' : 'M', x_of(scale, p->at_s),
                           y_of(scale, p->value));
                *is_open = true;
        }
}

static void add_line(const struct scale *scale, const struct plot_line *line, unsigned color, struct buf *out)
{
        size_t per_bucket = line->n / POINTS_MAX + 1;
        bool is_open = false;

        buf_printf(out, "<path class=c%u d=\"", color);
        for (size_t i = 0; i < line->n; i += per_bucket)
                add_bucket(scale, line, i, i + per_bucket < line->n ? i + per_bucket : line->n, &is_open,
                           out);
        buf_add_str(out, "\" />\n");
        for (size_t i = 0; line->n <= DOTS_MAX && i < line->n; i++) {
                const struct point *p = &line->points[i];

                if (isnan(p->value))
                        continue;
                buf_printf(out, "<circle class=c%u cx=%.1f cy=%.1f r=2.5><title>", color,
                           x_of(scale, p->at_s), y_of(scale, p->value));
                add_escaped(out, line->name);
                buf_printf(out, ", %.3f s: %.6g ", p->at_s, p->value);
                add_escaped(out, line->unit);
                buf_add_str(out, "</title></circle>");
        }
}

enum { N_COLORS = 8 };

static void add_legend(const struct stat_plot *plot, const struct plot_line *first, struct buf *out)
{
        unsigned color = 0;

        buf_add_str(out, "<h2>");
        add_escaped(out, first->chart);
        buf_add_str(out, " <small>");
        add_escaped(out, first->unit);
        buf_add_str(out, "</small>");
        for (size_t i = 0; i < plot->n_lines; i++) {
                if (strcmp(plot->lines[i].chart, first->chart))
                        continue;
                buf_printf(out, " <b class=c%u>", color++ % N_COLORS);
                add_escaped(out, plot->lines[i].name);
                buf_add_str(out, "</b>");
        }
        buf_add_str(out, "</h2>\n");
}

static void add_chart(const struct stat_plot *plot, const struct plot_line *first, struct buf *out)
{
        struct scale scale = {.end_s = plot->end_s > 0 ? plot->end_s : 1};
        unsigned color = 0;

        for (size_t i = 0; i < plot->n_lines; i++) {
                const struct plot_line *line = &plot->lines[i];

                for (size_t k = 0; !strcmp(line->chart, first->chart) && k < line->n; k++) {
                        if (line->points[k].value > scale.max_value)
                                scale.max_value = line->points[k].value;
                }
        }
        scale.max_value = round_up(scale.max_value);
        add_legend(plot, first, out);
        buf_printf(out, "<svg viewBox=\"0 0 %d %d\" role=img aria-label=\"", WIDTH, HEIGHT);
        add_escaped(out, first->chart);
        buf_add_str(out, " over time\">\n");
        add_axes(&scale, out);
        for (size_t i = 0; i < plot->n_lines; i++) {
                if (!strcmp(plot->lines[i].chart, first->chart))
                        add_line(&scale, &plot->lines[i], color++ % N_COLORS, out);
        }
        buf_add_str(out, "</svg>\n");
}

static bool is_first_of_chart(const struct stat_plot *plot, size_t index)
{
        for (size_t i = 0; i < index; i++) {
                if (!strcmp(plot->lines[i].chart, plot->lines[index].chart))
                        return false;
        }
        return true;
}

static void add_style(struct buf *out)
{
        static const char *const colors[N_COLORS] = {"#1f77b4", "#d95f02", "#1b9e77", "#c2185b",
                                                     "#7b52ab", "#8c6d1f", "#17a2b8", "#666666"};

        buf_add_str(out,
                    "<style>\n"
                    ":root{color-scheme:light dark}\n"
                    "body{font:14px system-ui,sans-serif;max-width:1000px;margin:1.5em auto;padding:0 1em}\n"
                    "h1{font-size:1.3em;overflow-wrap:anywhere}h2{font-size:1em;margin:1.2em 0 0}\n"
                    "small{font-weight:normal;opacity:.7;margin-right:1em}b{margin-right:.7em}\n"
                    "svg{width:100%;height:auto}svg text{font-size:11px;fill:currentColor}\n"
                    ".g{stroke:currentColor;stroke-opacity:.15}path{fill:none;stroke-width:1.5}\n");
        for (unsigned i = 0; i < N_COLORS; i++)
                buf_printf(out, "path.c%u{stroke:%s}circle.c%u{fill:%s}b.c%u{color:%s}\n", i, colors[i], i,
                           colors[i], i, colors[i]);
        buf_add_str(out, "</style>\n");
}

void stat_plot_render(const struct stat_plot *plot, const char *title, struct buf *out)
{
        buf_add_str(
                out,
                "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
                "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
                "<meta name=viewport content=\"width=device-width\">\n<title>wperf stat: ");
        add_escaped(out, title);
        buf_add_str(out, "</title>\n");
        add_style(out);
        buf_add_str(out, "<h1>wperf stat: ");
        add_escaped(out, title);
        buf_add_str(out, "</h1>\n");
        for (size_t i = 0; i < plot->n_lines; i++) {
                if (is_first_of_chart(plot, i))
                        add_chart(plot, &plot->lines[i], out);
        }
        buf_add_str(out, "</html>\n");
}
