/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_warnings.h"

#include <stdbool.h>
#include <string.h>

static const char *skip_number(const char *at)
{
        return at + strspn(at, "0123456789.,");
}

static const char *reason_of(const char *line)
{
        const char *found = strstr(line, ": ");

        return found ? found : line;
}

static bool is_end(const char *at)
{
        return !*at || *at == '\n';
}

/* Without their numbers, up to the end of the line. */
static bool is_same_reason(const char *a, const char *b)
{
        for (;; a++, b++) {
                a = skip_number(a);
                b = skip_number(b);
                if (is_end(a) || is_end(b))
                        return is_end(a) && is_end(b);
                if (*a != *b)
                        return false;
        }
}

static bool is_same_line(const char *a, const char *b)
{
        size_t n = strcspn(a, "\n");

        return n == strcspn(b, "\n") && !strncmp(a, b, n);
}

static const char *next_line(const char *line)
{
        line += strcspn(line, "\n");
        return *line ? line + 1 : line;
}

void session_warnings_fold(const struct buf *warnings, struct buf *out)
{
        const char *start = buf_text(warnings);

        for (const char *line = start; *line; line = next_line(line)) {
                const char *reason = reason_of(line), *other = start;
                bool has_other_numbers = false;
                size_t n = 0;

                while (other < line && !is_same_reason(reason_of(other), reason))
                        other = next_line(other);
                if (other < line)
                        continue;
                for (other = next_line(line); *other; other = next_line(other)) {
                        if (!is_same_reason(reason_of(other), reason))
                                continue;
                        n++;
                        has_other_numbers |= !is_same_line(reason_of(other), reason);
                }
                buf_add(out, line, (size_t)(reason - line));
                if (n)
                        buf_printf(out,
                                   has_other_numbers ? " (and %zu more, with other numbers)"
                                                     : " and %zu more",
                                   n);
                buf_add(out, reason, strcspn(reason, "\n"));
                buf_add_char(out, '\n');
        }
}
