/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_match.h"

#include <ctype.h>
#include <string.h>

static bool equal_nocase(const char *a, const char *b, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
                        return false;
        }
        return true;
}

bool text_in_list(const char *list, const char *word)
{
        size_t len = strlen(word);

        for (;;) {
                size_t n = strcspn(list, ",");

                if (n == len && !strncmp(list, word, n))
                        return true;
                if (!list[n])
                        return false;
                list += n + 1;
        }
}

bool text_equal_nocase(const char *a, const char *b)
{
        size_t n = strlen(a);

        return n == strlen(b) && equal_nocase(a, b, n);
}

bool text_starts_nocase(const char *text, const char *part)
{
        while (*part && tolower((unsigned char)*text) == tolower((unsigned char)*part)) {
                text++;
                part++;
        }
        return !*part;
}

bool text_contains_nocase(const char *text, const char *part)
{
        const char small = (char)tolower((unsigned char)*part), large = (char)toupper((unsigned char)*part);

        for (; *text; text++) {
                if ((*text == small || *text == large) && text_starts_nocase(text, part))
                        return true;
        }
        return !*part;
}

bool text_pattern_has_arguments(const char *pattern)
{
        return pattern && strchr(pattern, '(');
}

bool text_match_symbol(const char *pattern, const char *name)
{
        size_t len = strlen(pattern), name_len = strlen(name);
        bool front = len && pattern[0] == '^';
        bool back = len > (size_t)front && pattern[len - 1] == '$';

        pattern += front;
        len -= (size_t)front + (size_t)back;
        if (front && !back)
                return name_len >= len && equal_nocase(pattern, name, len);
        if (back && !front)
                return name_len >= len && equal_nocase(pattern, name + name_len - len, len);
        return name_len == len && equal_nocase(pattern, name, len);
}

bool text_match_glob(const char *pattern, const char *text)
{
        const char *star = NULL, *resume = text;

        while (*text) {
                if (*pattern == '*') {
                        star = pattern++;
                        resume = text;
                } else if (*pattern && (*pattern == '?' || equal_nocase(pattern, text, 1))) {
                        pattern++;
                        text++;
                } else if (star) {
                        pattern = star + 1;
                        text = ++resume;
                } else {
                        return false;
                }
        }
        while (*pattern == '*')
                pattern++;
        return !*pattern;
}

enum { DISTANCE_MAX_LEN = 48 };

unsigned text_distance(const char *a, const char *b)
{
        size_t n = strlen(a), m = strlen(b);
        unsigned rows[3][DISTANCE_MAX_LEN + 1];
        unsigned *before = rows[0], *above = rows[1], *row = rows[2];

        if (n > DISTANCE_MAX_LEN || m > DISTANCE_MAX_LEN)
                return DISTANCE_MAX_LEN;
        for (size_t j = 0; j <= m; j++)
                above[j] = (unsigned)j;
        for (size_t i = 1; i <= n; i++) {
                unsigned *spare = before;

                row[0] = (unsigned)i;
                for (size_t j = 1; j <= m; j++) {
                        unsigned cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
                        unsigned best = above[j - 1] + cost;

                        if (above[j] + 1 < best)
                                best = above[j] + 1;
                        if (row[j - 1] + 1 < best)
                                best = row[j - 1] + 1;
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                            before[j - 2] + 1 < best)
                                best = before[j - 2] + 1;
                        row[j] = best;
                }
                before = above;
                above = row;
                row = spare;
        }
        return above[m];
}

const char *text_nearest(const char *word, const char *const *names, size_t n)
{
        size_t len = strlen(word);
        unsigned best_distance = len < 3 ? 2 : len < 8 ? 3 : 4;
        const char *best = NULL;

        for (size_t i = 0; i < n; i++) {
                size_t other = strlen(names[i]);
                unsigned d;

                /* The distance is at least the difference of the lengths. */
                if ((other > len ? other - len : len - other) >= best_distance)
                        continue;
                d = text_distance(word, names[i]);
                if (d < best_distance && d < other) {
                        best_distance = d;
                        best = names[i];
                }
        }
        return best;
}
