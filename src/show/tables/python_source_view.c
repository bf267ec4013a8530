/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_source_view.h"

#include <inttypes.h>

#include "annotate_view_internal.h"
#include "heat.h"
#include "table.h"
#include "text_printable.h"

enum {
        CONTEXT_LINES = 3,
        SHARE_COLUMNS = 8,
        FIGURES_COLUMNS = 31,        /* of all figures */
        NARROW_FIGURES_COLUMNS = 16, /* of those on a narrow screen: own share of the function, total */
        NARROW_COLUMNS = 60,         /* narrower screens */
        NUMBER_COLUMNS = 6,
        MAX_NATIVES = 10,
};

static uint32_t first_of(const struct python_line *line)
{
        return line->line > CONTEXT_LINES ? line->line - CONTEXT_LINES : 1;
}

static uint64_t last_of(const struct python_line *line)
{
        return (uint64_t)line->line + CONTEXT_LINES;
}

static double share(uint64_t part, uint64_t whole)
{
        return whole ? 100 * (double)part / (double)whole : 0;
}

static void add_cut(const struct python_source_view *view, const struct buf *row, struct buf *out)
{
        if (view->max_columns)
                table_add_cut(out, buf_text(row), view->max_columns);
        else
                buf_add_str(out, buf_text(row));
        buf_add_char(out, '\n');
}

static bool is_narrow(const struct python_source_view *view)
{
        return view->max_columns && view->max_columns < NARROW_COLUMNS;
}

static int figures_columns(const struct python_source_view *view)
{
        return is_narrow(view) ? NARROW_FIGURES_COLUMNS : FIGURES_COLUMNS;
}

/* A line without own samples has only a total. */
static void add_figures(const struct python_source_view *view, const struct python_line *line,
                        struct buf *out)
{
        double own = share(line->weight, view->source->weight), all = share(line->weight, view->event_weight);
        double total = share(line->total_weight, view->event_weight);
        int before = figures_columns(view) - (is_narrow(view) ? SHARE_COLUMNS : 2 * SHARE_COLUMNS - 1);

        if (!line->count)
                buf_printf(out, "%*s%7.2f %*s", before, "", total, is_narrow(view) ? 0 : SHARE_COLUMNS - 1,
                           "");
        else if (is_narrow(view))
                buf_printf(out, "%7.2f %7.2f ", own, total);
        else
                buf_printf(out, "%7.2f %7.2f %7.2f %6" PRIu64 " ", own, all, total, line->count);
}

/* `line` NULL: the line has no samples. */
static void add_row(const struct python_source_view *view, uint32_t number, const struct python_line *line,
                    struct buf *out)
{
        const char *text = annotate_texts_line(&view->texts, view->source->path, number);
        AUTO_RELEASE(buf) row = {0};
        size_t start = out->len;

        if (!line) {
                buf_printf(&row, "%*" PRIu32 "  ", figures_columns(view) + NUMBER_COLUMNS, number);
                annotate_view_source_text(text, &row);
                add_cut(view, &row, out);
                return;
        }
        if (line->count)
                view_marks_add(view->marks,
                               &(struct view_mark){.at = start,
                                                   .weight = line->weight,
                                                   .percent = share(line->weight, view->source->weight),
                                                   .path = view->source->path,
                                                   .line = number});
        add_figures(view, line, &row);
        if (number)
                buf_printf(&row, "%6" PRIu32 "  ", number);
        else
                buf_add_str(&row, "     ?  ");
        if (text)
                annotate_view_source_text(text, &row);
        add_cut(view, &row, out);
        if (!view->is_colored || !line->count)
                return;
        if (!is_narrow(view))
                heat_color(out, start + SHARE_COLUMNS, SHARE_COLUMNS - 1,
                           share(line->weight, view->event_weight));
        heat_color(out, start, SHARE_COLUMNS - 1, share(line->weight, view->source->weight));
}

static void add_natives(const struct python_source_view *view, const struct python_line *line,
                        struct buf *out)
{
        for (size_t i = 0; view->with_natives && i < line->n_natives && i < MAX_NATIVES; i++) {
                const struct python_native *native = &line->natives[i];
                AUTO_RELEASE(buf) row = {0};

                buf_printf(&row, "%*" PRIu64 "%*s", figures_columns(view) - 1, native->count,
                           NUMBER_COLUMNS + 5, "");
                text_add_printable(&row, native->function);
                if (*native->module) {
                        buf_add_str(&row, " [");
                        text_add_printable(&row, native->module);
                        buf_add_char(&row, ']');
                }
                add_cut(view, &row, out);
        }
}

/* Adds lines without samples around those with samples, if their text is known. */
static void add_lines(const struct python_source_view *view, struct buf *out)
{
        const struct python_source *source = view->source;
        uint64_t next = 0; /* number of the line after the last one shown */

        for (size_t i = 0; i < source->n_lines; i++) {
                const struct python_line *line = &source->lines[i];
                uint64_t from = first_of(line), to = last_of(line);

                if (!line->line) {
                        add_row(view, 0, line, out);
                        continue;
                }
                if (next && from > next)
                        buf_printf(out, "%*s\n", NUMBER_COLUMNS, "...");
                from = from > next ? from : next;
                if (i + 1 < source->n_lines && to >= source->lines[i + 1].line)
                        to = source->lines[i + 1].line - 1;
                for (uint64_t n = from; n <= to && n <= UINT32_MAX; n++) {
                        if (n == line->line)
                                add_row(view, line->line, line, out);
                        else if (annotate_texts_line(&view->texts, source->path, (uint32_t)n))
                                add_row(view, (uint32_t)n, NULL, out);
                        if (n == line->line)
                                add_natives(view, line, out);
                }
                next = to + 1;
        }
}

void python_source_view_text(const struct python_source_view *view, struct buf *out)
{
        const struct python_source *source = view->source;
        const char *note = annotate_texts_note(&view->texts, source->path);

        text_add_printable(out, source->title);
        buf_printf(out, ": %" PRIu64 " of %" PRIu64 " samples of ", source->count, view->event_count);
        text_add_printable(out, view->event);
        buf_printf(out, " (%.2f %%), by the line of the innermost Python frame\n",
                   share(source->weight, view->event_weight));
        if (!source->is_file) {
                text_add_printable(out, source->path);
                buf_add_char(out, '\n');
        }
        if (note)
                buf_printf(out, "note: the source file %s\n", note);
        buf_printf(out, " %s %s   line\n", source->is_file ? "% file" : "% func",
                   is_narrow(view) ? "% total" : "  % all % total  count");
        add_lines(view, out);
}

static void add_line_json(const struct python_source_view *view, const struct python_line *line,
                          struct json *json)
{
        const char *text = annotate_texts_line(&view->texts, view->source->path, line->line);

        json_begin_object(json);
        json_key_u64(json, "line", line->line);
        json_key_u64(json, "count", line->count);
        json_key(json, "share");
        json_fixed(json, share(line->weight, view->source->weight), 4);
        json_key(json, "share_of_all");
        json_fixed(json, share(line->weight, view->event_weight), 4);
        json_key_u64(json, "total_count", line->total_count);
        json_key(json, "total_share_of_all");
        json_fixed(json, share(line->total_weight, view->event_weight), 4);
        if (text)
                json_key_str(json, "source", text);
        json_key(json, "native");
        json_begin_array(json);
        for (size_t i = 0; i < line->n_natives; i++) {
                json_begin_object(json);
                json_key_str(json, "function", line->natives[i].function);
                json_key_str(json, "module", line->natives[i].module);
                json_key_u64(json, "count", line->natives[i].count);
                json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
}

void python_source_view_json(const struct python_source_view *view, struct json *json)
{
        const struct python_source *source = view->source;

        json_begin_object(json);
        json_key_str(json, "event", view->event);
        json_key_u64(json, "hits", source->count);
        json_key_str(json, source->is_file ? "python_file" : "python_function", source->title);
        json_key_str(json, "file", source->path);
        json_key(json, "lines");
        json_begin_array(json);
        for (size_t i = 0; i < source->n_lines; i++)
                add_line_json(view, &source->lines[i], json);
        json_end_array(json);
        json_end_object(json);
}
