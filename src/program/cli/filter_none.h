/* SPDX-License-Identifier: BSD-3-Clause */
/* The error message if no sample of a session passes a filter. */
#ifndef FILTER_NONE_H
#define FILTER_NONE_H

#include "filter_options.h"
#include "report.h"

/* If samples were filtered out and none is left, returns false; the error names the filter that matches
 * nothing and the values in the session.  Reads the session again for these; from standard input it can't,
 * and names only the filter.  ERR_MISSING. */
bool filter_none_check(const struct report *report, const struct report_request *request,
                       const struct filter_options *options, struct err *err);

#endif
