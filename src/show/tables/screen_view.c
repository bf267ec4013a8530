/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "heat.h"
#include "hot_view_internal.h"
#include "mem.h"
#include "name_text.h"
#include "python_version.h"
#include "quality_view.h"
#include "sample_view_internal.h"
#include "table.h"
#include "text.h"
#include "text_match.h"
#include "text_printable.h"
#include "text_width.h"

enum {
        PYTHON_ROWS = 20,
        NATIVE_ROWS_BESIDE_PYTHON = 10,
        NATIVE_ROWS = 20,
        SHARES_WIDTH = 14, /* of the columns before a name */
        GAP = 2,
        LEAST_PLACE_WIDTH = 12,
        LEAST_NAME_WIDTH = 24, /* with a place beside it */
        LEAST_WIDTH = 8,       /* of a name alone */
};

/* A line of a table. */
struct screen_row {
        double self, total; /* in percent; total: negative for none */
        const char *name, *place;
        bool is_rest; /* the name is the number of functions that it stands for */
};

struct screen_table {
        struct screen_row *rows;
        size_t n, cap;
};

/* The tables of an event. */
struct screen_section {
        uint32_t event;
        struct screen_table python, native;
};

struct screen_page {
        const struct screen_view *view;
        const struct sample_view *sample;
        struct screen_section *sections;
        size_t n_sections, cap_sections;
        size_t name_width, place_width; /* 0: places are left out */
        struct arena texts;
        struct buf *out;
};

/* --- Rows --- */

static const char *keep(struct screen_page *s, const char *text, size_t len)
{
        AUTO_RELEASE(buf) own = {0};
        AUTO_RELEASE(buf) printable = {0};

        buf_add(&own, text, len);
        text_add_printable(&printable, buf_text(&own));
        return arena_copy(&s->texts, buf_text(&printable), printable.len);
}

static void add_row(struct screen_table *table, const struct screen_row *row)
{
        ARRAY_PUSH(table->rows, table->n, table->cap, *row);
}

/* Sums up the functions that have no line of their own, or the time outside of all functions. */
static void add_rest(struct screen_page *s, struct screen_table *table, double self, size_t n,
                     const char *what)
{
        char name[48];

        if (n)
                snprintf(name, sizeof(name), "%zu more", n);
        else
                snprintf(name, sizeof(name), "%s", what);
        add_row(table, &(struct screen_row){self, -1, arena_copy(&s->texts, name, strlen(name)), "",
                                            .is_rest = true});
}

/* "app.py:5" of the label "parse [app.py:5]" */
static const char *place_of(struct screen_page *s, const struct python_function *function)
{
        size_t name_len = strlen(function->name), len = strlen(function->label);
        const char *at = function->label + name_len;

        if (len < name_len + 3 || memcmp(at, " [", 2) != 0 || function->label[len - 1] != ']')
                return "";
        return keep(s, at + 2, len - name_len - 3);
}

static void collect_python(struct screen_page *s, struct screen_section *section)
{
        const struct python_view *python = &s->sample->python;
        double all = (double)s->sample->hot.events[section->event].weight, rest = 0, sum = 0;
        size_t n_rest = 0;

        for (size_t i = 0; python->rows && i < python->rows->n; i++) {
                const struct python_function *function = &python->rows->items[i];
                struct screen_row row = {.name = ""};

                if (function->event != section->event || !python_view_shows(python, function))
                        continue;
                row.self = 100 * (double)function->self_weight / all;
                row.total = 100 * (double)function->weight / all;
                sum += row.self;
                if (section->python.n == PYTHON_ROWS) {
                        rest += row.self;
                        n_rest++;
                        continue;
                }
                row.name = keep(s, function->name, strlen(function->name));
                row.place = place_of(s, function);
                add_row(&section->python, &row);
        }
        if (n_rest)
                add_rest(s, &section->python, rest, n_rest, NULL);
        /* Less would be shown as 0.0. */
        if (section->python.n && !python->symbol && 100 - sum >= 0.05)
                add_rest(s, &section->python, 100 - sum, 0, "outside of Python functions");
}

static void collect_native(struct screen_page *s, struct screen_section *section)
{
        const struct hot_view *hot = &s->sample->hot;
        size_t max = section->python.n ? NATIVE_ROWS_BESIDE_PYTHON : NATIVE_ROWS, n_rest = 0;
        double rest = 0;

        for (size_t i = hot_view_first_row(hot, section->event); i < hot_n_rows(hot->hot); i++) {
                const struct hot_row *from = hot_get_row(hot->hot, i);
                struct screen_row row = {100 * from->share, -1, "", "", false};
                const char *module = hot_text(hot->hot, from->module), *name = hot_text(hot->hot, from->bare);

                if (from->event != section->event)
                        break;
                if (hot_view_hides(hot, from))
                        continue;
                if (section->native.n == max) {
                        rest += row.self;
                        n_rest++;
                        continue;
                }
                row.name = arena_copy(&s->texts, name, strlen(name));
                row.place = keep(s, module, strlen(module));
                add_row(&section->native, &row);
        }
        if (n_rest)
                add_rest(s, &section->native, rest, n_rest, NULL);
}

static void collect(struct screen_page *s)
{
        for (uint32_t i = 0; i < s->sample->hot.n_events; i++) {
                struct screen_section section = {.event = i};

                if (!hot_view_has_section(&s->sample->hot, i) || !s->sample->hot.events[i].n_samples)
                        continue;
                collect_python(s, &section);
                collect_native(s, &section);
                ARRAY_PUSH(s->sections, s->n_sections, s->cap_sections, section);
        }
}

/* --- Columns --- */

static void widen(struct screen_page *s, const struct screen_table *table)
{
        for (size_t i = 0; i < table->n; i++) {
                AUTO_RELEASE(buf) shown = {0};
                size_t name, place = text_width(table->rows[i].place);

                if (table->rows[i].is_rest)
                        continue;
                name_text_add(&shown, table->rows[i].name, NULL, 0);
                name = text_width(buf_text(&shown));
                s->name_width = name > s->name_width ? name : s->name_width;
                s->place_width = place > s->place_width ? place : s->place_width;
        }
}

static size_t least(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* What a place keeps of the room for a name and its place. */
static size_t part_of_place(size_t room)
{
        size_t part = (room * 3 + 9) / 10;

        return part > LEAST_PLACE_WIDTH ? part : LEAST_PLACE_WIDTH;
}

/* The place becomes narrower first, then the name. */
static void fit(struct screen_page *s)
{
        size_t room = s->sample->hot.max_columns, kept;

        for (size_t i = 0; i < s->n_sections; i++) {
                widen(s, &s->sections[i].python);
                widen(s, &s->sections[i].native);
        }
        if (s->sample->hot.long_names || !room)
                return;
        room = room > SHARES_WIDTH + LEAST_WIDTH ? room - SHARES_WIDTH : LEAST_WIDTH;
        if (room < LEAST_NAME_WIDTH + GAP + LEAST_PLACE_WIDTH)
                s->place_width = 0;
        if (!s->place_width) {
                s->name_width = least(s->name_width, room);
                return;
        }
        kept = least(s->place_width, part_of_place(room));
        s->name_width = least(s->name_width, room - GAP - kept);
        s->place_width = least(s->place_width, room - GAP - s->name_width);
}

/* --- Text --- */

static void add_share(struct screen_page *s, double percent)
{
        size_t from = s->out->len;

        buf_printf(s->out, "%5.1f", percent);
        if (s->sample->hot.is_colored)
                heat_color(s->out, from, s->out->len - from, percent);
}

/* Another row whose name would be shortened to the same text. */
static const char *twin_of(const struct screen_page *s, const struct screen_table *table, size_t index)
{
        AUTO_RELEASE(buf) own = {0};

        if (s->sample->hot.long_names)
                return NULL;
        name_text_add(&own, table->rows[index].name, NULL, s->name_width);
        for (size_t i = 0; i < table->n; i++) {
                AUTO_RELEASE(buf) other = {0};

                if (i == index || table->rows[i].is_rest ||
                    !strcmp(table->rows[i].name, table->rows[index].name))
                        continue;
                name_text_add(&other, table->rows[i].name, NULL, s->name_width);
                if (!strcmp(buf_text(&own), buf_text(&other)))
                        return table->rows[i].name;
        }
        return NULL;
}

static void add_name(struct screen_page *s, const struct screen_table *table, size_t index)
{
        const struct screen_row *row = &table->rows[index];
        AUTO_RELEASE(buf) name = {0};

        if (row->is_rest)
                buf_add_str(&name, row->name);
        else if (s->sample->hot.long_names)
                text_add_printable(&name, row->name);
        else
                name_text_add(&name, row->name, twin_of(s, table, index), s->name_width);
        buf_add(s->out, name.data, name.len);
        if (!row->place[0] || !s->place_width)
                return;
        for (size_t width = text_width(buf_text(&name)); width < s->name_width + GAP; width++)
                buf_add_char(s->out, ' ');
        table_add_middle(s->out, row->place, s->sample->hot.long_names ? 0 : s->place_width);
}

static void add_table(struct screen_page *s, const struct screen_table *table)
{
        for (size_t i = 0; i < table->n; i++) {
                const struct screen_row *row = &table->rows[i];

                add_share(s, row->self);
                buf_add_str(s->out, "  ");
                if (row->total >= 0)
                        add_share(s, row->total);
                else
                        buf_add_str(s->out, "     ");
                buf_add_str(s->out, "  ");
                add_name(s, table, i);
                buf_add_char(s->out, '\n');
        }
}

/* The unit, "% of samples" or of the event if there are several, is left out where it does not fit. */
static void add_head(struct screen_page *s, const struct screen_section *section, const char *head,
                     const char *more)
{
        AUTO_RELEASE(buf) unit = {0};
        size_t columns = s->sample->hot.max_columns;

        const struct report_event *event = &s->sample->hot.events[section->event];

        buf_add_str(&unit, " (% of ");
        text_add_printable(&unit, event->is_wall ? "wall time" : s->n_sections > 1 ? event->name : "samples");
        buf_printf(&unit, "%s)", more);
        buf_add_str(s->out, head);
        if (!columns || strlen(head) + text_width(buf_text(&unit)) <= columns)
                buf_add(s->out, unit.data, unit.len);
        buf_add_char(s->out, '\n');
}

static void add_section(struct screen_page *s, const struct screen_section *section)
{
        if (!section->python.n && !section->native.n && s->sample->hot.symbol) {
                hot_view_add_no_match(s->sample->hot.symbol, s->out);
                return;
        }
        if (section->python.n) {
                add_head(s, section, " self  total  Python function", "; self includes its C");
                add_table(s, &section->python);
        }
        if (!section->native.n)
                return;
        if (section->python.n)
                buf_add_str(s->out, " self         native function\n");
        else
                add_head(s, section, " self         function", "");
        add_table(s, &section->native);
}

/* --- The heading --- */

/* Longer lines are cut, so that the heading has no more lines than these. */
static void add_heading_line(struct screen_page *s, const char *line)
{
        AUTO_RELEASE(buf) text = {0};
        static const char rest[] = " (-v)";
        size_t columns = s->sample->hot.max_columns;

        text_add_printable(&text, line);
        if (columns && text_width(buf_text(&text)) > columns && columns > sizeof(rest)) {
                table_add_cut(s->out, buf_text(&text), columns - strlen(rest));
                buf_add_str(s->out, rest);
        } else {
                buf_add(s->out, text.data, text.len);
        }
        buf_add_char(s->out, '\n');
}

static void add_version(const struct report_modules *modules, struct buf *out)
{
        unsigned minor = 0;

        for (size_t i = 0; i < modules->n && !minor; i++)
                minor = python_version_of_path(modules->items[i].path);
        if (minor)
                buf_printf(out, " 3.%u", minor);
}

static bool has_python(const struct screen_page *s)
{
        return s->sample->python.rows && s->sample->python.rows->n;
}

static bool has_stacks(const struct screen_page *s)
{
        const struct hot_view *hot = &s->sample->hot;

        for (size_t i = 0; i < hot->n_events; i++) {
                if (!hot->events[i].is_waiting && hot->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
                        return true;
        }
        return false;
}

static const char *mode_of(const struct perf_attr *attr)
{
        return attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? "user code"
               : attr->flags & PERF_ATTR_EXCLUDE_USER ? "kernel code"
                                                      : "user and kernel code";
}

/* "cpu-clock 999 Hz, user code; Python 3.11 and native stacks" */
static void add_events(struct screen_page *s)
{
        AUTO_RELEASE(buf) line = {0};
        const char *mode = NULL;

        for (size_t i = 0; i < s->sample->hot.n_events; i++) {
                const struct report_event *event = &s->sample->hot.events[i];
                uint64_t rate = event->attr.sample_period_or_freq;

                if (event->only_tracks || event->is_source || event->is_waiting || event->is_derived)
                        continue;
                if (mode)
                        buf_add_str(&line, ", ");
                buf_add_str(&line, event->name);
                if (event->attr.flags & PERF_ATTR_FREQ)
                        buf_printf(&line, " %" PRIu64 " Hz", rate);
                else if (rate)
                        buf_printf(&line, " every %" PRIu64 "%s", rate,
                                   perf_attr_is_clock(&event->attr) ? " ns" : "");
                mode = mode && strcmp(mode, mode_of(&event->attr)) != 0 ? "" : mode_of(&event->attr);
        }
        if (mode && mode[0])
                buf_printf(&line, ", %s", mode);
        if (has_python(s)) {
                buf_add_str(&line, "; Python");
                add_version(&s->sample->report->modules, &line);
                buf_add_str(&line, " and native stacks");
        } else {
                buf_add_str(&line, has_stacks(s) ? "; native stacks" : "; no stacks");
        }
        add_heading_line(s, buf_text(&line));
}

/* "3.00 s elapsed, 1.69 s CPU: 92 % sampled, 8 % kernel (-k)" */
static void add_times(struct screen_page *s)
{
        const struct run_info *info = &s->sample->report->run.info;
        const struct quality *q = &s->sample->report->quality;
        uint64_t busy_ns = s->sample->report->run.is_known ? info->user_ns + info->kernel_ns : 0;
        double kernel = q->kernel_share >= 0 ? q->kernel_share : 0;
        AUTO_RELEASE(buf) line = {0};
        const char *between = ": ";

        buf_printf(&line, "%.2f s elapsed", (double)s->sample->elapsed_ns / 1e9);
        if (s->view->was_interrupted)
                buf_add_str(&line, " (Ctrl-C)");
        if (busy_ns) {
                buf_printf(&line, ", %.2f s CPU", (double)busy_ns / 1e9);
                if (q->knows_sampled && !q->sampled_event) {
                        buf_printf(&line, "%s%.0f %% sampled", between,
                                   100 * q->sampled_share * (1 - kernel));
                        between = ", ";
                }
                if (kernel >= 0.005)
                        buf_printf(&line, "%s%.0f %% kernel%s", between, 100 * kernel,
                                   q->kernel_is_denied ? " (-k, as root)" : " (-k)");
        }
        add_heading_line(s, buf_text(&line));
}

/* --- The last lines --- */

/* "wrote wperf.data; callers: wperf report; waiting: --wall" */
static void add_next(struct screen_page *s)
{
        const char *session = s->sample->session;

        buf_add_str(s->out, "wrote ");
        text_add_printable(s->out, session);
        buf_add_str(s->out, has_stacks(s) ? "; callers: wperf report" : "; more: wperf report");
        if (strcmp(session, "wperf.data") != 0) {
                buf_add_char(s->out, ' ');
                text_add_printable(s->out, session);
        }
        if (sample_view_waits(s->sample))
                buf_add_str(s->out, "; waiting: --wall");
        buf_add_char(s->out, '\n');
}

static void add_quality(struct screen_page *s)
{
        const struct quality *quality = &s->sample->report->quality;
        size_t start = s->out->len + strlen("quality: ");

        quality_add_line(quality, s->out);
        if (s->sample->hot.is_colored && quality_is_poor(quality))
                heat_color(s->out, start, strlen("poor"), 100);
        buf_add_char(s->out, '\n');
}

static void release(struct screen_page *s)
{
        for (size_t i = 0; i < s->n_sections; i++) {
                free(s->sections[i].python.rows);
                free(s->sections[i].native.rows);
        }
        free(s->sections);
        arena_release(&s->texts);
}

void screen_view_text(const struct screen_view *view, struct buf *out)
{
        struct screen_page s = {.view = view, .sample = view->sample, .out = out};

        add_events(&s);
        add_times(&s);
        if (view->note && view->note[0])
                add_heading_line(&s, view->note);
        sample_view_add_wall(s.sample, out);
        collect(&s);
        fit(&s);
        if (sample_view_is_empty(s.sample))
                sample_view_add_no_samples(s.sample->report, out);
        for (size_t i = 0; i < s.n_sections; i++)
                add_section(&s, &s.sections[i]);
        add_next(&s);
        add_quality(&s);
        release(&s);
}
