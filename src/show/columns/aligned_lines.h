/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of cells that stand below each other, without a frame: for screens whose blocks share their
 * columns. */
#ifndef ALIGNED_LINES_H
#define ALIGNED_LINES_H

#include <stddef.h>

#include "buf.h"
#include "text_code.h"

struct aligned_lines;

/* A letter for each column: 'l' aligns to the left, 'r' to the right, 'n' is a name, whose middle is left out
 * where the line would be wider than the screen. */
struct aligned_lines *aligned_lines_new(const char *columns);
void aligned_lines_free(struct aligned_lines *lines);
AUTO_DEFINE(aligned_lines)

/* A cell for each column; texts are copied, and control characters become visible. */
void aligned_lines_add(struct aligned_lines *lines, const char *const *cells);
/* Gives the last line a colour. */
void aligned_lines_color(struct aligned_lines *lines, enum text_code color);
void aligned_lines_add_blank(struct aligned_lines *lines);

/* `max_columns` 0: no limit. */
void aligned_lines_render(const struct aligned_lines *lines, unsigned max_columns, struct buf *out);

#endif
