/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_words.h"

#include <string.h>

static bool is_blank(char c)
{
        return c == ' ' || c == '\t' || c == '\n';
}

/* Copies a quoted part without its quotes; returns the byte after it, or NULL without an end. */
static const char *copy_quoted(const char *at, char **word)
{
        char quote = *at++;

        for (; *at != quote; at++) {
                if (!*at)
                        return NULL;
                if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
                        at++;
                *(*word)++ = *at;
        }
        return at + 1;
}

/* Copies one word, which is not empty. */
static const char *copy_word(const char *at, char **word)
{
        while (at && *at && !is_blank(*at)) {
                if (*at == '\'' || *at == '"') {
                        at = copy_quoted(at, word);
                        continue;
                }
                if (*at == '\\' && at[1])
                        at++;
                *(*word)++ = *at++;
        }
        return at;
}

char **text_split_words(const char *text, struct arena *arena, size_t *ret_n, struct err *err)
{
        size_t len = strlen(text), n = 0;
        /* A word takes at least one byte and a blank of the text. */
        char **words = arena_alloc(arena, (len / 2 + 2) * sizeof(*words));
        char *bytes = arena_alloc(arena, 2 * len + 2);
        const char *at = text;

        for (;;) {
                while (is_blank(*at))
                        at++;
                if (!*at)
                        break;
                words[n++] = bytes;
                at = copy_word(at, &bytes);
                if (!at) {
                        err_set(err, ERR_USAGE, "a quote has no end in: %.120s", text);
                        return NULL;
                }
                *bytes++ = '\0';
        }
        words[n] = NULL;
        *ret_n = n;
        return words;
}
