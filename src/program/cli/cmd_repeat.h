/* SPDX-License-Identifier: BSD-3-Clause */
/* record --repeat and --vs: records commands in turn, a session for each run. */
#ifndef CMD_REPEAT_H
#define CMD_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/* How one run of record ended. */
struct record_end {
        bool has_run;         /* the command was started and the session was written */
        bool was_interrupted; /* by a signal to wperf, such as Ctrl-C */
        uint64_t elapsed_ns, n_samples;
};

/* record or sample, once; returns the exit status. */
int cmd_record_once(const struct command_line *line, struct record_end *ret_end);

/* Records the runs of --repeat; returns the exit status of the first run that fails, which is the last
 * one. */
int cmd_record_repeat(const struct command_line *line);

#endif
