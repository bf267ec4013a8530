/* SPDX-License-Identifier: BSD-3-Clause */
/* What to say when a filter lets no sample of a session pass. */
#ifndef FILTER_NONE_H
#define FILTER_NONE_H

#include "filter_options.h"
#include "report.h"

/* False, with the filter that matches nothing and what the session has instead, when samples were left out and none is left.
 * The session is read again for that; of standard input only the filter is told.  ERR_MISSING. */
bool filter_none_check(const struct report *report, const struct report_request *request,
                       const struct filter_options *options, struct err *err);

#endif
