/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes only cells that changed.  After a character whose width terminals disagree about it places the
 * cursor again, so that no other character is misplaced. */
#include <string.h>

#include "cells.h"

enum { SHORT_GAP = 4, WORTH_ERASING = 4 };

struct update {
        const struct cells *wanted;
        struct buf *out;
        enum cell_colors colors;
        bool knows_cursor, knows_style;
        unsigned row, column; /* of the cursor */
        struct cell_style style;
};

/* --- colours --- */

static unsigned red(cell_color c)
{
        return c >> 16 & 0xff;
}

static unsigned green(cell_color c)
{
        return c >> 8 & 0xff;
}

static unsigned blue(cell_color c)
{
        return c & 0xff;
}

/* Returns the nearest step of the cube of 6 x 6 x 6 colours; its steps are 0, 95, 135, 175, 215 and 255. */
static unsigned cube_step(unsigned value)
{
        return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static unsigned palette_256(cell_color c)
{
        unsigned most = red(c) > green(c) ? red(c) : green(c);
        unsigned least = red(c) < green(c) ? red(c) : green(c);

        most = blue(c) > most ? blue(c) : most;
        least = blue(c) < least ? blue(c) : least;
        if (most - least < 8 && most >= 8 && most < 248)
                return 232 + (most - 8) / 10;
        return 16 + 36 * cube_step(red(c)) + 6 * cube_step(green(c)) + cube_step(blue(c));
}

/* Returns 0 to 7, or 8 to 15 for a bright colour. */
static unsigned palette_16(cell_color c)
{
        unsigned most = red(c) > green(c) ? red(c) : green(c), half;

        most = blue(c) > most ? blue(c) : most;
        half = most / 2;
        if (most < 40)
                return 0;
        return (unsigned)(red(c) > half) | (unsigned)(green(c) > half) << 1 |
               (unsigned)(blue(c) > half) << 2 | (most > 200 ? 8 : 0);
}

static void add_color(const struct update *u, cell_color color, bool is_ground)
{
        unsigned at = is_ground ? 40 : 30, n;

        if (!color)
                return;
        switch (u->colors) {
        case CELL_COLORS_NONE: break;
        case CELL_COLORS_16:
                n = palette_16(color);
                buf_printf(u->out, ";%u", n < 8 ? at + n : at + 60 + n - 8);
                break;
        case CELL_COLORS_256: buf_printf(u->out, ";%u;5;%u", at + 8, palette_256(color)); break;
        case CELL_COLORS_TRUE:
                buf_printf(u->out, ";%u;2;%u;%u;%u", at + 8, red(color), green(color), blue(color));
                break;
        }
}

static bool same_style(const struct cell_style *a, const struct cell_style *b)
{
        return a->text == b->text && a->ground == b->ground && a->attributes == b->attributes;
}

static void set_style(struct update *u, const struct cell_style *style)
{
        static const struct {
                uint8_t bit;
                const char *code;
        } codes[] = {{CELL_BOLD, ";1"}, {CELL_DIM, ";2"}, {CELL_UNDERLINE, ";4"}, {CELL_REVERSE, ";7"}};

        if (u->knows_style && same_style(&u->style, style))
                return;
        buf_add_str(u->out, "\033[0");
        for (size_t i = 0; i < N_ELEMENTS(codes); i++) {
                if (style->attributes & codes[i].bit)
                        buf_add_str(u->out, codes[i].code);
        }
        add_color(u, style->text, false);
        add_color(u, style->ground, true);
        buf_add_char(u->out, 'm');
        u->style = *style;
        u->knows_style = true;
}

/* --- cells --- */

static bool same_cell(const struct cell *a, const struct cell *b)
{
        return a->len == b->len && a->width == b->width && !memcmp(a->text, b->text, a->len) &&
               (!a->width || same_style(&a->style, &b->style));
}

static bool is_plain_blank(const struct cell *cell)
{
        static const struct cell_style plain;

        return cell->len == 1 && *cell->text == ' ' && same_style(&cell->style, &plain);
}

static void move_to(struct update *u, unsigned row, unsigned column)
{
        if (u->knows_cursor && u->row == row && u->column == column)
                return;
        if (u->knows_cursor && u->row == row && column > u->column)
                buf_printf(u->out, "\033[%uC", column - u->column);
        else
                buf_printf(u->out, "\033[%u;%uH", row + 1, column + 1);
        u->row = row;
        u->column = column;
        u->knows_cursor = true;
}

static void write_cell(struct update *u, unsigned row, unsigned column, const struct cell *cell)
{
        move_to(u, row, column);
        set_style(u, &cell->style);
        buf_add(u->out, cell->text, cell->len);
        u->column += cell->width;
        /* After the last column the position of the cursor depends on the terminal; so does the width of a
         * wide or combined character. */
        if (u->column >= u->wanted->columns || cell->width != 1 || cell->len > 4)
                u->knows_cursor = false;
}

/* Returns the column from which on a row is blank. */
static unsigned end_of(const struct cell *cells, unsigned columns)
{
        while (columns && is_plain_blank(&cells[columns - 1]))
                columns--;
        return columns;
}

static void erase_rest(struct update *u, unsigned row, unsigned column)
{
        static const struct cell_style plain;

        move_to(u, row, column);
        set_style(u, &plain);
        buf_add_str(u->out, "\033[K");
}

/* Whether writing the cells from `from` to `to` again takes fewer bytes than moving the cursor. */
static bool is_short_gap(const struct update *u, const struct cell *row, unsigned from, unsigned to)
{
        if (to - from > SHORT_GAP)
                return false;
        for (; from < to; from++) {
                if (row[from].width != 1 || row[from].len != 1 || !same_style(&row[from].style, &u->style))
                        return false;
        }
        return true;
}

static void update_row(struct update *u, struct cell *old, unsigned row, bool anew)
{
        unsigned columns = u->wanted->columns;
        const struct cell *now = u->wanted->items + (size_t)row * columns;
        unsigned end = end_of(now, columns), old_end = anew ? columns : end_of(old, columns);
        bool erases = old_end > end + WORTH_ERASING;
        unsigned stop = erases ? end : columns;

        for (unsigned i = 0; i < stop; i++) {
                /* The second half of a wide character is written with the first. */
                if (!now[i].width || (!anew && same_cell(&old[i], &now[i]) &&
                                      (now[i].width < 2 || same_cell(&old[i + 1], &now[i + 1]))))
                        continue;
                if (u->knows_cursor && u->row == row && u->column < i && is_short_gap(u, now, u->column, i)) {
                        for (unsigned k = u->column; k < i; k++)
                                write_cell(u, row, k, &now[k]);
                }
                write_cell(u, row, i, &now[i]);
        }
        if (erases)
                erase_rest(u, row, end);
        memcpy(old, now, columns * sizeof(*now));
}

void cells_update(struct cells *shown, const struct cells *wanted, enum cell_colors colors, bool anew,
                  struct buf *out)
{
        struct update u = {.wanted = wanted, .out = out, .colors = colors};

        if (shown->columns != wanted->columns || shown->rows != wanted->rows) {
                cells_resize(shown, wanted->columns, wanted->rows);
                anew = true;
        }
        if (anew)
                buf_add_str(out, "\033[0m\033[2J");
        for (unsigned row = 0; row < wanted->rows; row++)
                update_row(&u, shown->items + (size_t)row * wanted->columns, row, anew);
        if (u.knows_style)
                buf_add_str(out, "\033[0m");
}
