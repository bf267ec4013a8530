/* SPDX-License-Identifier: BSD-3-Clause */
#include "cells.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text_printable.h"
#include "text_width.h"

static const struct cell blank = {.text = " ", .len = 1, .width = 1};

void cells_resize(struct cells *cells, unsigned columns, unsigned rows)
{
        columns = columns > CELLS_MAX_COLUMNS ? CELLS_MAX_COLUMNS : columns;
        rows = rows > CELLS_MAX_ROWS ? CELLS_MAX_ROWS : rows;
        free(cells->items);
        cells->items = mem_new((size_t)columns * rows, sizeof(*cells->items));
        cells->columns = columns;
        cells->rows = rows;
        cells_clear(cells);
}

void cells_release(struct cells *cells)
{
        free(cells->items);
        *cells = (struct cells){0};
}

void cells_clear(struct cells *cells)
{
        for (size_t i = 0; i < (size_t)cells->columns * cells->rows; i++)
                cells->items[i] = blank;
}

static struct cell *cell_at(struct cells *cells, unsigned row, unsigned column)
{
        assert(row < cells->rows && column < cells->columns);
        return &cells->items[(size_t)row * cells->columns + column];
}

static void blank_cell(struct cell *cell)
{
        struct cell_style style = cell->style;

        *cell = blank;
        cell->style = style;
}

/* Blanks the other half of a wide character before one half is overwritten. */
static void free_cell(struct cells *cells, unsigned row, unsigned column)
{
        struct cell *cell = cell_at(cells, row, column);

        if (!cell->width && column)
                blank_cell(cell - 1);
        if (cell->width == 2 && column + 1 < cells->columns)
                blank_cell(cell + 1);
}

static void put_character(struct cells *cells, unsigned row, unsigned column, struct cell_style style,
                          const char *bytes, size_t len, unsigned width)
{
        struct cell *cell;

        if (row >= cells->rows || column + width > cells->columns)
                return;
        for (unsigned i = 0; i < width; i++)
                free_cell(cells, row, column + i);
        cell = cell_at(cells, row, column);
        *cell = (struct cell){.len = (uint8_t)len, .width = (uint8_t)width, .style = style};
        memcpy(cell->text, bytes, len);
        if (width == 2)
                cell[1] = (struct cell){.style = style};
}

/* Adds a combining mark to the character before it; drops the mark if the cell is full. */
static void join_mark(struct cells *cells, unsigned row, unsigned column, const char *bytes, size_t len)
{
        struct cell *cell;

        if (row >= cells->rows || !column || column > cells->columns)
                return;
        cell = cell_at(cells, row, column - 1);
        if (!cell->width && column > 1)
                cell--;
        if (cell->len + len > sizeof(cell->text))
                return;
        memcpy(cell->text + cell->len, bytes, len);
        cell->len = (uint8_t)(cell->len + len);
}

unsigned cells_put(struct cells *cells, unsigned row, unsigned column, unsigned max_columns,
                   struct cell_style style, const char *text)
{
        AUTO_RELEASE(buf) plain = {0};
        const unsigned char *at;
        unsigned taken = 0;

        text_add_printable(&plain, text);
        at = (const unsigned char *)buf_text(&plain);
        while (*at) {
                size_t n = text_utf8_length(at);
                unsigned width = n ? (unsigned)text_char_width(text_utf8_code(at)) : 1;

                if (taken + width > max_columns)
                        break;
                if (width)
                        put_character(cells, row, column + taken, style, n ? (const char *)at : "?",
                                      n ? n : 1, width);
                else if (taken)
                        join_mark(cells, row, column + taken, (const char *)at, n);
                taken += width;
                at += n ? n : 1;
        }
        return taken;
}

void cells_fill(struct cells *cells, unsigned row, unsigned column, unsigned columns, struct cell_style style)
{
        for (unsigned i = 0; i < columns && column + i < cells->columns; i++)
                put_character(cells, row, column + i, style, " ", 1, 1);
}

void cells_restyle(struct cells *cells, unsigned row, unsigned column, unsigned columns,
                   struct cell_style style)
{
        for (unsigned i = 0; row < cells->rows && i < columns && column + i < cells->columns; i++) {
                struct cell_style *old = &cell_at(cells, row, column + i)->style;

                old->text = style.text ? style.text : old->text;
                old->ground = style.ground ? style.ground : old->ground;
                old->attributes |= style.attributes;
        }
}

void cells_add_text(const struct cells *cells, unsigned row, struct buf *out)
{
        size_t before = out->len, end = before;

        for (unsigned i = 0; row < cells->rows && i < cells->columns; i++) {
                const struct cell *cell = &cells->items[(size_t)row * cells->columns + i];

                buf_add(out, cell->text, cell->len);
                if (cell->width && (cell->len != 1 || cell->text[0] != ' '))
                        end = out->len;
        }
        buf_truncate(out, end);
}
