/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrows from jumps to their targets, drawn beside a list of instructions. */
#ifndef ANNOTATE_ARROWS_H
#define ANNOTATE_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"

struct arrow {
        size_t from, to; /* rows */
};

struct arrows;

/* Gives each arrow a lane, short ones nearest to the text; one that finds none free of ARROWS_LANES is left out. */
enum { ARROWS_LANES = 6 };
struct arrows *arrows_new(const struct arrow *list, size_t n, size_t n_rows);
void arrows_free(struct arrows *arrows);

/* Columns that each row takes. */
size_t arrows_width(const struct arrows *arrows);

/* Appends that many columns. */
void arrows_add_row(const struct arrows *arrows, size_t row, struct buf *out);

/* For a row between two: what runs past it after `row`. */
void arrows_add_between(const struct arrows *arrows, size_t row, struct buf *out);

#endif
