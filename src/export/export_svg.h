/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as a flame graph: one SVG file that needs nothing else. */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

#include <stdbool.h>

#include "buf.h"
#include "calltree.h"
#include "export.h"

struct export_svg_options {
        bool upwards; /* the root is the lowest row, else the highest */
};

/* Widths are shares of the event's weight, or of the number of samples where no sample has a weight.  What is narrower than
 * 0.1 pixel is left out, and the last line says how much that was.  Where scripts run the picture is as wide as the window, the
 * frame under the pointer is told in a status line, there is a search field, and a click on a frame makes it as wide as the
 * picture; `#s=TEXT` behind the address searches at once. */
void export_svg(const struct calltree *tree, const struct export_about *about,
                const struct export_svg_options *options, struct buf *out);

#endif
