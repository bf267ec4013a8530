/* SPDX-License-Identifier: BSD-3-Clause */
/* A terminal as a grid of cells, and the escape codes that change one grid into another.  Does not use a
 * terminal. */
#ifndef CELLS_H
#define CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"

enum { CELLS_MAX_COLUMNS = 1000, CELLS_MAX_ROWS = 500 };

/* 0 for the terminal's default; else CELL_RGB | red << 16 | green << 8 | blue.  A terminal with fewer
 * colours shows the nearest one. */
typedef uint32_t cell_color;
#define CELL_RGB 0x1000000u

enum cell_attribute {
        CELL_BOLD = 1,
        CELL_DIM = 2,
        CELL_UNDERLINE = 4,
        CELL_REVERSE = 8,
};

struct cell_style {
        cell_color text, ground;
        uint8_t attributes; /* a set of enum cell_attribute */
};

enum { CELL_BYTES = 14 };

struct cell {
        char text[CELL_BYTES]; /* UTF-8: a character and its combining marks */
        uint8_t len;
        uint8_t width; /* 1 or 2; 0 for the right half of the cell before */
        struct cell_style style;
};

struct cells {
        unsigned columns, rows;
        struct cell *items; /* row by row */
};

/* A zero-initialised grid has no cells.  A new size, limited by the maxima above, blanks all cells. */
void cells_resize(struct cells *cells, unsigned columns, unsigned rows);
void cells_release(struct cells *cells);

void cells_clear(struct cells *cells);

/* Puts text into a row from `column` on, at most `max_columns` of it; clips the rest.  Shows control
 * characters as text_add_printable() does.  Returns the columns of the text, including those outside of the
 * grid. */
unsigned cells_put(struct cells *cells, unsigned row, unsigned column, unsigned max_columns,
                   struct cell_style style, const char *text);

/* Puts blanks in this style. */
void cells_fill(struct cells *cells, unsigned row, unsigned column, unsigned columns,
                struct cell_style style);

/* Changes the colours that `style` has, and adds its attributes. */
void cells_restyle(struct cells *cells, unsigned row, unsigned column, unsigned columns,
                   struct cell_style style);

/* Appends the text of a row, without the blanks at its end. */
void cells_add_text(const struct cells *cells, unsigned row, struct buf *out);

enum cell_colors {
        CELL_COLORS_NONE, /* attributes only */
        CELL_COLORS_16,
        CELL_COLORS_256,
        CELL_COLORS_TRUE,
};

/* Appends the escape codes that change a terminal from `shown` to `wanted`, and copies `wanted` to `shown`.
 * Draws everything if the sizes differ, or with `anew`. */
void cells_update(struct cells *shown, const struct cells *wanted, enum cell_colors colors, bool anew,
                  struct buf *out);

#endif
