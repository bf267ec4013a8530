/* SPDX-License-Identifier: BSD-3-Clause */
/* The text and the JSON form of the view of samples. */
#ifndef SAMPLE_VIEW_INTERNAL_H
#define SAMPLE_VIEW_INTERNAL_H

#include "sample_view.h"

/* The document up to the trees, and from there on. */
void sample_view_begin_json(const struct sample_view *view, struct json *json);
void sample_view_end_json(const struct sample_view *view, struct json *json);

/* Whether there is neither a sample nor time without one. */
bool sample_view_is_empty(const struct sample_view *view);

/* The times by state, with an empty line; nothing without --wall. */
void sample_view_add_wall(const struct sample_view *view, struct buf *out);

/* Whether the program did not run for most of the time, and it was not recorded why. */
bool sample_view_waits(const struct sample_view *view);

struct branch_view sample_view_branches(const struct sample_view *view);

#endif
