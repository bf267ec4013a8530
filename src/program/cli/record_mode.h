/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time as an event: `-e wall`. */
#ifndef RECORD_MODE_H
#define RECORD_MODE_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

/* Appends the events of a list (or NULL) but for `wall`, which sets *ret_wall.  ERR_USAGE if `wall` has a
 * modifier or an interval. */
bool record_mode_take_wall(const char *events, struct buf *ret_events, bool *ret_wall, struct err *err);

#endif
