/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder in which perf keeps copies of files by build id. */
#ifndef PERF_CACHE_H
#define PERF_CACHE_H

#include <stdbool.h>

#include "buf.h"

/* Appends the folder: $PERF_BUILDID_DIR, else buildid.dir of ~/.perfconfig, else ~/.debug.  False if it
 * does not exist. */
bool perf_cache_find(struct buf *out);

/* Appends the value of buildid.dir in the text of a perfconfig to `out`; false if it has none.  (For
 * tests.) */
bool perf_cache_read_config(char *text, struct buf *out);

#endif
