/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *text_base_name(const char *path)
{
        const char *base = path;

        for (const char *at = path; *at; at++) {
                if ((*at == '/' || *at == '\\') && at[1])
                        base = at + 1;
        }
        return base;
}

bool text_starts(const char *text, const char *prefix)
{
        return !strncmp(text, prefix, strlen(prefix));
}

bool text_ends(const char *text, const char *suffix)
{
        size_t n = strlen(text), m = strlen(suffix);

        return n >= m && !strcmp(text + n - m, suffix);
}

bool text_copy(char *to, size_t size, const char *from)
{
        size_t len = strlen(from);
        size_t n = len < size ? len : size - 1;

        assert(size > 0);
        memcpy(to, from, n);
        to[n] = '\0';
        return n == len;
}

void text_hex(char *out, const void *bytes, size_t n)
{
        const uint8_t *at = bytes;

        for (size_t i = 0; i < n; i++)
                snprintf(out + 2 * i, 3, "%02x", at[i]);
        out[2 * n] = '\0';
}
