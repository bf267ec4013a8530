/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the files of annotate. */
#ifndef ANNOTATE_INTERNAL_H
#define ANNOTATE_INTERNAL_H

#include "annotate.h"
#include "place_frames.h"
#include "resolver_code.h"

struct annotate {
        struct annotate_request request; /* for a function; otherwise only `resolver` is set */
        struct annotate_point *points;
        size_t n_points, cap_points;
        struct resolver_frames frames; /* for the points of a function */
        struct place_frames *places;   /* for the places of a session */
        uint64_t count, weight;
};

/* Maps points to the function's labels. */
struct handlers {
        struct resolver_label *labels;
        size_t n_labels;
        bool by_line;
};

void handlers_init(struct handlers *handlers, const struct annotate *annotate);
void handlers_release(struct handlers *handlers);

/* The label that a point belongs to; SIZE_MAX if it is before all labels. */
size_t handlers_find(const struct handlers *handlers, const struct annotate *annotate,
                     const struct annotate_point *point);

#endif
