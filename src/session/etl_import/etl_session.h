/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a session of an event-trace file of Windows: the same records that a recorder on Linux writes, so
 * that all that reads sessions reads these files too. */
#ifndef ETL_SESSION_H
#define ETL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* Whether bytes are the beginning of an event-trace file. */
bool etl_session_is(const void *bytes, size_t size);

/* Appends a perf.data file to `out`.  Times are those of the trace's clock, in ns.  `name` is for messages.
 * ERR_FORMAT: it is no event-trace file; ERR_MISSING: it has no samples; ERR_UNSUPPORTED: its buffers are
 * not packed by XPRESS.  What takes more than `limit` bytes is left out: images first, samples last, and
 * events at the end of the file; `source_is_short` of the run says so.  ERR_LIMIT: no sample fits. */
bool etl_session_make(const void *bytes, size_t size, const char *name, uint64_t limit, struct buf *out,
                      struct err *err);

/* The same, but a trace without samples becomes a session without samples. */
bool etl_session_make_any(const void *bytes, size_t size, const char *name, uint64_t limit, struct buf *out,
                          struct err *err);

#endif
