/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sessions as runs of a comparison. */
#ifndef MEASURED_SESSION_H
#define MEASURED_SESSION_H

#include <stdbool.h>

#include "diff_tree.h"
#include "err.h"
#include "function_codes.h"
#include "report.h"
#include "run_values.h"
#include "shared_builds.h"

/* What the names of a run are. */
enum measured_by {
        MEASURED_FUNCTION,
        MEASURED_LINE,    /* source lines of native functions */
        MEASURED_STACK,   /* call paths, outermost function first, joined by ';' */
        MEASURED_HANDLER, /* bytecode handlers of an interpreter */
        MEASURED_PYTHON,  /* Python functions, by the samples in which they are the innermost Python frame */
};

struct measured_session_request {
        enum measured_by by;
        bool finds_inlined; /* with MEASURED_FUNCTION: also which functions are inlined */
        bool no_demangle;
        const char *name; /* what the run is called; NULL: the path of its session */
        const struct profile_filter *filter;
        const struct resolver_sources *sources;
        struct function_codes *codes; /* of all sessions of the comparison */
        /* Functions without names of these go by their addresses; NULL: none. */
        const struct shared_builds *builds;
        struct buf *warnings;    /* receives a line for each session of poor quality; NULL: not wanted */
        struct diff_tree *trees; /* receives the call tree of each event; NULL: no trees are made */
};

/* Whether the session was recorded with Python frames.  False if it can't be read: reading it says why. */
bool measured_session_has_python(const char *path, const struct resolver_sources *sources);

/* The report that a session of `request` is read from. */
struct report_request measured_session_report(const char *path,
                                              const struct measured_session_request *request);

/* Adds the session as a run of `side`.  ERR_MISSING if it has no samples, or no names of the requested
 * kind. */
bool measured_session_add(struct run_values *values, enum run_side side, const char *path,
                          const struct measured_session_request *request, struct err *err);

#endif
