/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of stat --config. */
#ifndef COUNT_CONFIG_H
#define COUNT_CONFIG_H

#include <stdint.h>

#include "buf.h"

enum {
        COUNT_PERIOD_MS = 100,
        COUNT_PERIOD_MIN_MS = 10,
        COUNT_PERIOD_MAX_MS = 100,
};

/* Returns the period of the counter rotation, in milliseconds, that `config` (KEY=VALUE,...; may be NULL)
 * sets. A setting that is not accepted is not an error: a sentence is appended to `warnings`, one per
 * line. */
uint64_t count_config_period(const char *config, struct buf *warnings);

#endif
