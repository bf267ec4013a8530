/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug log: off unless cli turns it on; the only output below cli. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

#include "attributes.h"

void log_enable(bool on);

/* One line on standard error, when enabled. */
void log_debug(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
