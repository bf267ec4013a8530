/* SPDX-License-Identifier: BSD-3-Clause */
/* `report --mem`: accesses to memory, as text, CSV or a document. */
#ifndef ACCESS_OUTPUT_H
#define ACCESS_OUTPUT_H

#include "access_view.h"
#include "arena.h"
#include "cmd_output.h"
#include "report.h"
#include "row_keys.h"

struct access_output {
        struct report *report; /* with REPORT_ACCESSES */
        const struct general_options *general;
        const struct output_options *output;
        const struct display_options *display;
        struct row_keys keys; /* keys of code */
        unsigned access_keys; /* enum access_key */
        bool inlines;         /* as in hot_new() */
        bool csv, describe;
        bool is_colored;
};

/* The events of a report with REPORT_ACCESSES, for a view. */
struct access_view_event *access_output_events(const struct report *report, struct arena *arena);

/* Prints or writes; returns the exit status. */
int access_output_show(const struct access_output *output);

#endif
