/* SPDX-License-Identifier: BSD-3-Clause */
/* What `record`, `sample` and `report` have in common: a report in the form that the options ask for. */
#ifndef HOT_OUTPUT_H
#define HOT_OUTPUT_H

#include "cmd_output.h"
#include "report.h"
#include "row_keys.h"
#include "tree_output.h"

struct hot_output {
        struct report *report;
        const struct general_options *general;
        const struct output_options *output;
        const struct display_options *display;
        const char *pe_file, *pdb_file; /* or NULL */
        struct row_keys keys;           /* of --sort */
        struct tree_output tree;        /* how trees are shown, where the report has them */
        struct debuginfod *debuginfod;  /* asked for source files; NULL: nobody is */
        bool csv;
        const char *sampling_line; /* "sampling ... done!" with its line feed, or NULL */
        bool document_is_output;   /* -o names the document: always for report, by its name for record */
        bool is_colored;           /* the text */
        const char *session;       /* that was just written; NULL: none that lasts */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

/* Prints or writes; returns false after one sentence when that failed.  *ret_poor: the quality is poor. */
bool hot_output_show(const struct hot_output *output, bool *ret_poor);

#endif
