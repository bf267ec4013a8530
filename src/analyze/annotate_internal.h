/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of annotate share. */
#ifndef ANNOTATE_INTERNAL_H
#define ANNOTATE_INTERNAL_H

#include "annotate.h"
#include "place_frames.h"

struct annotate {
        struct annotate_request request; /* of a function; else only `resolver` is set */
        struct annotate_point *points;
        size_t n_points, cap_points;
        struct resolver_frames frames; /* of a function's points */
        struct place_frames *places;   /* of a session's */
        uint64_t count, weight;
};

/* Where a function's labels send its points. */
struct handlers {
        struct resolver_label *labels;
        size_t n_labels;
        bool by_line;
};

void handlers_init(struct handlers *handlers, const struct annotate *annotate);
void handlers_release(struct handlers *handlers);

/* The label that a point belongs to, SIZE_MAX: it is before all of them. */
size_t handlers_find(const struct handlers *handlers, const struct annotate *annotate,
                     const struct annotate_point *point);

#endif
