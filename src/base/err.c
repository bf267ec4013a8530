/* SPDX-License-Identifier: BSD-3-Clause */
/* Formats error records.  Long texts are cut at the end, so that the context at the beginning stays. */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_text(struct err *err, const char *fmt, va_list args)
{
        vsnprintf(err->text, sizeof(err->text), fmt, args);
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
        va_list args;

        if (!err)
                return false;
        err->code = code;
        err->os = 0;
        va_start(args, fmt);
        format_text(err, fmt, args);
        va_end(args);
        return false;
}

bool err_os(struct err *err, enum err_code code, int32_t os, const char *fmt, ...)
{
        va_list args;
        size_t len;

        if (!err)
                return false;
        err->code = code;
        err->os = os;
        va_start(args, fmt);
        format_text(err, fmt, args);
        va_end(args);
        len = strlen(err->text);
        snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(os));
        return false;
}

bool err_in(struct err *err, const char *fmt, ...)
{
        char old[sizeof(err->text)];
        va_list args;
        size_t len;

        if (!err)
                return false;
        memcpy(old, err->text, sizeof(old));
        va_start(args, fmt);
        format_text(err, fmt, args);
        va_end(args);
        len = strlen(err->text);
        snprintf(err->text + len, sizeof(err->text) - len, ": %.*s", (int)sizeof(old) - 1, old);
        return false;
}

const char *err_code_text(enum err_code code)
{
        static const char *const texts[] = {
#define ERR_TEXT(code, text) [ERR_##code] = text,
                ERR_CODES(ERR_TEXT)
#undef ERR_TEXT
        };

        if ((size_t)code >= N_ELEMENTS(texts))
                return "unknown error";
        return texts[code];
}
