/* SPDX-License-Identifier: BSD-3-Clause */
/* check --run: records COMMAND, in turn with that of --vs, into sessions of its own. */
#ifndef CHECK_RUNS_H
#define CHECK_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd_diff_options.h"
#include "compared_runs.h"

enum { CHECK_MIN_RUNS = 5, CHECK_DEFAULT_RUNS = 30, CHECK_BASELINE_RUNS = 10 };

struct check_runs;

/* `line` has the command.  ERR_USAGE. */
struct check_runs *check_runs_new(const struct command_line *line, const struct check_options *options,
                                  struct err *err);
void check_runs_free(struct check_runs *runs); /* removes the sessions */
AUTO_DEFINE(check_runs)

/* How often the runs are judged at most. */
size_t check_runs_n_looks(const struct check_runs *runs);

/* Records until the next look; *ret_more is false if it is the last one.  ERR_MISSING with the reason if a
 * command fails or is interrupted. */
bool check_runs_next(struct check_runs *runs, bool *ret_more, struct err *err);

/* What was recorded, until the next call of check_runs_next(). */
struct compared_paths check_runs_paths(const struct check_runs *runs);

/* Why CPU time is measured, though counts were asked for; NULL: it is not. */
const char *check_runs_instead(const struct check_runs *runs);

#endif
