/* SPDX-License-Identifier: BSD-3-Clause */
/* The text and the JSON form of the view of samples. */
#ifndef SAMPLE_VIEW_INTERNAL_H
#define SAMPLE_VIEW_INTERNAL_H

#include "sample_view.h"

/* The document up to the trees, and from there on. */
void sample_view_begin_json(const struct sample_view *view, struct json *json);
void sample_view_end_json(const struct sample_view *view, struct json *json);

struct branch_view sample_view_branches(const struct sample_view *view);

#endif
