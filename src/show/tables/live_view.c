/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "name_text.h"
#include "python_label.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"
#include "wall_view.h"

enum {
        SHARES_WIDTH = 20,
        NAME_WIDTH = 27, /* on a screen of 80 columns */
        NARROW = 60,     /* below this, places are left out */
        USUAL = 80,
        UNLIMITED_NAME_WIDTH = 40,
};

const char *live_view_kind_text(enum live_kind kind)
{
        static const char *const texts[] = {
                [LIVE_FUNCTIONS] = "functions",
                [LIVE_THREADS] = "threads",
                [LIVE_PROCESSES] = "processes",
                [LIVE_CONTAINERS] = "containers",
        };

        return texts[kind];
}

const char *live_view_row_word(enum live_kind kind)
{
        static const char *const words[] = {
                [LIVE_FUNCTIONS] = "function",
                [LIVE_THREADS] = "thread",
                [LIVE_PROCESSES] = "process",
                [LIVE_CONTAINERS] = "container",
        };

        return words[kind];
}

static double percent(uint64_t part, uint64_t all)
{
        return all ? 100 * (double)part / (double)all : 0;
}

/* --- heading --- */

/* "0:31", "12:04", "1:02:03" */
static void add_elapsed(uint64_t ns, struct buf *out)
{
        uint64_t s = ns / 1000000000;

        if (s >= 3600)
                buf_printf(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
        else
                buf_printf(out, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

void live_view_add_target(const struct live_view *view, struct buf *out)
{
        text_add_printable(out, view->target);
        if (view->state[0])
                buf_printf(out, ": %s", view->state);
}

void live_view_add_facts(const struct live_view *view, struct buf *out)
{
        const struct live_table *table = view->table;

        if (table->python_minor)
                buf_printf(out, "Python 3.%u  ", table->python_minor);
        if (view->n_threads)
                buf_printf(out, "%zu thread%s  ", view->n_threads, view->n_threads == 1 ? "" : "s");
        if (table->hz)
                buf_printf(out, "%" PRIu64 " Hz  ", table->hz);
        add_elapsed(view->elapsed_ns, out);
        buf_printf(out, "  wperf %.1f %%", view->own_percent);
}

static double busy_percent(const struct live_table *table)
{
        return percent(table->now.self_weight, table->interval_ns);
}

static bool has_wall(const struct live_view *view)
{
        return view->table->wall_since.shown;
}

static void add_samples(const struct live_view *view, struct buf *out)
{
        const struct live_table *table = view->table;

        if (has_wall(view))
                ;
        else if (table->is_time)
                buf_printf(out, "%s %.0f %%  ", table->is_user_only ? "user code (-k: kernel)" : "on CPU",
                           busy_percent(table));
        else
                text_printf(out, "%s  ", table->event);
        buf_printf(out, "%" PRIu64 " samples, %" PRIu64 " lost", table->since.self_count, table->n_lost);
        if (view->n_dropped)
                buf_printf(out, "; the first %" PRIu64 " only as sums", view->n_dropped);
}

/* As many of the words at `at` as fit into a line. */
static size_t note_line_bytes(const struct live_view *view, const char *at)
{
        size_t width, fits = view->max_columns ? text_fitting_bytes(at, view->max_columns, &width) : 0,
                      n = fits;

        if (!fits || !at[fits])
                return strlen(at);
        while (n && at[n] != ' ')
                n--;
        return n ? n : fits;
}

/* Line `line` of the note, if it has so many; returns how many it has. */
static size_t see_note(const struct live_view *view, size_t line, struct buf *out)
{
        AUTO_RELEASE(buf) note = {0};
        size_t n = 0, size;

        text_add_printable(&note, view->note ? view->note : "");
        for (const char *at = buf_text(&note); *at; at += size + (at[size] == ' '), n++) {
                size = note_line_bytes(view, at);
                if (n == line && out)
                        buf_add(out, at, size);
        }
        return n;
}

/* With wall time: now, since the start, samples and, if it is known, who had the GIL. */
size_t live_view_n_sums(const struct live_view *view)
{
        return see_note(view, 0, NULL) + (has_wall(view) ? 3 + !!view->table->wall_since.gil_holder : 1);
}

void live_view_add_sums(const struct live_view *view, size_t line, struct buf *out)
{
        const struct live_table *table = view->table;
        size_t n_note = see_note(view, line, out);

        if (line < n_note)
                return;
        line -= n_note;
        if (has_wall(view) && line < 2) {
                buf_add_str(out, line ? "since  " : "now    ");
                wall_view_add_shares(line ? &table->wall_since : &table->wall_now, out);
        } else if (line == 3) {
                wall_view_add_gil(&table->wall_since, out);
        } else {
                if (has_wall(view))
                        buf_printf(out, "%zu thread%s (%zu idle), ", table->wall_since.n_threads,
                                   table->wall_since.n_threads == 1 ? "" : "s",
                                   table->wall_since.n_idle_threads);
                add_samples(view, out);
        }
}

/* The states that have columns: as many as leave room for names, those with most time. */
static size_t choose_states(const struct live_view *view, unsigned states[WALL_N_STATES])
{
        const struct wall_times *t = &view->table->wall_since;
        size_t n = wall_view_choose_columns(t, states), most = WALL_N_STATES;

        if (view->max_columns)
                most = view->max_columns < NARROW  ? 1
                       : view->max_columns < USUAL ? 2
                                                   : 3 + (view->max_columns - USUAL) / 20;
        while (n > most) {
                size_t least = 1;

                for (size_t i = 2; i < n; i++)
                        least = t->ns[states[i]] < t->ns[states[least]] ? i : least;
                n--;
                memmove(&states[least], &states[least + 1], (n - least) * sizeof(*states));
        }
        return n;
}

static void add_state_columns(const struct live_view *view, struct buf *out)
{
        unsigned states[WALL_N_STATES];
        size_t n = choose_states(view, states);

        buf_printf(out, "%*s%*s", WALL_VIEW_COLUMN, "now", WALL_VIEW_COLUMN, "since");
        for (size_t i = 0; i < n; i++)
                buf_printf(out, "%*s", WALL_VIEW_COLUMN, wall_view_column_name(states[i]));
        buf_printf(out, "  %s, in seconds%s", live_view_row_word(view->kind),
                   view->table->wall_since.shown & WALL_IDLE ? "" : ", without idle");
}

void live_view_add_columns(const struct live_view *view, struct buf *out)
{
        if (has_wall(view)) {
                add_state_columns(view, out);
                return;
        }
        buf_printf(out, "  now  since  self  %s (%% of ", live_view_row_word(view->kind));
        if (view->table->is_time)
                buf_add_str(out, "CPU time)");
        else
                text_printf(out, "%s)", view->table->event);
}

/* Ends a line, cut to the screen, that was begun at `from`. */
static void end_line(const struct live_view *view, size_t from, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};

        buf_add_str(&line, buf_text(out) + from);
        if (view->max_columns) {
                buf_truncate(out, from);
                table_add_cut(out, buf_text(&line), view->max_columns);
        }
        buf_add_char(out, '\n');
}

/* --- rows --- */

size_t live_view_shares_width(const struct live_view *view)
{
        unsigned states[WALL_N_STATES];

        return has_wall(view) ? WALL_VIEW_COLUMN * (2 + choose_states(view, states)) + 2 : SHARES_WIDTH;
}

double live_view_share(const struct live_view *view, const struct live_row *row)
{
        if (has_wall(view))
                return percent(row->now.weight, view->table->wall_now.total_ns);
        return percent(row->now.weight, view->table->now.self_weight);
}

static uint32_t line_of(const struct live_row *row)
{
        return row->states ? row->states->line : row->line;
}

static void add_place(const struct live_view *view, const struct live_row *row, struct buf *out)
{
        if (view->kind == LIVE_CONTAINERS)
                text_add_printable(out, row->label);
        else if (row->tid && row->tid != row->pid)
                buf_printf(out, "thread %" PRId32 " of process %" PRId32, row->tid, row->pid);
        else if (row->pid)
                buf_printf(out, "process %" PRId32, row->pid);
        else if (line_of(row))
                text_printf(out, "%s:%" PRIu32, python_label_file(row->file), line_of(row));
        else
                text_printf(out, "%s", row->is_python ? python_label_file(row->file) : row->module);
}

static size_t name_width(const struct live_view *view)
{
        size_t shares = live_view_shares_width(view);

        if (!view->max_columns)
                return UNLIMITED_NAME_WIDTH;
        if (view->max_columns < NARROW)
                return view->max_columns > shares ? view->max_columns - shares : 1;
        return NAME_WIDTH + (view->max_columns > USUAL ? (view->max_columns - USUAL) * 2 / 3 : 0);
}

static void add_name(const struct live_view *view, const struct live_row *row, struct buf *out)
{
        AUTO_RELEASE(buf) name = {0};

        if (row->is_rest)
                buf_printf(&name, "%zu more", view->table->kinds[view->kind].n_merged);
        else if (view->kind == LIVE_FUNCTIONS)
                name_text_add(&name, row->name, NULL, view->max_columns ? name_width(view) : 0);
        else
                text_printf(&name, "%s", row->name);
        if (view->max_columns)
                table_add_cut(out, buf_text(&name), name_width(view));
        else
                buf_add_str(out, buf_text(&name));
}

static void add_cells(const struct live_view *view, const struct live_row *row, struct buf *out)
{
        const struct live_table *table = view->table;
        unsigned states[WALL_N_STATES];
        size_t n = has_wall(view) ? choose_states(view, states) : 0;

        if (has_wall(view)) {
                wall_view_add_cell(row->now.weight, out);
                wall_view_add_cell(row->since.weight, out);
                for (size_t i = 0; i < n; i++)
                        wall_view_add_cell(row->states->since[states[i]], out);
                buf_add_str(out, "  ");
        } else {
                buf_printf(out, "%5.1f  %5.1f %5.1f  ", percent(row->now.weight, table->now.self_weight),
                           percent(row->since.weight, table->since.self_weight),
                           percent(row->now.self_weight, table->now.self_weight));
        }
}

void live_view_add_row(const struct live_view *view, const struct live_row *row, struct buf *out)
{
        AUTO_RELEASE(buf) place = {0};
        size_t from = out->len, width;

        add_cells(view, row, out);
        add_name(view, row, out);
        if (!row->is_rest && (!view->max_columns || view->max_columns >= NARROW))
                add_place(view, row, &place);
        if (place.len) {
                width = text_width(buf_text(out) + from);
                for (; width < live_view_shares_width(view) + name_width(view); width++)
                        buf_add_char(out, ' ');
                buf_printf(out, "  %s", buf_text(&place));
        }
}

static size_t count_shown(const struct live_rows *rows)
{
        size_t n = 0;

        for (size_t i = 0; i < rows->n; i++)
                n += live_row_is_shown(&rows->items[i]);
        return n;
}

void live_view_text(const struct live_view *view, struct buf *out)
{
        const struct live_rows *rows = &view->table->kinds[view->kind];
        size_t from = out->len, n = 0;

        live_view_add_target(view, out);
        buf_add_str(out, "  ");
        live_view_add_facts(view, out);
        end_line(view, from, out);
        for (size_t i = 0; i < live_view_n_sums(view); i++) {
                from = out->len;
                live_view_add_sums(view, i, out);
                end_line(view, from, out);
        }
        from = out->len;
        live_view_add_columns(view, out);
        end_line(view, from, out);
        for (size_t i = 0; i < rows->n && (!view->max_rows || n < view->max_rows); i++) {
                if (!live_row_is_shown(&rows->items[i]))
                        continue;
                n++;
                from = out->len;
                live_view_add_row(view, &rows->items[i], out);
                end_line(view, from, out);
        }
        /* the last row may stand for several that were merged */
        if (n < count_shown(rows))
                buf_printf(out, "%*s%zu more\n", (int)live_view_shares_width(view), "",
                           count_shown(rows) - n + (rows->n_merged ? rows->n_merged - 1 : 0));
}

/* --- JSON --- */

static void add_sum(struct json *json, const char *key, const struct live_sum *sum)
{
        json_key(json, key);
        json_begin_object(json);
        json_key_u64(json, "self_samples", sum->self_count);
        json_key_u64(json, "self", sum->self_weight);
        json_key_u64(json, "samples", sum->count);
        json_key_u64(json, "total", sum->weight);
        json_end_object(json);
}

static void add_states(struct json *json, const char *key, const uint64_t *ns)
{
        json_key(json, key);
        wall_view_json_states(ns, json);
}

static void add_row(struct json *json, enum live_kind kind, const struct live_row *row)
{
        json_begin_object(json);
        if (row->is_rest) {
                json_key_bool(json, "is_rest", true);
        } else {
                json_key_str(json, "name", row->name);
                if (kind == LIVE_FUNCTIONS)
                        json_key_str(json, "label", row->label);
                if (kind == LIVE_THREADS)
                        json_key_i64(json, "tid", row->tid);
                if (kind == LIVE_THREADS || kind == LIVE_PROCESSES)
                        json_key_i64(json, "pid", row->pid);
                if (kind == LIVE_CONTAINERS)
                        json_key_str(json, "group", row->label);
        }
        if (!row->is_rest && kind == LIVE_FUNCTIONS) {
                json_key_bool(json, "is_python", row->is_python);
                if (row->is_python) {
                        json_key_str(json, "file", row->file);
                        json_key_u64(json, "line", line_of(row));
                } else {
                        json_key_str(json, "module", row->module);
                        json_key_bool(json, "is_kernel", row->is_kernel);
                }
        }
        if (row->states) {
                add_states(json, "now", row->states->now);
                add_states(json, "since", row->states->since);
        } else {
                add_sum(json, "now", &row->now);
                add_sum(json, "since", &row->since);
        }
        json_end_object(json);
}

static void add_rows(struct json *json, const struct live_view *view, enum live_kind kind)
{
        const struct live_rows *rows = &view->table->kinds[kind];

        json_key(json, live_view_kind_text(kind));
        json_begin_array(json);
        for (size_t i = 0; i < rows->n; i++)
                add_row(json, kind, &rows->items[i]);
        json_end_array(json);
}

static void add_number(struct json *json, const char *key, double value, int decimals)
{
        json_key(json, key);
        json_fixed(json, value, decimals);
}

static void add_wall_times(struct json *json, const char *key, const struct wall_times *t)
{
        json_key(json, key);
        json_begin_object(json);
        add_number(json, "elapsed_seconds", (double)t->elapsed_ns / 1e9, 6);
        json_key(json, "seconds");
        wall_view_json_states(t->ns, json);
        add_number(json, "waiting_without_stack_seconds", (double)t->stackless_ns / 1e9, 6);
        json_end_object(json);
}

static void add_wall(struct json *json, const struct live_table *table)
{
        const struct wall_times *t = &table->wall_since;

        json_key(json, "wall");
        json_begin_object(json);
        json_key_u64(json, "threads", t->n_threads);
        json_key_u64(json, "idle_threads", t->n_idle_threads);
        add_wall_times(json, "now", &table->wall_now);
        add_wall_times(json, "since", t);
        if (t->gil_holder) {
                json_key_str(json, "gil_holder", t->gil_holder->name);
                add_number(json, "gil_holder_share", t->gil_share, 3);
        }
        json_end_object(json);
}

void live_view_json(const struct live_view *view, struct buf *out)
{
        const struct live_table *table = view->table;
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "top");
        json_begin_object(&json);
        json_key_str(&json, "target", view->target);
        json_key_str(&json, "event", table->event);
        json_key_bool(&json, "is_time", table->is_time);
        json_key_bool(&json, "is_user_only", table->is_user_only);
        add_number(&json, "elapsed_s", (double)view->elapsed_ns / 1e9, 3);
        add_number(&json, "interval_s", (double)table->interval_ns / 1e9, 3);
        add_number(&json, "wperf_percent", view->own_percent, 2);
        if (view->note && *view->note)
                json_key_str(&json, "note", view->note);
        json_key_u64(&json, "lost", table->n_lost);
        json_key_u64(&json, "not_kept", view->n_dropped);
        add_sum(&json, "now", &table->now);
        add_sum(&json, "since", &table->since);
        if (has_wall(view))
                add_wall(&json, table);
        for (unsigned i = 0; i < LIVE_N_KINDS; i++)
                add_rows(&json, view, (enum live_kind)i);
        json_end_object(&json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}
