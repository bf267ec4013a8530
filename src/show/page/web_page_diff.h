/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as one HTML file: the verdicts of its rows, and the call trees of B and of A as two events of
 * one profile, whose colours show the difference. */
#ifndef WEB_PAGE_DIFF_H
#define WEB_PAGE_DIFF_H

#include "calltree.h"
#include "code_diff_view.h"
#include "comparison.h"
#include "web_page.h"

struct web_page_diff {
        const struct calltree *tree; /* as of diff_tree_make(), like `before` */
        const double *before;
        const struct export_about *about; /* of the event of the tree */
        const struct comparison *const *comparisons;
        size_t n_comparisons;
        const struct code_diff_view *code; /* of the functions whose code is shown */
        const struct web_page_fact *facts;
        size_t n_facts;
};

/* Appends the document. */
bool web_page_diff_write(const struct web_page_diff *diff, struct buf *out, struct err *err);

#endif
