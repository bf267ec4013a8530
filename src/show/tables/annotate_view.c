/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotate_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_view_internal.h"
#include "buf.h"
#include "heat.h"
#include "mem.h"
#include "table.h"
#include "text.h"
#include "text_printable.h"

enum { COLUMNS_MAX = 10, SHARE_COLUMNS = 8 };

double annotate_view_share(const struct annotate_view *view, uint64_t weight)
{
        return view->weight ? 100.0 * (double)weight / (double)view->weight : 0;
}

double annotate_view_share_of_all(const struct annotate_view *view, uint64_t weight)
{
        return view->event_weight ? 100.0 * (double)weight / (double)view->event_weight : 0;
}

struct annotate_source annotate_view_source_of(const struct annotate_view *view,
                                               const struct annotate_point *point)
{
        const struct resolver_frame *frame = point->frames;
        struct annotate_source source = {0};

        if (!point->n_frames || view->hides_lines)
                return source;
        if (frame->path) {
                source.path = annotate_text(view->annotate, frame->path);
                source.line = frame->line;
        }
        if (frame->is_inlined)
                source.inlined = annotate_text(view->annotate, frame->function);
        return source;
}

static void add_note(struct buf *out, const char *note)
{
        if (!note)
                return;
        buf_add_str(out, "note: ");
        text_add_printable(out, note);
        buf_add_char(out, '\n');
}

void annotate_view_heading(const struct annotate_view *view, struct buf *out)
{
        text_add_printable(out, view->function ? view->function : "all functions");
        buf_printf(out, ": %" PRIu64 " of %" PRIu64 " samples of ", view->count, view->event_count);
        text_add_printable(out, view->event);
        buf_printf(out, " (%.2f %%), skid: %s\n", annotate_view_share_of_all(view, view->weight), view->skid);
        add_note(out, view->code_note);
        add_note(out, view->debug_note);
}

/* --- Rows --- */

struct made {
        struct column columns[COLUMNS_MAX];
        size_t n;
        struct table *table;
};

static void add_column(struct made *made, struct column column)
{
        made->columns[made->n++] = column;
}

static void add_columns(struct made *made, const struct annotate_view *view, enum annotate_by by)
{
        if (view->function)
                add_column(made, (struct column){.name = "% of function",
                                                 .key = "share_of_function",
                                                 .type = COLUMN_FIXED,
                                                 .decimals = 2,
                                                 .is_share = true,
                                                 .is_extra = true});
        add_column(made, (struct column){.name = "% of all",
                                         .key = "share_of_all",
                                         .type = COLUMN_FIXED,
                                         .decimals = 2,
                                         .is_share = true,
                                         .is_extra = true});
        add_column(made, (struct column){.name = "count", .type = COLUMN_U64});
        switch (by) {
        case ANNOTATE_FUNCTION: add_column(made, (struct column){.name = "function", .can_cut = true}); break;
        case ANNOTATE_INLINED:
                add_column(made, (struct column){.name = "itself", .type = COLUMN_U64});
                add_column(made, (struct column){.name = "copies", .type = COLUMN_U64});
                add_column(made, (struct column){.name = "function", .can_cut = true});
                break;
        case ANNOTATE_HANDLER:
                add_column(made, (struct column){.name = "line", .right = true});
                add_column(made, (struct column){.name = "handler", .can_cut = true});
                break;
        case ANNOTATE_BLOCK:
                add_column(made, (struct column){.name = "block"});
                add_column(made, (struct column){.name = "start", .type = COLUMN_HEX});
                add_column(made, (struct column){.name = "end", .type = COLUMN_HEX});
                break;
        case ANNOTATE_LINE:
                add_column(made, (struct column){.name = "line"});
                add_column(made, (struct column){.name = "source", .can_cut = true});
                break;
        case ANNOTATE_INSTRUCTION:
                add_column(made, (struct column){.name = "address", .type = COLUMN_HEX});
                add_column(made, (struct column){.name = "instruction", .can_cut = true});
                break;
        }
}

void annotate_view_place(const char *path, uint32_t line, struct buf *out)
{
        if (!path) {
                buf_add_str(out, "unknown");
                return;
        }
        text_add_printable(out, text_base_name(path));
        if (line)
                buf_printf(out, ":%" PRIu32, line);
}

/* Tabs become blanks, because they would shift columns. */
void annotate_view_source_text(const char *line, struct buf *out)
{
        AUTO_RELEASE(buf) plain = {0};
        size_t column = 0;

        for (; *line; line++) {
                if (*line != '\t') {
                        buf_add_char(&plain, *line);
                        column++;
                        continue;
                }
                do
                        buf_add_char(&plain, ' ');
                while (++column % 8);
        }
        text_add_printable(out, buf_text(&plain));
}

/* "[Py_DECREF] op->ob_refcnt--": the name of an inlined function comes first. */
static void add_source_cell(const struct annotate_view *view, const struct annotate_row *row, struct buf *out)
{
        const char *source = annotate_texts_line(&view->texts, row->path, row->line);

        if (row->function) {
                buf_add_char(out, '[');
                text_add_printable(out, row->function);
                buf_add_str(out, "] ");
        }
        if (source)
                annotate_view_source_text(source + strspn(source, " \t"), out);
}

static void add_cells(struct made *made, const struct annotate_view *view, enum annotate_by by,
                      const struct annotate_row *row)
{
        AUTO_RELEASE(buf) text = {0};
        struct table *table = made->table;

        if (view->function)
                table_add_fixed(table, annotate_view_share(view, row->whole_weight));
        table_add_fixed(table, annotate_view_share_of_all(view, row->whole_weight));
        table_add_u64(table, row->whole_count);
        switch (by) {
        case ANNOTATE_INLINED:
                table_add_u64(table, row->count);
                table_add_u64(table, row->n_places);
                break;
        case ANNOTATE_HANDLER:
                annotate_view_place(row->path, row->line, &text);
                table_add_text(table, row->path ? text.data : "");
                break;
        case ANNOTATE_BLOCK:
                table_add_text(table, row->name);
                table_add_u64(table, row->addr);
                table_add_u64(table, row->end);
                return;
        case ANNOTATE_LINE:
                annotate_view_place(row->path, row->line, &text);
                table_add_text(table, text.data);
                buf_clear(&text);
                add_source_cell(view, row, &text);
                table_add_text(table, buf_text(&text));
                return;
        case ANNOTATE_INSTRUCTION: table_add_u64(table, row->addr); break;
        case ANNOTATE_FUNCTION: break;
        }
        table_add_text(table, row->name);
}

static size_t count_shown(const struct annotate_view *view, const struct annotate_rows *rows)
{
        return rows->n_rows < view->max_rows ? rows->n_rows : (size_t)view->max_rows;
}

static size_t make_table(struct made *made, const struct annotate_view *view, enum annotate_by by,
                         const struct annotate_rows *rows)
{
        size_t n = count_shown(view, rows);

        *made = (struct made){0};
        add_columns(made, view, by);
        made->table = table_new(made->columns, made->n);
        table_color(made->table, view->is_colored);
        for (size_t i = 0; i < n; i++)
                add_cells(made, view, by, &rows->rows[i]);
        return n;
}

/* The sum of the shown rows.  There is none for inlined functions, because a sample may count in several
 * rows. */
static void add_footer(struct made *made, const struct annotate_view *view, const struct annotate_rows *rows,
                       size_t n_shown)
{
        char share[32], of_all[32], count[32], words[48];
        const char *texts[COLUMNS_MAX] = {0};
        uint64_t sum_weight = 0, sum_count = 0;
        size_t at = 0;

        for (size_t i = 0; i < n_shown; i++) {
                sum_weight += rows->rows[i].whole_weight;
                sum_count += rows->rows[i].whole_count;
        }
        snprintf(share, sizeof(share), "%.2f%%", annotate_view_share(view, sum_weight));
        snprintf(of_all, sizeof(of_all), "%.2f%%", annotate_view_share_of_all(view, sum_weight));
        snprintf(count, sizeof(count), "%" PRIu64, sum_count);
        snprintf(words, sizeof(words), "top %zu of %zu in total", n_shown, rows->n_rows);
        if (view->function)
                texts[at++] = share;
        texts[at++] = of_all;
        texts[at++] = count;
        texts[made->n - 1] = words;
        table_add_footer(made->table, texts);
}

void annotate_view_rows(const struct annotate_view *view, enum annotate_by by,
                        const struct annotate_rows *rows, struct buf *out)
{
        struct made made;
        size_t n_shown = make_table(&made, view, by, rows);

        if (by != ANNOTATE_INLINED)
                add_footer(&made, view, rows, n_shown);
        table_render_text(made.table, view->max_columns, out);
        table_free(made.table);
        if (by == ANNOTATE_HANDLER && rows->handlers_by_line)
                buf_add_str(
                        out,
                        "note: the compiler kept no addresses for some labels; handlers are told apart by "
                        "source lines\n");
}

void annotate_view_json_rows(const struct annotate_view *view, enum annotate_by by,
                             const struct annotate_rows *rows, struct json *json)
{
        struct made made;

        make_table(&made, view, by, rows);
        json_key(json, "rows");
        table_render_json(made.table, view->is_extended, json);
        table_free(made.table);
}

/* The note about the file of each row; NULL if there is none, or an earlier row is of the same file. */
static const char **notes_of_files(const struct annotate_view *view, const struct annotate_rows *lines,
                                   size_t n)
{
        const char **notes = mem_new(n, sizeof(*notes));

        for (size_t i = 0; i < n; i++) {
                const char *path = lines->rows[i].path;
                bool seen = !path;

                for (size_t k = 0; k < i && !seen; k++)
                        seen = lines->rows[k].path && !strcmp(lines->rows[k].path, path);
                notes[i] = seen ? NULL : annotate_texts_note(&view->texts, path);
        }
        return notes;
}

void annotate_view_missing_source(const struct annotate_view *view, const struct annotate_rows *lines,
                                  struct buf *out)
{
        size_t n = count_shown(view, lines);
        const char **notes = notes_of_files(view, lines, n);

        for (size_t i = 0; i < n; i++) {
                const char *note = notes[i];
                size_t n_more = 0;

                if (!note)
                        continue;
                for (size_t k = i + 1; k < n; k++) {
                        if (!notes[k] || strcmp(notes[k], note) != 0)
                                continue;
                        notes[k] = NULL;
                        n_more++;
                }
                buf_add_str(out, "note: ");
                text_add_printable(out, lines->rows[i].path);
                buf_printf(out, " %s", note);
                if (n_more)
                        buf_printf(out, "; the same of %zu more file%s", n_more, n_more == 1 ? "" : "s");
                buf_add_char(out, '\n');
        }
        free(notes);
}

/* --- Source --- */

struct source_line {
        const char *path;
        uint32_t line;
        uint64_t count, weight;
        const char *function; /* the inlined function, if all samples of the line are in it */
};

struct source_file {
        const char *path;
        uint64_t weight;
        size_t first, n; /* its lines */
};

static int compare_lines(const void *x, const void *y)
{
        const struct source_line *a = x, *b = y;
        int order = strcmp(a->path, b->path);

        return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int compare_files(const void *x, const void *y)
{
        const struct source_file *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return strcmp(a->path, b->path);
}

/* Lists the known lines, sorted by file and number, each once. */
static size_t list_lines(const struct annotate_rows *rows, struct source_line *lines)
{
        size_t n = 0, n_merged = 0;

        for (size_t i = 0; i < rows->n_rows; i++) {
                const struct annotate_row *row = &rows->rows[i];

                if (row->path && row->line)
                        lines[n++] = (struct source_line){row->path, row->line, row->count, row->weight,
                                                          row->function};
        }
        if (n)
                qsort(lines, n, sizeof(*lines), compare_lines);
        for (size_t i = 0; i < n; i++) {
                struct source_line *last = n_merged ? &lines[n_merged - 1] : NULL;

                if (!last || compare_lines(last, &lines[i])) {
                        lines[n_merged++] = lines[i];
                        continue;
                }
                last->count += lines[i].count;
                last->weight += lines[i].weight;
                if (!last->function || !lines[i].function || strcmp(last->function, lines[i].function) != 0)
                        last->function = NULL;
        }
        return n_merged;
}

static void add_source_row(const struct annotate_view *view, const struct source_line *line, const char *text,
                           struct buf *out)
{
        AUTO_RELEASE(buf) row = {0};
        size_t start = out->len;

        view_marks_add(view->marks, &(struct view_mark){
                                            .at = start,
                                            .weight = line->weight,
                                            .percent = annotate_view_share(view, line->weight),
                                    });
        if (line->count)
                buf_printf(&row, "%7.2f %7.2f %6" PRIu64 " %6" PRIu32 "  ",
                           annotate_view_share(view, line->weight),
                           annotate_view_share_of_all(view, line->weight), line->count, line->line);
        else
                buf_printf(&row, "%29" PRIu32 "  ", line->line);
        if (line->function) {
                buf_add_char(&row, '[');
                text_add_printable(&row, line->function);
                buf_add_str(&row, "] ");
        }
        if (text)
                annotate_view_source_text(text, &row);
        annotate_view_add_cut(view, &row, out);
        if (!line->count || !view->is_colored)
                return;
        heat_color(out, start + SHARE_COLUMNS, SHARE_COLUMNS - 1,
                   annotate_view_share_of_all(view, line->weight));
        heat_color(out, start, SHARE_COLUMNS - 1, annotate_view_share(view, line->weight));
}

static void add_file(const struct annotate_view *view, const struct source_line *lines,
                     const struct source_file *file, struct buf *out)
{
        const char *note = annotate_texts_note(&view->texts, file->path);
        uint64_t next = 0; /* number of the line after the last one shown */

        text_add_printable(out, file->path);
        if (note)
                buf_printf(out, " (%s)", note);
        buf_add_str(out, "\n % func   % all  count   line\n");
        for (size_t i = file->first; i < file->first + file->n; i++) {
                uint64_t from =
                        lines[i].line > ANNOTATE_CONTEXT_LINES ? lines[i].line - ANNOTATE_CONTEXT_LINES : 1;
                uint64_t to = (uint64_t)lines[i].line + ANNOTATE_CONTEXT_LINES;

                if (next && from > next)
                        buf_printf(out, "%29s\n", "...");
                from = from > next ? from : next;
                if (i + 1 < file->first + file->n && to >= lines[i + 1].line)
                        to = lines[i + 1].line - 1;
                for (uint64_t n = from; n <= to && n <= UINT32_MAX; n++) {
                        struct source_line one = {.path = file->path, .line = (uint32_t)n};
                        const char *text = annotate_texts_line(&view->texts, file->path, (uint32_t)n);

                        if (n == lines[i].line)
                                one = lines[i];
                        else if (!text)
                                continue;
                        add_source_row(view, &one, text, out);
                }
                next = to + 1;
        }
}

void annotate_view_source(const struct annotate_view *view, const struct annotate_rows *rows, struct buf *out)
{
        struct source_line *lines = mem_new(rows->n_rows, sizeof(*lines));
        size_t n = list_lines(rows, lines), n_files = 0;
        struct source_file *files = mem_new(n, sizeof(*files));

        for (size_t i = 0; i < n; i++) {
                if (!n_files || strcmp(files[n_files - 1].path, lines[i].path) != 0)
                        files[n_files++] = (struct source_file){.path = lines[i].path, .first = i};
                files[n_files - 1].n++;
                files[n_files - 1].weight += lines[i].weight;
        }
        if (n_files)
                qsort(files, n_files, sizeof(*files), compare_files);
        for (size_t i = 0; i < n_files; i++) {
                if (i)
                        buf_add_char(out, '\n');
                add_file(view, lines, &files[i], out);
        }
        free(files);
        free(lines);
}
