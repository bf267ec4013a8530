/* SPDX-License-Identifier: BSD-3-Clause */
#include "waker_view.h"

#include <inttypes.h>

#include "table.h"
#include "text_printable.h"
#include "wall_states.h"

static double seconds(uint64_t ns)
{
        return (double)ns / 1e9;
}

static void add_line(const struct waker_view *view, const struct buf *line, struct buf *out)
{
        if (view->max_columns)
                table_add_cut(out, buf_text(line), view->max_columns);
        else
                buf_add_str(out, buf_text(line));
        buf_add_char(out, '\n');
}

/* "asker in read < answerer in answer < interrupt": each was woken by the next one. */
static void add_chain(const struct waker_row *row, struct buf *line)
{
        for (size_t i = 0; i < row->n_links; i++) {
                buf_add_str(line, i ? " < " : "");
                text_add_printable(line, row->links[i].thread);
                if (!*row->links[i].function)
                        continue;
                buf_add_str(line, " in ");
                text_add_printable(line, row->links[i].function);
        }
}

static void add_row(const struct waker_view *view, const struct waker_row *row, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};
        AUTO_RELEASE(buf) stack = {0};

        buf_printf(&line, "%9.3f %9.4f %7" PRIu64 "  %-8s  ", seconds(row->total_ns),
                   seconds(row->longest_ns), row->count, wall_state_word(row->kind));
        add_chain(row, &line);
        add_line(view, &line, out);
        if (!row->n_frames)
                return;
        buf_printf(&stack, "%39s", "woken by ");
        for (size_t i = row->n_frames; i--;) {
                text_add_printable(&stack, row->frames[i]);
                buf_add_str(&stack, i ? " > " : "");
        }
        add_line(view, &stack, out);
}

void waker_view_text(const struct waker_view *view, struct buf *out)
{
        const struct waker_rows *rows = view->rows;
        AUTO_RELEASE(buf) line = {0};
        size_t n = rows->n < view->n_rows ? rows->n : (size_t)view->n_rows;

        buf_printf(&line, "wakers of %" PRIu64 " waits, %.3f s in total", rows->n_waits,
                   seconds(rows->total_ns));
        if (rows->n_unknown)
                buf_printf(&line, "; waker unknown: %" PRIu64 " waits, %.3f s", rows->n_unknown,
                           seconds(rows->unknown_ns));
        add_line(view, &line, out);
        buf_printf(out, "%9s %9s %7s  %-8s  %s\n", "seconds", "longest", "count", "state",
                   "waiting thread < its waker < the waker's waker");
        for (size_t i = 0; i < n; i++)
                add_row(view, &rows->items[i], out);
        if (n < rows->n)
                buf_printf(out, "%zu more\n", rows->n - n);
}

static void add_json_row(const struct waker_row *row, struct json *json)
{
        json_begin_object(json);
        json_key(json, "seconds");
        json_fixed(json, seconds(row->total_ns), 9);
        json_key(json, "longest_seconds");
        json_fixed(json, seconds(row->longest_ns), 9);
        json_key_u64(json, "count", row->count);
        json_key_str(json, "state", wall_state_word(row->kind));
        json_key(json, "chain");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_links; i++) {
                json_begin_object(json);
                json_key_str(json, "thread", row->links[i].thread);
                json_key_str(json, "function", row->links[i].function);
                json_end_object(json);
        }
        json_end_array(json);
        json_key(json, "waker_stack");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_frames; i++)
                json_str(json, row->frames[i]);
        json_end_array(json);
        json_end_object(json);
}

void waker_view_json(const struct waker_view *view, struct json *json)
{
        const struct waker_rows *rows = view->rows;

        json_key(json, "wakers");
        json_begin_object(json);
        json_key_u64(json, "waits", rows->n_waits);
        json_key(json, "seconds");
        json_fixed(json, seconds(rows->total_ns), 9);
        json_key_u64(json, "unknown_waits", rows->n_unknown);
        json_key(json, "unknown_seconds");
        json_fixed(json, seconds(rows->unknown_ns), 9);
        json_key(json, "rows");
        json_begin_array(json);
        for (size_t i = 0; i < rows->n && i < view->n_rows; i++)
                add_json_row(&rows->items[i], json);
        json_end_array(json);
        json_end_object(json);
}
