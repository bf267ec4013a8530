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
        struct arena arena; /* names and texts of the views */
};

void annotate_output_release(struct annotate_output *output);

/* The view of function `index`; valid as long as `output`. */
struct annotate_view annotate_output_view(struct annotate_output *output, size_t index);

/* The same for the whole profile of an event. */
struct annotate_view annotate_output_whole(const struct annotate_output *output, const struct annotate *whole,
                                           uint32_t event);

#endif
