/* SPDX-License-Identifier: BSD-3-Clause */
/* `report --group-by`: samples by groups of functions. */
#ifndef GROUP_OUTPUT_H
#define GROUP_OUTPUT_H

#include "cmd_output.h"
#include "name_groups.h"
#include "report.h"

struct group_output {
        const struct report *report; /* with rows by module and symbol */
        const struct name_groups *groups;
        const struct general_options *general;
        const struct output_options *output;
        bool csv;
        bool is_colored;
};

/* Prints or writes; returns the exit status. */
int group_output_show(const struct group_output *output);

#endif
