/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrows from jumps to their targets, drawn next to a list of instructions. */
#ifndef ANNOTATE_ARROWS_H
#define ANNOTATE_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct arrow {
        size_t from, to; /* rows */
};

struct arrows;

/* Gives each arrow a lane, short arrows nearest to the text.  An arrow that finds none of the ARROWS_LANES
 * free is left out. */
enum { ARROWS_LANES = 6 };
struct arrows *arrows_new(const struct arrow *list, size_t n, size_t n_rows);
void arrows_free(struct arrows *arrows);

/* Number of columns in each row. */
size_t arrows_width(const struct arrows *arrows);

/* Appends that many columns. */
void arrows_add_row(const struct arrows *arrows, size_t row, struct buf *out);

/* For a row between two: draws the arrows that continue after `row`. */
void arrows_add_between(const struct arrows *arrows, size_t row, struct buf *out);

#endif
