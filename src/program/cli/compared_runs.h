/* SPDX-License-Identifier: BSD-3-Clause */
/* The sessions of a command line that compares runs. */
#ifndef COMPARED_RUNS_H
#define COMPARED_RUNS_H

#include <stddef.h>

#include "err.h"
#include "measured_session.h"
#include "options.h"
#include "run_values.h"

struct compared_paths {
        char *const *paths[RUN_N_SIDES];
        char *const *names[RUN_N_SIDES]; /* what errors and pages call the runs; NULL: their paths */
        size_t n[RUN_N_SIDES];
};

/* A.data... -- B.data..., or two sessions.  ERR_USAGE. */
bool compared_paths_split(const struct command_line *line, struct compared_paths *ret, struct err *err);

/* All sessions are of one side. */
bool compared_paths_all(const struct command_line *line, enum run_side side, struct compared_paths *ret,
                        struct err *err);

/* ERR_USAGE if the output `name` of `option` is one of the sessions. */
bool compared_paths_spare(const struct compared_paths *paths, const char *option, const char *prefix,
                          const char *name, struct err *err);

/* Whether all sessions can be opened: to be asked before the first one is read, which may take long.  Adds
 * their builds to `builds`; NULL: not wanted. */
bool compared_runs_can_open(const struct compared_paths *paths, const struct resolver_sources *sources,
                            struct shared_builds *builds, struct err *err);

/* Reads the sessions of a side that `values` does not have yet.  Adds 1 to *n_read, atomically, after each;
 * NULL: not wanted. */
bool compared_runs_read(struct run_values *values, const struct compared_paths *paths, enum run_side side,
                        const struct measured_session_request *request, size_t *n_read, struct err *err);

/* Ends the values of the sessions, by function, which were read by `request`; functions of another name in B
 * are found in sessions of both sides. */
void compared_runs_finish(struct run_values *values, const struct compared_paths *paths,
                          const struct measured_session_request *request);

/* Whether the first session of each side has Python frames. */
bool compared_runs_have_python(const struct compared_paths *paths, const struct resolver_sources *sources);

/* Refuses runs of which some have wall time and others CPU time, and what run_facts_check() refuses. */
bool compared_runs_check(const struct run_values *values, struct err *err);

#endif
