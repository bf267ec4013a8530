/* SPDX-License-Identifier: BSD-3-Clause */
#include "task_view.h"

#include <inttypes.h>
#include <string.h>

#include "python_label.h"
#include "table.h"
#include "text_printable.h"
#include "text_width.h"
#include "wall_states.h"

enum { MOST_NAME_COLUMNS = 26, LEAST_NS = 5000000 };

static double seconds(uint64_t ns)
{
        return (double)ns / 1e9;
}

static bool is_shown(const struct task_view *view, const struct wall_task_row *row)
{
        return view->shown & WALL_BIT(row->state) && row->ns >= LEAST_NS;
}

static void add_name(const struct wall_task_row *row, struct buf *out)
{
        if (row->n_tasks > 1)
                buf_printf(out, "%" PRIu32 " tasks%s", row->n_tasks, *row->task ? " " : "");
        text_add_printable(out, row->task);
}

static void add_line(const struct task_view *view, const struct buf *line, struct buf *out)
{
        if (view->max_columns)
                table_add_cut(out, buf_text(line), view->max_columns);
        else
                buf_add_str(out, buf_text(line));
        buf_add_char(out, '\n');
}

/* Where functions begin, behind the names of tasks, and their places, behind the names of functions. */
struct task_columns {
        size_t names, functions;
};

static void widen(size_t *columns, const char *text)
{
        size_t width = text_width(text);

        if (width > *columns && width <= MOST_NAME_COLUMNS)
                *columns = width;
}

static struct task_columns columns_of(const struct task_view *view)
{
        struct task_columns columns = {.names = sizeof("task") - 1};
        uint64_t n = 0;

        for (size_t i = 0; i < view->tasks->n_groups && n < view->n_rows; i++) {
                AUTO_RELEASE(buf) name = {0};

                if (!is_shown(view, &view->tasks->groups[i]))
                        continue;
                add_name(&view->tasks->groups[i], &name);
                widen(&columns.names, buf_text(&name));
                widen(&columns.functions, view->tasks->groups[i].function->name);
                n++;
        }
        return columns;
}

static void add_padded(struct buf *line, const char *text, size_t columns)
{
        text_add_printable(line, text);
        for (size_t width = text_width(text); width < columns; width++)
                buf_add_char(line, ' ');
        buf_add_str(line, "  ");
}

static void add_row(const struct task_view *view, const struct wall_task_row *row,
                    const struct task_columns *columns, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};
        AUTO_RELEASE(buf) name = {0};

        add_name(row, &name);
        buf_printf(&line, "%7.2f  %-8s ", seconds(row->ns), wall_state_word(row->state));
        add_padded(&line, buf_text(&name), columns->names);
        add_padded(&line, row->function->name, columns->functions);
        text_add_printable(&line, python_label_file(row->function->file));
        if (row->line)
                buf_printf(&line, ":%" PRIu32, row->line);
        if (*row->awaited) {
                buf_add_str(&line, "  awaits ");
                text_add_printable(&line, row->awaited);
        }
        add_line(view, &line, out);
}

void task_view_text(const struct task_view *view, struct buf *out)
{
        const struct wall_tasks *t = view->tasks;
        struct task_columns columns = columns_of(view);
        AUTO_RELEASE(buf) head = {0};
        AUTO_RELEASE(buf) more = {0};
        uint64_t n = 0, rest_ns = 0, n_rest = 0;

        buf_printf(&head, "%7s  %-8s ", "wall", "state");
        add_padded(&head, "task", columns.names);
        buf_printf(&head, "function, of %zu task%s of asyncio", t->n_tasks, t->n_tasks == 1 ? "" : "s");
        for (size_t i = 0; i < t->n_groups; i++) {
                if (!is_shown(view, &t->groups[i]))
                        continue;
                if (!n)
                        add_line(view, &head, out);
                if (n < view->n_rows) {
                        add_row(view, &t->groups[i], &columns, out);
                        n++;
                        continue;
                }
                rest_ns += t->groups[i].ns;
                n_rest++;
        }
        if (!n_rest)
                return;
        buf_printf(&more, "%7.2f  %" PRIu64 " more", seconds(rest_ns), n_rest);
        add_line(view, &more, out);
}

/* --- JSON --- */

static void add_frame(const struct task_view *view, uint32_t frame, struct json *json)
{
        const struct task_frame *f = &view->section->frames[frame];
        const struct task_function *function = &view->section->functions[f->function];

        json_begin_object(json);
        json_key_str(json, "function", function->name);
        json_key_str(json, "file", function->file);
        if (f->line)
                json_key_u64(json, "line", f->line);
        json_end_object(json);
}

static void add_json_row(const struct task_view *view, const struct wall_task_row *row, struct json *json)
{
        json_begin_object(json);
        json_key_str(json, "task", row->task);
        json_key_str(json, "state", wall_state_word(row->state));
        json_key_str(json, "function", row->function->name);
        json_key_str(json, "file", row->function->file);
        if (row->line)
                json_key_u64(json, "line", row->line);
        if (*row->awaited)
                json_key_str(json, "awaits", row->awaited);
        json_key(json, "seconds");
        json_fixed(json, seconds(row->ns), 6);
        json_key(json, "stack");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_frames; i++)
                add_frame(view, row->frames[i], json);
        json_end_array(json);
        json_end_object(json);
}

void task_view_json(const struct task_view *view, struct json *json)
{
        uint64_t n = 0;

        json_key(json, "tasks");
        json_begin_array(json);
        for (size_t i = 0; i < view->tasks->n_rows && n < view->n_rows; i++) {
                if (!is_shown(view, &view->tasks->rows[i]))
                        continue;
                add_json_row(view, &view->tasks->rows[i], json);
                n++;
        }
        json_end_array(json);
}
