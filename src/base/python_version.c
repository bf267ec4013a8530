/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_version.h"

#include <string.h>

#include "text.h"
#include "text_match.h"

unsigned python_version_of_path(const char *path)
{
        enum { MAX_DIGITS = 2 };
        const char *at = text_base_name(path);
        unsigned minor = 0, n = 0;

        at += text_starts(at, "lib") ? strlen("lib") : 0;
        if (!text_starts_nocase(at, "python3"))
                return 0;
        at += strlen("python3");
        at += *at == '.';
        for (; n <= MAX_DIGITS && at[n] >= '0' && at[n] <= '9'; n++)
                minor = minor * 10 + (unsigned)(at[n] - '0');
        return n <= MAX_DIGITS ? minor : 0;
}
