/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_claim.h"

#include <ctype.h>
#include <string.h>

#include "attributes.h"
#include "text.h"

static bool is_name_char(char c)
{
        return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Whether `word` stands at `at`; returns what follows it and blanks, or NULL. */
static const char *after_word(const char *at, const char *word)
{
        size_t len = strlen(word);

        if (strncmp(at, word, len) != 0 || is_name_char(at[len]))
                return NULL;
        return at + len + strspn(at + len, " \t");
}

static bool has_word(const char *line, const char *word)
{
        for (const char *at = line; (at = strstr(at, word)) != NULL; at++) {
                if ((at == line || !is_name_char(at[-1])) && after_word(at, word))
                        return true;
        }
        return false;
}

/* "async def f(", "class C:", "@decorator" */
static bool is_definition(const char *line, const char *name)
{
        const char *at = line + strspn(line, " \t\f"), *after = after_word(at, "async");

        if (*at == '@')
                return is_name_char(at[1 + strspn(at + 1, " \t(")]);
        at = after ? after : at;
        after = after_word(at, "def");
        after = after ? after : after_word(at, "class");
        return after && after_word(after, name);
}

bool python_claim_holds(const char *name, const char *line)
{
        static const struct {
                const char *name, *bracket;
        } comprehensions[] = {
                {"<listcomp>", "["}, {"<setcomp>", "{"}, {"<dictcomp>", "{"}, {"<genexpr>", "("}};
        const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;

        if (!strcmp(last, "<module>"))
                return true;
        if (!line)
                return false;
        if (!strcmp(last, "<lambda>"))
                return has_word(line, "lambda");
        for (size_t i = 0; i < N_ELEMENTS(comprehensions); i++) {
                if (!strcmp(last, comprehensions[i].name))
                        return strstr(line, comprehensions[i].bracket) || has_word(line, "for");
        }
        return is_definition(line, last);
}
