/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form: a margin of eight, two blanks between columns, the headings underlined with '='. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "heat.h"
#include "mem.h"
#include "table_internal.h"
#include "text.h"
#include "text_printable.h"
#include "text_width.h"

enum { MARGIN = 8, GAP = 2, CUT_MIN_WIDTH = 16, NARROW_WIDTH = 8, LEAST_WIDTH = 4 };

/* A table while it is laid out. */
struct text_layout {
        const struct table *table;
        size_t *widths;
        const struct table_cell ***twins; /* for each column, the result of table_find_twins; NULL: none */
        struct buf *out;
        size_t line_start;
        size_t hang; /* number of columns by which the cell before exceeds its width */
        bool in_footer;
        size_t margin, gap;
        bool cuts_all; /* on a narrow terminal: headings and the texts of all columns */
};

static bool is_right(const struct column *column)
{
        return column->type != COLUMN_TEXT || column->right;
}

static void widen(size_t *width, const char *text)
{
        size_t w = text_width(text);

        if (w > *width)
                *width = w;
}

/* A percent sign below numbers does not move its number; texts of a column all have one, or none. */
static size_t hang_of(const struct column *column, const char *text)
{
        return column->type != COLUMN_TEXT && text_ends(text, "%") ? 1 : 0;
}

/* `room`: the columns for the text; 0: no limit. */
static void format_cell(const struct column *column, const struct table_cell *cell,
                        const struct table_cell *twin, size_t room, struct buf *out)
{
        if (column->is_name && !cell->is_none)
                table_name_format(cell, twin, column->can_cut ? room : 0, out);
        else
                table_cell_format(column, cell, true, out);
}

static void measure(struct text_layout *layout)
{
        const struct table *table = layout->table;
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < table->n_columns; i++)
                widen(&layout->widths[i], table->columns[i].name);
        for (size_t i = 0; i < table->n_cells; i++) {
                size_t column = i % table->n_columns;

                buf_clear(&text);
                format_cell(&table->columns[column], &table->cells[i], NULL, 0, &text);
                widen(&layout->widths[column], buf_text(&text));
        }
        for (size_t i = 0; i < table->n_footers; i++) {
                size_t column = i % table->n_columns;
                size_t w =
                        text_width(table->footers[i]) - hang_of(&table->columns[column], table->footers[i]);

                if (column + 1 < table->n_columns && w > layout->widths[column])
                        layout->widths[column] = w;
        }
}

/* The width that the footers need in a column; footers are never cut. */
static size_t footer_width(const struct table *table, size_t column)
{
        size_t widest = 0;

        for (size_t i = column; i < table->n_footers; i += table->n_columns) {
                size_t w = text_width(table->footers[i]);

                widest = w > widest ? w : widest;
        }
        return widest;
}

static size_t larger(size_t a, size_t b)
{
        return a > b ? a : b;
}

static size_t total_width(const struct text_layout *layout)
{
        const struct table *table = layout->table;
        size_t last = table->n_columns - 1, total = layout->margin + layout->gap * last;

        for (size_t i = 0; i < last; i++)
                total += layout->widths[i];
        return total + larger(layout->widths[last], footer_width(table, last));
}

/* The least width of a column: that of its heading and footers, too, unless `cuts_all`. */
static size_t least_width(const struct table *table, size_t column, size_t min, bool cuts_all)
{
        const struct column *c = &table->columns[column];

        if (cuts_all)
                return c->type == COLUMN_TEXT ? larger(min, footer_width(table, column)) : SIZE_MAX;
        if (!c->can_cut)
                return SIZE_MAX;
        return larger(min, larger(text_width(c->name), footer_width(table, column)));
}

/* Narrows columns, the widest first, until the table fits or all have their least width. */
static void cut_widths(struct text_layout *layout, size_t max, size_t min, bool cuts_all)
{
        const struct table *table = layout->table;

        for (size_t total = total_width(layout); total > max; total--) {
                size_t *widest = NULL;

                for (size_t i = 0; i < table->n_columns; i++) {
                        size_t *w = &layout->widths[i], least = least_width(table, i, min, cuts_all);

                        if (*w > least && (!widest || *w > *widest))
                                widest = w;
                }
                if (!widest)
                        return;
                (*widest)--;
        }
}

/* Gives up what is worth least first: long names, then the margin, then the gaps, then whole names and
 * headings. */
static void fit(struct text_layout *layout, size_t max)
{
        cut_widths(layout, max, CUT_MIN_WIDTH, false);
        if (total_width(layout) > max)
                layout->margin = 0;
        if (total_width(layout) > max)
                layout->gap = 1;
        cut_widths(layout, max, NARROW_WIDTH, false);
        layout->cuts_all = total_width(layout) > max;
        if (layout->cuts_all)
                cut_widths(layout, max, LEAST_WIDTH, true);
}

static void pad(struct buf *out, size_t n)
{
        memset(buf_extend(out, n), ' ', n);
}

static void begin_line(struct text_layout *layout)
{
        layout->line_start = layout->out->len;
        layout->hang = 0;
        pad(layout->out, layout->margin);
}

static void end_line(struct text_layout *layout)
{
        struct buf *out = layout->out;

        while (out->len > layout->line_start && out->data[out->len - 1] == ' ')
                out->len--;
        buf_add_char(out, '\n');
}

static void add_cut(struct buf *out, const char *text, size_t width)
{
        size_t taken;

        buf_add(out, text, text_fitting_bytes(text, width - 3, &taken));
        buf_add_str(out, "...");
        pad(out, width - 3 - taken);
}

void table_add_cut(struct buf *out, const char *text, size_t max_columns)
{
        AUTO_RELEASE(buf) printable = {0};

        text_add_printable(&printable, text);
        if (text_width(buf_text(&printable)) > max_columns && max_columns > 3)
                add_cut(out, buf_text(&printable), max_columns);
        else
                buf_add(out, printable.data, printable.len);
}

/* The longest end of `text` that fits into `max` columns. */
static const char *fitting_end(const char *text, size_t max)
{
        size_t left = text_width(text), width;

        while (left > max) {
                size_t n = text_utf8_length((const unsigned char *)text);
                char first[8] = {0};

                memcpy(first, text, n ? n : 1);
                text_fitting_bytes(first, SIZE_MAX, &width);
                left -= width;
                text += n ? n : 1;
        }
        return text;
}

void table_add_middle(struct buf *out, const char *raw, size_t max_columns)
{
        size_t room = max_columns > 3 ? max_columns - 3 : 0, taken;
        AUTO_RELEASE(buf) printable = {0};
        const char *text;

        text_add_printable(&printable, raw);
        text = buf_text(&printable);
        if (text_width(text) <= max_columns || !room) {
                buf_add_str(out, text);
                return;
        }
        buf_add(out, text, text_fitting_bytes(text, (room + 1) / 2, &taken));
        buf_add_str(out, "...");
        buf_add_str(out, fitting_end(text, room - taken));
}

/* The beginning, the part at a position, and the end. */
static void add_pieces(struct buf *out, const char *text, const char *at, size_t max)
{
        size_t side = max / 4, head_width, width;
        size_t head = text_fitting_bytes(text, side, &head_width);
        const char *end = fitting_end(text, side);
        size_t room = max - 2 * strlen("...") - head_width - text_width(end);

        buf_add(out, text, head);
        buf_add_str(out, "...");
        buf_add(out, at, text_fitting_bytes(at, room, &width));
        buf_add_str(out, "...");
        buf_add_str(out, end);
}

void table_add_around(struct buf *out, const char *text, size_t at, size_t max_columns)
{
        enum { BEFORE = 4, MIN_PIECES = 24, MIN_END = 12 };
        size_t half = max_columns / 2, from = at > BEFORE ? at - BEFORE : 0;

        while (from && ((unsigned char)text[from] & 0xc0) == 0x80)
                from--;
        if (max_columns < MIN_END || at < half || text_width(text + from) <= half) {
                table_add_middle(out, text, max_columns);
        } else if (max_columns < MIN_PIECES) {
                buf_add_str(out, "...");
                table_add_cut(out, text + from, max_columns - 3);
        } else {
                add_pieces(out, text, text + from, max_columns);
        }
}

static void put(struct text_layout *layout, size_t column, const char *text)
{
        const struct column *c = &layout->table->columns[column];
        size_t hang = hang_of(c, text), room = layout->widths[column] + hang;
        size_t width = text_width(text);
        size_t blanks = width < room ? room - width : 0;

        if (column)
                pad(layout->out, layout->gap > layout->hang ? layout->gap - layout->hang : 0);
        layout->hang = hang;
        if (width > room && room > 3 && (c->can_cut || layout->cuts_all) && !layout->in_footer) {
                add_cut(layout->out, text, room);
                return;
        }
        if (is_right(c))
                pad(layout->out, blanks);
        buf_add_str(layout->out, text);
        if (!is_right(c))
                pad(layout->out, blanks);
}

static void add_headings(struct text_layout *layout)
{
        const struct table *table = layout->table;
        AUTO_RELEASE(buf) line = {0};

        begin_line(layout);
        for (size_t i = 0; i < table->n_columns; i++)
                put(layout, i, table->columns[i].name);
        end_line(layout);
        begin_line(layout);
        for (size_t i = 0; i < table->n_columns; i++) {
                size_t n = text_width(table->columns[i].name);

                n = layout->cuts_all && n > layout->widths[i] ? layout->widths[i] : n;
                buf_clear(&line);
                memset(buf_extend(&line, n), '=', n);
                put(layout, i, buf_text(&line));
        }
        end_line(layout);
}

static void add_rows(struct text_layout *layout)
{
        const struct table *table = layout->table;
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < table->n_cells; i++) {
                size_t column = i % table->n_columns;
                const struct table_cell *twin;

                if (!column)
                        begin_line(layout);
                buf_clear(&text);
                twin = layout->twins[column] ? layout->twins[column][i / table->n_columns] : NULL;
                format_cell(&table->columns[column], &table->cells[i], twin, layout->widths[column], &text);
                put(layout, column, buf_text(&text));
                if (table->is_colored && table->columns[column].is_share && !table->cells[i].is_none)
                        heat_color(layout->out, layout->out->len - text.len, text.len, table->cells[i].fixed);
                if (column + 1 == table->n_columns)
                        end_line(layout);
        }
}

static void add_footers(struct text_layout *layout)
{
        size_t n_columns = layout->table->n_columns;

        layout->in_footer = true;
        for (size_t i = 0; i < layout->table->n_footers; i++) {
                if (i % n_columns == 0)
                        begin_line(layout);
                put(layout, i % n_columns, layout->table->footers[i]);
                if ((i + 1) % n_columns == 0)
                        end_line(layout);
        }
}

/* For the columns of names that are narrower than in `full`. */
static void find_twins(struct text_layout *layout, const size_t *full)
{
        const struct table *table = layout->table;

        for (size_t i = 0; i < table->n_columns; i++) {
                if (table->columns[i].is_name && layout->widths[i] < full[i])
                        layout->twins[i] = table_find_twins(table, i, layout->widths[i]);
        }
}

void table_render_text(const struct table *table, unsigned max_columns, struct buf *out)
{
        struct text_layout layout = {.table = table, .out = out, .margin = MARGIN, .gap = GAP};
        size_t *full = mem_new(table->n_columns, sizeof(*full));

        assert(table->n_cells % table->n_columns == 0);
        layout.widths = mem_new(table->n_columns, sizeof(*layout.widths));
        layout.twins = mem_new(table->n_columns, sizeof(*layout.twins));
        measure(&layout);
        memcpy(full, layout.widths, table->n_columns * sizeof(*full));
        if (max_columns)
                fit(&layout, max_columns);
        find_twins(&layout, full);
        add_headings(&layout);
        add_rows(&layout);
        add_footers(&layout);
        for (size_t i = 0; i < table->n_columns; i++)
                free(layout.twins[i]);
        free(layout.twins);
        free(layout.widths);
        free(full);
}
