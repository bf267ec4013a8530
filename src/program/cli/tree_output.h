/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a call tree, which report and export share. */
#ifndef TREE_OUTPUT_H
#define TREE_OUTPUT_H

#include "option_groups.h"
#include "report.h"

struct tree_options {
        bool stacks; /* -g */
        /* --call-graph, or the word after -g: caller, callee, none, or perf's longer forms; or NULL */
        const char *how;
        const char *min_percent; /* or NULL */
        uint64_t max_depth;      /* 0: no limit */
        bool callers;            /* -G */
        bool children, no_children, no_inlines;
        bool lines; /* of Python functions */
};

extern const struct option_group tree_group;

struct tree_output {
        bool is_wanted, is_inverted;
        double min_percent;
        unsigned max_depth;
        bool no_inlines;
};

/* Whether `word` is a form of a call tree: "caller", "graph,0.5,callee". */
bool tree_output_is_word(const char *word);

/* ERR_USAGE for unknown words and invalid numbers. */
bool tree_output_init(const struct tree_options *options, struct tree_output *ret, struct err *err);

/* Adds a sentence if the session has no stacks for a tree, or no Python frames if only these are asked for.
 */
void tree_output_note_missing(const struct report *report, enum stacks_python python, struct buf *note);

#endif
