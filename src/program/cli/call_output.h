/* SPDX-License-Identifier: BSD-3-Clause */
/* `report --sort syscall` and `--sort lock`, as text, CSV or a document. */
#ifndef CALL_OUTPUT_H
#define CALL_OUTPUT_H

#include "cmd_output.h"
#include "report.h"

struct call_output {
        const struct syscall_rows *syscalls; /* NULL: the table is of these: */
        const struct lock_rows *locks;
        const struct quality *quality;
        const struct general_options *general;
        const struct output_options *output;
        uint64_t n_rows;
        bool csv;
};

/* Prints or writes; returns the exit status. */
int call_output_show(const struct call_output *output);

#endif
