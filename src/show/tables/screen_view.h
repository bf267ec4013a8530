/* SPDX-License-Identifier: BSD-3-Clause */
/* What `record` and `sample` print on a terminal: at most three lines of heading, the Python functions, the
 * native functions, the next command, and the quality. */
#ifndef SCREEN_VIEW_H
#define SCREEN_VIEW_H

#include <stdbool.h>

#include "sample_view.h"

struct screen_view {
        const struct sample_view *sample; /* its rows and limits of width; not its trees and branches */
        const char *note;                 /* what was not measured as asked; NULL or "": nothing */
        bool was_interrupted;             /* Ctrl-C ended the measurement */
};

void screen_view_text(const struct screen_view *view, struct buf *out);

#endif
