/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that a text is one JSON document (RFC 8259) in valid UTF-8, with a depth of at most 64. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stdbool.h>
#include <string.h>

#include "text_printable.h"

static bool json_check_value(const char **at, int depth);

static bool json_check_take(const char **at, char c)
{
        *at += strspn(*at, " \n\t\r");
        if (**at != c)
                return false;
        (*at)++;
        return true;
}

static bool json_check_string(const char **at)
{
        if (!json_check_take(at, '"'))
                return false;
        while (**at != '"') {
                size_t n = text_utf8_length((const unsigned char *)*at);

                if (!n || (unsigned char)**at < 0x20)
                        return false;
                if (**at == '\\') {
                        (*at)++;
                        if (**at == 'u' && strspn(*at + 1, "0123456789abcdefABCDEF") < 4)
                                return false;
                        if (!**at || !strchr("\"\\/bfnrtu", **at))
                                return false;
                }
                *at += n;
        }
        (*at)++;
        return true;
}

static bool json_check_number(const char **at)
{
        const char *start = *at + (**at == '-');
        size_t n = strspn(start, "0123456789");

        if (!n || (n > 1 && *start == '0'))
                return false;
        *at = start + n;
        if (**at == '.') {
                n = strspn(*at + 1, "0123456789");
                *at += 1 + n;
        }
        return n;
}

static bool json_check_members(const char **at, char close, int depth)
{
        (*at)++;
        if (json_check_take(at, close))
                return true;
        do {
                if (close == '}' && !(json_check_string(at) && json_check_take(at, ':')))
                        return false;
                if (!json_check_value(at, depth + 1))
                        return false;
        } while (json_check_take(at, ','));
        return json_check_take(at, close);
}

static bool json_check_value(const char **at, int depth)
{
        static const char *const words[] = {"true", "false", "null"};

        *at += strspn(*at, " \n\t\r");
        if (depth > 64)
                return false;
        if (**at == '{' || **at == '[')
                return json_check_members(at, **at == '{' ? '}' : ']', depth);
        if (**at == '"')
                return json_check_string(at);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
                if (strncmp(*at, words[i], strlen(words[i])))
                        continue;
                *at += strlen(words[i]);
                return true;
        }
        return json_check_number(at);
}

static inline bool json_check(const char *text)
{
        bool ok = json_check_value(&text, 0);

        text += strspn(text, " \n\t\r");
        return ok && !*text;
}

#endif
