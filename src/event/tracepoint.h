/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints, and probes that perf probe made, as tracefs lists them: SYSTEM:NAME. */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "event.h"

/* Appends a file of tracefs ("events/sched/sched_switch/format"), wherever that is mounted below /sys; false when it is not
 * there. */
bool tracepoint_read(const struct pmu_source *source, const char *file, struct buf *out);

/* The attribute's config of SYSTEM:NAME; false when tracefs does not list it. */
bool tracepoint_find(const struct pmu_source *source, const char *system, const char *name, uint64_t *ret_id);

/* The error for one that is not listed: no tracefs, no such system, or no such name in it, with the nearest one.  Always
 * returns false.  `column` is where the event stands in its text. */
bool tracepoint_explain(const struct pmu_source *source, const char *system, const char *name, size_t column,
                        struct err *err);

#endif
