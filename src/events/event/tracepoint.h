/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracepoints, and probes made by perf probe, as tracefs lists them: SYSTEM:NAME. */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "event.h"

/* Appends a file of tracefs ("events/sched/sched_switch/format"), which may be mounted in several places
 * below /sys; false if it can't be read. */
bool tracepoint_read(const struct pmu_source *source, const char *file, struct buf *out);

/* Sets *ret_id to the attribute's config of SYSTEM:NAME; false if tracefs does not list it. */
bool tracepoint_find(const struct pmu_source *source, const char *system, const char *name, uint64_t *ret_id);

/* Sets the error for a tracepoint that is not listed: no tracefs, no such system, or no such name in it, with
 * the nearest name. `column` is the event's column in its text. Always returns false. */
bool tracepoint_explain(const struct pmu_source *source, const char *system, const char *name, size_t column,
                        struct err *err);

#endif
