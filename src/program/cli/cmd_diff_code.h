/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CMD_DIFF_CODE_H
#define CMD_DIFF_CODE_H

#include "cmd_diff_options.h"

/* diff --code.  `pids` are those of the filter.  Returns the exit status. */
int cmd_diff_code(const struct command_line *line, const int32_t *pids);

#endif
