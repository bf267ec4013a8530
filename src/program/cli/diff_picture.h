/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as a page or as a flame graph: of diff -o and check --html. */
#ifndef DIFF_PICTURE_H
#define DIFF_PICTURE_H

#include "comparison.h"
#include "diff_tree.h"
#include "err.h"
#include "measured_session.h"
#include "page_output.h"

struct diff_picture {
        const struct diff_tree *trees; /* of both sides */
        const struct run_values *values;
        const struct comparison *const *comparisons; /* the flame graph is that of the first one */
        size_t n_comparisons;
        const char *notes;
        bool is_page; /* and then, as in struct diff_page_output: */
        const struct measured_session_request *request;
        bool rows_have_code;
        const struct page_options *options;
        struct debuginfod *debuginfod;
};

/* Writes the file.  ERR_MISSING if B has no samples to draw. */
bool diff_picture_write(const struct diff_picture *picture, const char *path, struct err *err);

#endif
