/* SPDX-License-Identifier: BSD-3-Clause */
/* `report --threads` and `--timeline`: samples over time, as text or as a document. */
#ifndef STRIP_OUTPUT_H
#define STRIP_OUTPUT_H

#include "cmd_output.h"
#include "report.h"
#include "strips.h"

struct strip_output {
        const struct report *report; /* with REPORT_SAMPLES */
        const struct general_options *general;
        const struct output_options *output;
        enum strips_by by;
        bool is_colored;
};

/* Prints or writes; returns the exit status. */
int strip_output_show(const struct strip_output *output);

#endif
