/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs measured as a JSON document, so that later runs can be compared without the sessions of the
 * earlier ones. */
#ifndef BASELINE_H
#define BASELINE_H

#include "buf.h"
#include "err.h"
#include "run_values.h"

enum {
        BASELINE_VERSION = 1,
        BASELINE_MAX_BYTES = 256 << 20,
        BASELINE_MAX_RUNS = 10000,
        BASELINE_MAX_NAMES = 1 << 20,
        BASELINE_MAX_CELLS = 1 << 24, /* names times runs times events */
        BASELINE_MAX_EVENTS = 1 << 12,
        BASELINE_MAX_EVENT_CELLS =
                1 << 22,              /* events times runs: a run has a place for each event up to its last */
        BASELINE_MAX_FACTS = 1 << 10, /* different ones */
};

/* Writes the runs of A. */
void baseline_write(const struct run_values *values, struct buf *out);

/* Adds the runs of the document as runs of A.  ERR_FORMAT with the position. */
bool baseline_read(struct run_values *values, const void *bytes, size_t size, struct err *err);

#endif
