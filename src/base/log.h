/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug log: off unless cli turns it on. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

#include "attributes.h"

void log_enable(bool on);

/* Prints one line on standard error, if enabled. */
void log_debug(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
