/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as one HTML file, with the code of the functions that differ. */
#ifndef DIFF_PAGE_OUTPUT_H
#define DIFF_PAGE_OUTPUT_H

#include "buf.h"
#include "comparison.h"
#include "err.h"
#include "measured_session.h"
#include "page_output.h"
#include "run_values.h"

struct diff_page_output {
        const struct calltree *tree; /* as of diff_tree_make(), like `before` */
        const double *before;
        const struct export_about *about; /* of the event of the first comparison */
        const struct run_values *values;
        const struct comparison *const *comparisons;
        size_t n_comparisons;
        const char *notes;
        const struct measured_session_request *request; /* how the sessions were read */
        bool rows_have_code;                            /* they are functions */
        const struct page_options *options;
        struct debuginfod *debuginfod;
};

/* Appends the document. */
bool diff_page_output_make(const struct diff_page_output *page, struct buf *out, struct err *err);

#endif
