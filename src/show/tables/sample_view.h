/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of `sample`, `record` and `report` as text and as a document: heading, table, trees or
 * branches, and quality. */
#ifndef SAMPLE_VIEW_H
#define SAMPLE_VIEW_H

#include "branch_view.h"
#include "hot_view.h"
#include "python_view.h"
#include "report.h"
#include "tree_view.h"

/* How call trees are shown, in addition to the options of rows. */
struct sample_view_trees {
        bool are_wanted;
        bool is_inverted; /* callers below their callees */
        double min_percent;
        unsigned max_depth;
};

/* All data of the view; the pointers belong to the caller and outlive the calls. */
struct sample_view {
        const struct report *report; /* with its branches, if they were requested: they replace the table */
        struct hot_view hot;
        struct sample_view_trees trees; /* if requested, replace the table */
        struct python_view python;      /* follows the table or the trees */
        const char *pe_file, *pdb_file; /* as the user gave them, or NULL */
        const char *sampling_line;      /* "sampling ... done!" with its line feed, or NULL */
        const char *counts;             /* tables before those of the samples, or NULL */
        const char *session;            /* the session that was just written, or NULL */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

/* Says why there are no samples. */
void sample_view_add_no_samples(const struct report *report, struct buf *out);

enum sample_form { SAMPLE_TEXT, SAMPLE_JSON, SAMPLE_CSV };

/* A view in progress.  The caller passes the trees of events with samples one after the other, because
 * there may not be enough memory for all of them at a time. */
struct sample_page {
        const struct sample_view *view;
        enum sample_form form;
        struct buf *out;
        struct json *json, own;
};

void sample_page_begin(struct sample_page *page, const struct sample_view *view, enum sample_form form,
                       struct buf *out);

/* SAMPLE_JSON as a value inside another document, whose writer outlives the page. */
void sample_page_begin_inside(struct sample_page *page, const struct sample_view *view, struct json *json);
void sample_page_add_tree(struct sample_page *page, uint32_t event, const struct calltree *tree);
void sample_page_end(struct sample_page *page);

#endif
