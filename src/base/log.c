/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

static bool enabled;

void log_enable(bool on)
{
        enabled = on;
}

void log_debug(const char *fmt, ...)
{
        va_list args;

        if (!enabled)
                return;
        va_start(args, fmt);
        fputs("debug: ", stderr);
        vfprintf(stderr, fmt, args);
        fputc('\n', stderr);
        va_end(args);
}
