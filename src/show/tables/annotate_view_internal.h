/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of the annotated view. */
#ifndef ANNOTATE_VIEW_INTERNAL_H
#define ANNOTATE_VIEW_INTERNAL_H

#include "annotate_view.h"

/* Percent of the function, and of all samples of the event. */
double annotate_view_share(const struct annotate_view *view, uint64_t weight);
double annotate_view_share_of_all(const struct annotate_view *view, uint64_t weight);

/* "longobject.c:3404"; "unknown" without a path */
void annotate_view_place(const char *path, uint32_t line, struct buf *out);

/* A source line without tabs and control bytes. */
void annotate_view_source_text(const char *line, struct buf *out);

/* A row and its line feed, cut at the terminal's width, without blanks at its end. */
void annotate_view_add_cut(const struct annotate_view *view, const struct buf *row, struct buf *out);

#endif
