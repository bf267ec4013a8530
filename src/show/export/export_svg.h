/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as a flame graph in one self-contained SVG file. */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

#include <stdbool.h>

#include "buf.h"
#include "calltree.h"
#include "export.h"

struct export_svg_options {
        bool upwards; /* the root is the lowest row; otherwise the highest */
        /* For a differential flame graph: what each node had before, callees included, in units of the
         * tree's weights.  Colours then show the difference instead of the kind of the function.  NULL: an
         * ordinary flame graph. */
        const double *before;
};

/* Widths are shares of the event's weight, or of the number of samples if no sample has a weight.  Frames
 * narrower than 0.1 pixel are left out, and the last line says how many.  If scripts run, the picture is as
 * wide as the window, a status line describes the frame under the pointer, there is a search field, and a
 * click on a frame makes it as wide as the picture; `#s=TEXT` after the address searches at once. */
void export_svg(const struct calltree *tree, const struct export_about *about,
                const struct export_svg_options *options, struct buf *out);

#endif
