/* SPDX-License-Identifier: BSD-3-Clause */
/* The counts that WindowsPerf shows with samples of Arm SPE. A session has the number of samples that
 * passed the filters; the other three are not known. */
#ifndef SPE_OUTPUT_H
#define SPE_OUTPUT_H

#include "arena.h"
#include "report.h"
#include "stat_view.h"

struct spe_output {
        struct arena arena;
        struct sheet sheet;
        struct stat_view view;
};

/* `is_text`: one table, of the core or of all cores together. Otherwise a table for each core, too. */
void spe_output_init(struct spe_output *output, const struct report *report, bool is_text);
void spe_output_release(struct spe_output *output);

#endif
