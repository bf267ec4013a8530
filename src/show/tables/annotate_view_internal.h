/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of the annotated view. */
#ifndef ANNOTATE_VIEW_INTERNAL_H
#define ANNOTATE_VIEW_INTERNAL_H

#include "annotate_view.h"

/* Percent of the function, and of all samples of the event. */
double annotate_view_share(const struct annotate_view *view, uint64_t weight);
double annotate_view_share_of_all(const struct annotate_view *view, uint64_t weight);

/* Its instructions, or addresses with samples if there is no code. */
static inline size_t annotate_view_n_points(const struct annotate_view *view)
{
        return view->annotate ? annotate_n_points(view->annotate) : 0;
}

static inline const struct annotate_point *annotate_view_point(const struct annotate_view *view, size_t index)
{
        return annotate_get_point(view->annotate, index);
}

/* Where a point is in the source: the innermost frame. */
struct annotate_source {
        const char *path; /* NULL: not known */
        uint32_t line;
        const char *inlined; /* the inlined function, "" if it has no name; NULL: not inlined */
};
struct annotate_source annotate_view_source_of(const struct annotate_view *view,
                                               const struct annotate_point *point);

/* "longobject.c:3404"; "unknown" without a path */
void annotate_view_place(const char *path, uint32_t line, struct buf *out);

/* A source line without tabs and control bytes. */
void annotate_view_source_text(const char *line, struct buf *out);

/* A row and its line feed, cut at the terminal's width, without blanks at its end. */
void annotate_view_add_cut(const struct annotate_view *view, const struct buf *row, struct buf *out);

#endif
