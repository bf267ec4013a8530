/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of --config. */
#ifndef COUNT_CONFIG_H
#define COUNT_CONFIG_H

#include <stdint.h>

#include "buf.h"

enum {
        COUNT_PERIOD_MS = 100,
        COUNT_PERIOD_MIN_MS = 10,
        COUNT_PERIOD_MAX_MS = 100,
};

/* The milliseconds between two changes of counters that `config` (KEY=VALUE,...; may be NULL) asks for.  What is not taken is
 * no failure: a sentence is appended to `warnings`, one a line. */
uint64_t count_config_period(const char *config, struct buf *warnings);

#endif
