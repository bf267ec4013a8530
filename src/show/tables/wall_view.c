/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_view.h"

#include <inttypes.h>
#include <string.h>

#include "attributes.h"
#include "python_label.h"
#include "table.h"
#include "task_view.h"
#include "text.h"
#include "text_printable.h"
#include "text_width.h"

/* Waits in the order of their columns. */
static const unsigned waits[] = {WAIT_KIND_GIL,      WAIT_KIND_LOCK,  WAIT_KIND_DISK,   WAIT_KIND_FAULT,
                                 WAIT_KIND_NETWORK,  WAIT_KIND_PIPE,  WAIT_KIND_CHILD,  WAIT_KIND_SLEEP,
                                 WAIT_KIND_TERMINAL, WAIT_KIND_OTHER, WAIT_KIND_UNKNOWN};

enum { MOST_NAME_COLUMNS = 26, COLUMN = WALL_VIEW_COLUMN, LEAST_NS = 5000000, TASK_ROWS = 5 };

static double seconds(uint64_t ns)
{
        return (double)ns / 1e9;
}

static uint64_t waiting_ns(const struct wall_times *t)
{
        uint64_t ns = 0;

        for (size_t i = 0; i < N_ELEMENTS(waits); i++)
                ns += t->ns[waits[i]];
        return ns;
}

/* Cuts the line to the screen. */
static void add_line(const struct wall_view *view, const struct buf *line, struct buf *out)
{
        if (view->max_columns)
                table_add_cut(out, buf_text(line), view->max_columns);
        else
                buf_add_str(out, buf_text(line));
        buf_add_char(out, '\n');
}

/* --- States --- */

/* Kinds of waiting that have one part in a thousand, the largest first; returns their number. */
static size_t sort_kinds(const struct wall_times *t, unsigned kinds[N_ELEMENTS(waits)])
{
        size_t n = 0;

        for (size_t i = 0; i < N_ELEMENTS(waits); i++) {
                size_t at = n;

                if (!t->ns[waits[i]] || t->ns[waits[i]] < t->total_ns / 1000)
                        continue;
                for (; at && t->ns[kinds[at - 1]] < t->ns[waits[i]]; at--)
                        kinds[at] = kinds[at - 1];
                kinds[at] = waits[i];
                n++;
        }
        return n;
}

static void add_kinds(const struct wall_times *t, struct buf *line)
{
        unsigned kinds[N_ELEMENTS(waits)];
        size_t n = sort_kinds(t, kinds);

        for (size_t i = 0; i < n; i++)
                buf_printf(line, "%s%s %.2f", i ? ", " : "  ", wall_state_word(kinds[i]),
                           seconds(t->ns[kinds[i]]));
}

static double share(const struct wall_times *t, unsigned state)
{
        return t->total_ns ? 100 * (double)t->ns[state] / (double)t->total_ns : 0;
}

/* Smaller ones are left out, except those that are always there. */
#define LEAST_SHARE 0.5

void wall_view_add_shares(const struct wall_times *t, struct buf *out)
{
        unsigned kinds[N_ELEMENTS(waits)];
        size_t n = sort_kinds(t, kinds);

        buf_printf(out, "on CPU %.0f %%, runnable %.0f", share(t, WAIT_KIND_ON_CPU), share(t, WALL_RUNNABLE));
        for (size_t i = 0; i < n && share(t, kinds[i]) >= LEAST_SHARE; i++)
                buf_printf(out, ", %s %.0f", wall_state_word(kinds[i]), share(t, kinds[i]));
        if (share(t, WALL_OWN) >= LEAST_SHARE)
                buf_printf(out, ", wperf itself %.0f", share(t, WALL_OWN));
        if (t->ns[WAIT_KIND_IDLE])
                buf_printf(out, ", idle %.0f", share(t, WAIT_KIND_IDLE));
}

static void add_state(const struct wall_view *view, const char *name, uint64_t ns, const struct buf *more,
                      struct buf *out)
{
        const struct wall_times *t = view->times;
        AUTO_RELEASE(buf) line = {0};

        buf_printf(&line, "%-14s %8.2f %3.0f", name, seconds(ns),
                   t->total_ns ? 100 * (double)ns / (double)t->total_ns : 0);
        buf_add_str(&line, buf_text(more));
        add_line(view, &line, out);
}

void wall_view_add_states(const struct wall_view *view, struct buf *out)
{
        const struct wall_times *t = view->times;
        const struct buf nothing = {0};
        AUTO_RELEASE(buf) head = {0};
        AUTO_RELEASE(buf) idle = {0};
        AUTO_RELEASE(buf) kinds = {0};
        AUTO_RELEASE(buf) collecting = {0};

        buf_printf(&head, "%-14s %8s %3s  of %zu thread%s in %.2f s", "", "seconds", "%", t->n_threads,
                   t->n_threads == 1 ? "" : "s", seconds(t->elapsed_ns));
        add_line(view, &head, out);
        buf_printf(&idle, "  %zu thread%s", t->n_idle_threads, t->n_idle_threads == 1 ? "" : "s");
        for (size_t i = 0; i < t->n_idle_calls; i++) {
                buf_add_str(&idle, i ? ", " : ": ");
                text_add_printable(&idle, t->idle_calls[i]);
        }
        add_kinds(t, &kinds);
        if (t->ns[WAIT_KIND_IDLE])
                add_state(view, "idle", t->ns[WAIT_KIND_IDLE], &idle, out);
        add_state(view, "waiting", waiting_ns(t), &kinds, out);
        if (t->ns[WALL_GC] >= t->total_ns / 1000 && t->ns[WALL_GC])
                buf_printf(&collecting, "  garbage collection %.2f", seconds(t->ns[WALL_GC]));
        add_state(view, "on CPU", t->ns[WAIT_KIND_ON_CPU] + t->ns[WALL_GC], &collecting, out);
        add_state(view, "runnable", t->ns[WALL_RUNNABLE], &nothing, out);
        if (t->ns[WALL_OWN] >= t->total_ns / 1000)
                add_state(view, "wperf itself", t->ns[WALL_OWN], &nothing, out);
}

/* --- Functions --- */

static uint64_t shown_ns(const struct wall_times *t)
{
        uint64_t ns = 0;

        for (unsigned i = 0; i < WALL_N_STATES; i++)
                ns += t->shown & WALL_BIT(i) ? t->ns[i] : 0;
        return ns;
}

/* The CPU, and columns that have one part in a hundred of what is shown. */
size_t wall_view_choose_columns(const struct wall_times *t, unsigned columns[WALL_N_STATES])
{
        uint64_t least_ns = shown_ns(t) / 100;
        unsigned order[WALL_N_STATES] = {WAIT_KIND_ON_CPU, WALL_GC, WAIT_KIND_IDLE};
        size_t n_order = 3, n = 0;

        for (size_t i = 0; i < N_ELEMENTS(waits); i++)
                order[n_order++] = waits[i];
        order[n_order++] = WALL_RUNNABLE;
        for (size_t i = 0; i < n_order; i++) {
                bool is_worth =
                        order[i] == WAIT_KIND_ON_CPU || (t->ns[order[i]] && t->ns[order[i]] >= least_ns);

                if (t->shown & WALL_BIT(order[i]) && is_worth)
                        columns[n++] = order[i];
        }
        return n;
}

const char *wall_view_column_name(unsigned state)
{
        static const char *const names[WALL_N_STATES] = {
                [WAIT_KIND_ON_CPU] = "CPU", [WAIT_KIND_NETWORK] = "net", [WAIT_KIND_TERMINAL] = "term",
                [WAIT_KIND_UNKNOWN] = "?",  [WALL_RUNNABLE] = "ready",
        };

        return names[state] ? names[state] : wall_state_word(state);
}

void wall_view_add_cell(uint64_t ns, struct buf *line)
{
        if (ns < LEAST_NS)
                buf_printf(line, "%*s", COLUMN, "-");
        else
                buf_printf(line, " %*.*f", COLUMN - 1, seconds(ns) < 1000 ? 2 : 0, seconds(ns));
}

/* The columns of the table. */
struct wall_columns {
        unsigned states[WALL_N_STATES];
        size_t n;
        size_t name_columns; /* where the place of a function begins, behind its name */
};

static void add_function(const struct wall_view *view, const struct wall_function *f,
                         const struct wall_columns *columns, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};
        AUTO_RELEASE(buf) name = {0};

        wall_view_add_cell(f->total_ns, &line);
        for (size_t i = 0; i < columns->n; i++)
                wall_view_add_cell(f->ns[columns->states[i]], &line);
        text_add_printable(&name, f->name->name);
        for (size_t width = text_width(buf_text(&name)); width < columns->name_columns; width++)
                buf_add_char(&name, ' ');
        buf_printf(&line, "  %s  ", buf_text(&name));
        text_add_printable(&line, f->name->is_python ? python_label_file(f->name->file)
                                                     : text_base_name(f->name->file));
        if (f->line)
                buf_printf(&line, ":%" PRIu32, f->line);
        add_line(view, &line, out);
}

static void add_rest(const struct wall_view *view, size_t first, const struct wall_columns *columns,
                     struct buf *out)
{
        const struct wall_times *t = view->times;
        struct wall_function rest = {0};
        AUTO_RELEASE(buf) line = {0};
        size_t end;

        for (end = first; end < t->n_functions && t->functions[end].total_ns; end++) {
                rest.total_ns += t->functions[end].total_ns;
                for (unsigned k = 0; k < WALL_N_STATES; k++)
                        rest.ns[k] += t->functions[end].ns[k];
        }
        wall_view_add_cell(rest.total_ns, &line);
        for (size_t i = 0; i < columns->n; i++)
                wall_view_add_cell(rest.ns[columns->states[i]], &line);
        buf_printf(&line, "  %zu more", end - first);
        add_line(view, &line, out);
}

static size_t count_rows(const struct wall_view *view)
{
        const struct wall_times *t = view->times;
        uint64_t least_ns = shown_ns(t) / 1000 > LEAST_NS ? shown_ns(t) / 1000 : LEAST_NS;
        size_t n = 0;

        while (n < t->n_functions && n < view->n_rows && t->functions[n].total_ns >= least_ns)
                n++;
        return n;
}

static size_t name_columns(const struct wall_view *view, size_t n_rows)
{
        size_t most = 0;

        for (size_t i = 0; i < n_rows; i++) {
                size_t width = text_width(view->times->functions[i].name->name);

                if (width > most && width <= MOST_NAME_COLUMNS)
                        most = width;
        }
        return most;
}

static void add_functions(const struct wall_view *view, struct buf *out)
{
        const struct wall_times *t = view->times;
        size_t n_rows = count_rows(view);
        struct wall_columns columns = {.name_columns = name_columns(view, n_rows)};
        AUTO_RELEASE(buf) head = {0};

        columns.n = wall_view_choose_columns(t, columns.states);
        buf_printf(&head, "%*s", COLUMN, "wall");
        for (size_t i = 0; i < columns.n; i++)
                buf_printf(&head, "%*s", COLUMN, wall_view_column_name(columns.states[i]));
        buf_printf(&head, "  function, in seconds%s", t->shown & WALL_IDLE ? "" : ", without idle");
        add_line(view, &head, out);
        for (size_t i = 0; i < n_rows; i++)
                add_function(view, &t->functions[i], &columns, out);
        if (n_rows < t->n_functions && t->functions[n_rows].total_ns)
                add_rest(view, n_rows, &columns, out);
}

void wall_view_add_gil(const struct wall_times *t, struct buf *out)
{
        buf_printf(out, "GIL: %.0f %% waited while ", 100 * t->gil_share);
        text_add_printable(out, t->gil_holder->name);
        buf_add_str(out, " held it");
}

static void add_gil(const struct wall_view *view, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};

        wall_view_add_gil(view->times, &line);
        add_line(view, &line, out);
}

static void add_known(const struct wall_view *view, struct buf *out)
{
        const struct wall_times *t = view->times;
        uint64_t all_ns = waiting_ns(t);
        AUTO_RELEASE(buf) line = {0};

        if (!all_ns)
                return;
        buf_printf(&line, "stack known for %.1f %% of waiting",
                   100 * (double)(all_ns - t->stackless_ns) / (double)all_ns);
        if (t->most_error_ns >= LEAST_NS)
                buf_printf(&line,
                           "; short waits sampled %zu times: seconds of functions are within %.2f (95 %%)",
                           t->n_sampled, 2 * t->most_error_ns / 1e9);
        add_line(view, &line, out);
}

static struct task_view tasks_of(const struct wall_view *view, uint64_t n_rows)
{
        return (struct task_view){.tasks = view->tasks,
                                  .section = view->task_section,
                                  .shown = view->times->shown,
                                  .n_rows = n_rows,
                                  .max_columns = view->max_columns};
}

void wall_view_text(const struct wall_view *view, struct buf *out)
{
        struct task_view tasks = tasks_of(view, TASK_ROWS);

        wall_view_add_states(view, out);
        if (view->tasks)
                task_view_text(&tasks, out);
        add_functions(view, out);
        if (view->times->gil_holder)
                add_gil(view, out);
        add_known(view, out);
}

/* --- JSON --- */

void wall_view_json_states(const uint64_t *ns, struct json *json)
{
        json_begin_object(json);
        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                if (!ns[i])
                        continue;
                json_key(json, wall_state_word(i));
                json_fixed(json, seconds(ns[i]), 6);
        }
        json_end_object(json);
}

void wall_view_json(const struct wall_view *view, struct json *json)
{
        const struct wall_times *t = view->times;
        struct task_view tasks = tasks_of(view, view->n_rows);

        json_key(json, "wall");
        json_begin_object(json);
        json_key(json, "elapsed_seconds");
        json_fixed(json, seconds(t->elapsed_ns), 6);
        json_key_u64(json, "threads", t->n_threads);
        json_key(json, "seconds");
        wall_view_json_states(t->ns, json);
        json_key(json, "waiting_without_stack_seconds");
        json_fixed(json, seconds(t->stackless_ns), 6);
        json_key(json, "functions");
        json_begin_array(json);
        for (size_t i = 0; i < t->n_functions && i < view->n_rows; i++) {
                const struct wall_function *f = &t->functions[i];

                json_begin_object(json);
                json_key_str(json, "function", f->name->name);
                json_key_str(json, "file", f->name->file);
                json_key_bool(json, "python", f->name->is_python);
                if (f->line)
                        json_key_u64(json, "line", f->line);
                if (f->error_ns > 0) {
                        json_key(json, "standard_error_seconds");
                        json_fixed(json, f->error_ns / 1e9, 6);
                }
                json_key(json, "seconds");
                wall_view_json_states(f->ns, json);
                json_end_object(json);
        }
        json_end_array(json);
        if (view->tasks)
                task_view_json(&tasks, json);
        json_end_object(json);
}
