/* SPDX-License-Identifier: BSD-3-Clause */
#include "aligned_lines.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "mem.h"
#include "name_text.h"
#include "text_printable.h"
#include "text_width.h"

enum { GAP = 2, LEAST_NAME = 8 };

struct aligned_lines {
        const char *columns;
        const char **cells; /* NULL in the first one of a blank line */
        size_t n, cap, n_columns;
        uint8_t *colors; /* of lines: enum text_code, TEXT_CODE_PLAIN for none */
        size_t n_lines, cap_lines;
        struct arena texts;
};

struct aligned_lines *aligned_lines_new(const char *columns)
{
        struct aligned_lines *lines = mem_new(1, sizeof(*lines));

        lines->columns = columns;
        lines->n_columns = strlen(columns);
        return lines;
}

void aligned_lines_free(struct aligned_lines *lines)
{
        if (!lines)
                return;
        free(lines->cells);
        free(lines->colors);
        arena_release(&lines->texts);
        free(lines);
}

void aligned_lines_add(struct aligned_lines *lines, const char *const *cells)
{
        for (size_t i = 0; i < lines->n_columns; i++) {
                AUTO_RELEASE(buf) text = {0};

                text_add_printable(&text, cells[i]);
                ARRAY_PUSH(lines->cells, lines->n, lines->cap,
                           arena_copy(&lines->texts, buf_text(&text), text.len));
        }
        ARRAY_PUSH(lines->colors, lines->n_lines, lines->cap_lines, TEXT_CODE_PLAIN);
}

void aligned_lines_color(struct aligned_lines *lines, enum text_code color)
{
        assert(lines->n_lines);
        lines->colors[lines->n_lines - 1] = (uint8_t)color;
}

void aligned_lines_add_blank(struct aligned_lines *lines)
{
        for (size_t i = 0; i < lines->n_columns; i++)
                ARRAY_PUSH(lines->cells, lines->n, lines->cap, NULL);
        ARRAY_PUSH(lines->colors, lines->n_lines, lines->cap_lines, TEXT_CODE_PLAIN);
}

static size_t *measure(const struct aligned_lines *lines)
{
        size_t *widths = mem_new(lines->n_columns, sizeof(*widths));

        for (size_t i = 0; i < lines->n; i++) {
                size_t width = lines->cells[i] ? text_width(lines->cells[i]) : 0;

                if (width > widths[i % lines->n_columns])
                        widths[i % lines->n_columns] = width;
        }
        return widths;
}

/* Makes the widest name narrower until all fits. */
static void shrink(const struct aligned_lines *lines, size_t max, size_t *widths)
{
        size_t sum = 0;

        for (size_t i = 0; i < lines->n_columns; i++)
                sum += widths[i] + (i ? GAP : 0);
        while (max && sum > max) {
                size_t widest = SIZE_MAX;

                for (size_t i = 0; i < lines->n_columns; i++) {
                        if (lines->columns[i] == 'n' && widths[i] > LEAST_NAME &&
                            (widest == SIZE_MAX || widths[i] > widths[widest]))
                                widest = i;
                }
                if (widest == SIZE_MAX)
                        return;
                widths[widest]--;
                sum--;
        }
}

static void add_blanks(struct buf *out, size_t n)
{
        while (n-- > 0)
                buf_add_char(out, ' ');
}

static void render_cells(const struct aligned_lines *lines, const char *const *cells, const size_t *widths,
                         struct buf *out)
{
        size_t blanks = 0;

        for (size_t i = 0; i < lines->n_columns; i++) {
                AUTO_RELEASE(buf) text = {0};
                size_t width;

                if (lines->columns[i] == 'n')
                        name_text_add(&text, cells[i], NULL, widths[i]);
                else
                        buf_add_str(&text, cells[i]);
                width = text_width(buf_text(&text));
                width = width < widths[i] ? widths[i] - width : 0;
                if (text.len) {
                        add_blanks(out, blanks + (lines->columns[i] == 'r' ? width : 0));
                        buf_add_str(out, buf_text(&text));
                        blanks = lines->columns[i] == 'r' ? 0 : width;
                } else {
                        blanks += width;
                }
                blanks += GAP;
        }
}

static void render_line(const struct aligned_lines *lines, size_t line, const size_t *widths, struct buf *out)
{
        const char *const *cells = &lines->cells[line * lines->n_columns];
        enum text_code color = lines->colors[line];

        if (color != TEXT_CODE_PLAIN)
                text_code_add(out, color);
        if (cells[0])
                render_cells(lines, cells, widths, out);
        if (color != TEXT_CODE_PLAIN)
                text_code_add(out, TEXT_CODE_PLAIN);
        buf_add_char(out, '\n');
}

void aligned_lines_render(const struct aligned_lines *lines, unsigned max_columns, struct buf *out)
{
        size_t *widths = measure(lines);

        shrink(lines, max_columns, widths);
        for (size_t i = 0; i < lines->n_lines; i++)
                render_line(lines, i, widths, out);
        free(widths);
}
