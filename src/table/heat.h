/* SPDX-License-Identifier: BSD-3-Clause */
/* The colour of a share on a terminal: red where much of the time goes, green where some does. */
#ifndef HEAT_H
#define HEAT_H

#include <stddef.h>

#include "buf.h"

/* Puts escape codes around the `len` bytes at `from`; leaves what is below half a percent as it is. */
void heat_color(struct buf *out, size_t from, size_t len, double percent);

#endif
