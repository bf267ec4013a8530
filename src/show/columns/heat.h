/* SPDX-License-Identifier: BSD-3-Clause */
/* The level of a share, and its colour on a terminal: red for large shares, green for medium ones. */
#ifndef HEAT_H
#define HEAT_H

#include <stddef.h>

#include "buf.h"

enum heat {
        HEAT_LOW,    /* no colour */
        HEAT_MEDIUM, /* green */
        HEAT_HIGH,   /* red */
};

/* The level of a share in percent. */
enum heat heat_of(double percent);

/* Puts escape codes around the `len` bytes at `from`; no change for shares of HEAT_LOW. */
void heat_color(struct buf *out, size_t from, size_t len, double percent);

#endif
