/* SPDX-License-Identifier: BSD-3-Clause */
/* What `annotate` and the --annotate of record, sample and report have in common: from an annotation to a view. */
#ifndef ANNOTATE_OUTPUT_H
#define ANNOTATE_OUTPUT_H

#include "annotate_view.h"
#include "annotation.h"
#include "report.h"

struct annotate_output {
        const struct report *report;
        struct annotation *annotation;
        size_t index; /* of the function whose view was made last */
        bool is_colored;
        bool is_extended; /* --json-extended */
        unsigned max_columns;
        uint64_t max_rows;
        bool every_block;
        bool disassemble; /* for the two below */
        struct buf name;  /* of the function whose view was made last */
};

/* The view of function `index`; valid until the next call. */
struct annotate_view annotate_output_view(struct annotate_output *output, size_t index);

/* The same for everything of an event. */
struct annotate_view annotate_output_whole(const struct annotate_output *output, const struct annotate *whole,
                                           uint32_t event);

/* For struct hot_view: `ctx` is a struct annotate_output. */
void annotate_output_add_text(void *ctx, uint32_t event, struct buf *out);
void annotate_output_add_json(void *ctx, uint32_t event, struct json *json);

#endif
