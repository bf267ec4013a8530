/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a report for `record`, `sample` and `report`, in the form that the options select. */
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
        struct row_keys keys;           /* keys of --sort */
        struct tree_output tree;        /* how trees are shown, if the report has any */
        struct debuginfod *debuginfod;  /* used for source files; NULL: no server is asked */
        bool csv;
        const char *sampling_line; /* "sampling ... done!" with its line feed, or NULL */
        /* -o names the document: always for report; for record depending on its name */
        bool document_is_output;
        bool is_colored; /* for the text */
        bool is_screen;  /* the text is as in screen_view.h, and the next two are for it */
        const char *note;
        bool was_interrupted;
        const char *session; /* the session that was just written; NULL: none, or it is temporary */
        bool has_elapsed;
        uint64_t elapsed_ns;
        bool has_exit;
        int exit_status;
};

/* Prints or writes; if that fails, prints an error and returns false.  *ret_poor: the quality is poor. */
bool hot_output_show(const struct hot_output *output, bool *ret_poor);

#endif
