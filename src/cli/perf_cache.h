/* SPDX-License-Identifier: BSD-3-Clause */
/* Where perf keeps copies of the files that its sessions name, by build id. */
#ifndef PERF_CACHE_H
#define PERF_CACHE_H

#include <stdbool.h>

#include "buf.h"

/* Appends the folder: $PERF_BUILDID_DIR, else buildid.dir of ~/.perfconfig, else ~/.debug.  False when none is there. */
bool perf_cache_find(struct buf *out);

/* The value of buildid.dir in the text of a perfconfig, appended to `out`; false when it has none.  (For tests.) */
bool perf_cache_read_config(char *text, struct buf *out);

#endif
