/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as a page or as a flame graph: of diff -o and check --html. */
#ifndef DIFF_PICTURE_H
#define DIFF_PICTURE_H

#include "comparison.h"
#include "diff_tree.h"
#include "err.h"

struct diff_picture {
        const struct diff_tree *trees; /* of both sides */
        const struct run_values *values;
        const struct comparison *const *comparisons; /* the flame graph is that of the first one */
        size_t n_comparisons;
        const char *notes;
        bool is_page;
};

/* Writes the file.  ERR_MISSING if B has no samples to draw. */
bool diff_picture_write(const struct diff_picture *picture, const char *path, struct err *err);

#endif
