/* SPDX-License-Identifier: BSD-3-Clause */
/* `report --wakers`: who ended waits, as text or as a document. */
#ifndef WAKER_OUTPUT_H
#define WAKER_OUTPUT_H

#include "cmd_output.h"
#include "report.h"

struct waker_output {
        const struct report *report; /* with REPORT_WAKERS */
        const struct general_options *general;
        const struct output_options *output;
        uint64_t n_rows;
};

/* Prints or writes; returns the exit status. */
int waker_output_show(const struct waker_output *output);

#endif
