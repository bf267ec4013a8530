/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes views of annotations, for `annotate` and for --annotate of record, sample and report. */
#ifndef ANNOTATE_OUTPUT_H
#define ANNOTATE_OUTPUT_H

#include "annotate_view.h"
#include "annotation.h"
#include "arena.h"
#include "report.h"

struct annotate_output {
        const struct report *report;
        struct annotation *annotation;
        bool is_colored;
        bool is_extended; /* --json-extended */
        unsigned max_columns;
        uint64_t max_rows;
        bool every_block;
        struct annotate_texts **texts; /* texts for each view */
        size_t n_texts, cap_texts;
        struct arena arena; /* names of the views */
};

void annotate_output_release(struct annotate_output *output);

/* The view of function `index`; valid as long as `output`. */
struct annotate_view annotate_output_view(struct annotate_output *output, size_t index);

/* Gives a view the points of a function, allocated in `arena`. */
void annotate_output_points(const struct annotate *annotate, struct annotate_view *view, struct arena *arena);

/* Fills in the texts that the view of function `index` requested. */
void annotate_output_fill(const struct annotate_output *output, size_t index,
                          const struct annotate_view *view);

/* The same for the whole profile of an event. */
struct annotate_view annotate_output_whole(const struct annotate_output *output, const struct annotate *whole,
                                           uint32_t event);

#endif
