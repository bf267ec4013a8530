/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#include "buf.h"
#include "text_printable.h"

static bool enabled;

void log_enable(bool on)
{
        enabled = on;
}

void log_debug(const char *fmt, ...)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) line = {0};
        va_list args;

        if (!enabled)
                return;
        va_start(args, fmt);
        buf_vprintf(&text, fmt, args);
        va_end(args);
        buf_add_str(&line, "debug: ");
        text_add_printable(&line, buf_text(&text));
        buf_add_char(&line, '\n');
        fwrite(line.data, 1, line.len, stderr);
}
