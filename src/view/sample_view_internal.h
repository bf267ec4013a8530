/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of the view of samples. */
#ifndef SAMPLE_VIEW_INTERNAL_H
#define SAMPLE_VIEW_INTERNAL_H

#include "sample_view.h"

/* The whole document, with a line feed. */
void sample_view_json(const struct sample_view *view, struct buf *out);

struct branch_view sample_view_branches(const struct sample_view *view);

#endif
