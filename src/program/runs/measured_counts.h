/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sessions of stat as runs of a comparison: they have totals, and no rows. */
#ifndef MEASURED_COUNTS_H
#define MEASURED_COUNTS_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "perfdata_reader.h"
#include "run_values.h"

/* Adds the session as a run of `side` that is called `name`.  Events that were not counted are left out;
 * `warnings` (NULL: not wanted) receives a line if one was counted for less than half of the time.
 * ERR_MISSING if it has no counts. */
bool measured_counts_add(struct run_values *values, enum run_side side, const char *name,
                         struct perfdata_reader *reader, struct buf *warnings, struct err *err);

#endif
