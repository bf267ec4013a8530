/* SPDX-License-Identifier: BSD-3-Clause */
/* Decorated names that an untrusted file could contain: nesting, references that double, and very long
 * names. */
#include <stdlib.h>

#include "demangled.h"
#include "tap.h"
#include "undecorate.h"

static const struct nesting nestings[] = {
        {"?f@@YAX", "PEA", "H@Z"},
        {"?f@@YAX", "$$QEA", "H@Z"},
        {"?f@@YAX", "P6AX", "X@Z"},
        {"?f@@YA", "P6A", "XXZ"},
        {"?f@@YAX", "Y00", "H@Z"},
        {"?f@@YAX", "P8C@@EAAX", "X@Z"},
        {"?f@@YAX", "PEQC@@", "H@Z"},
        {"?f@@YAX", "U?$a@", "H@Z"},
        {"?f@@YAX", "??$a@", "H@Z"},
        {"??$f@", "$$Y?$a@", "@YAXXZ"},
        {"??$f@", "$$BY00", "H@YAXXZ"},
        {"??$f@", "$$CB", "H@YAXXZ"},
        {"??$f@", "$1??$f@", "H@YAXXZ"},
        {"??$f@", "$E??$f@", "H@YAXXZ"},
        {"??$f@", "$2", "H@YAXXZ"},
        {"??$f@", "$MH$M", "H@YAXXZ"},
        {"?x", "@?1??x", "@@YAXXZ@4HA"},
        {"?x", "@?1???_7x", "@@6B@@4HA"},
        {"??__E", "?x@?1???__E", "x@@YAXXZ"},
        {"??_R0", "PEA", "H@8"},
        {"??$", "?$", "a@H@@YAXXZ"},
        {"??_B", "?1???_B", "?1??x@@YAXXZ@51"},
};

TEST(deep_nesting_is_refused)
{
        for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++)
                expect_refused_when_deep(&nestings[i]);
}

TEST(nesting_around_the_limit)
{
        struct buf out = {0};
        char *name = repeated("?f@@YAX", "PEA", UNDECORATE_MAX_DEPTH - 2, "H@Z");
        char *text = repeated("void __cdecl f(int ", "*", UNDECORATE_MAX_DEPTH - 2, ")");

        EXPECT_STR(text_of(&out, name, true), text);
        free(name);
        free(text);
        name = repeated("?f@@YAX", "PEA", UNDECORATE_MAX_DEPTH - 1, "H@Z");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

/* Every parameter is a function with the parameter before twice: 2^n types in n steps. */
static char *doubling(int n_steps)
{
        struct buf name = {0};

        buf_add_str(&name, "?f@@YAXP6AXPEAH@Z");
        for (int i = 0; i < n_steps; i++)
                buf_printf(&name, "P6AX%d%d@Z", i + 1, i + 1);
        buf_add_str(&name, "@Z");
        return buf_take(&name);
}

TEST(doubling_is_bounded)
{
        struct buf out = {0};
        char *name = doubling(1);

        EXPECT_STR(text_of(&out, name, true), "void __cdecl f(void (__cdecl *)(int *), void (__cdecl *)(void "
                                              "(__cdecl *)(int *), void (__cdecl *)(int *)))");
        free(name);
        name = doubling(8);
        EXPECT_CMP(strlen(text_of(&out, name, true)), >, 10000);
        EXPECT_CMP(out.len, <, UNDECORATE_MAX_OUTPUT_BYTES);
        free(name);
        buf_release(&out);
}

/* A type of a kilobyte, and references to it. */
TEST(output_is_bounded)
{
        struct buf out = {0};
        char *big = repeated("?f@@YAXV", "x", 1000, "@@");
        char *name = repeated(big, "0", 62, "@Z");
        char *longer = repeated(big, "0", 30000, "@Z");

        EXPECT_INT(strlen(text_of(&out, name, true)), strlen("void __cdecl f()") + 63 * 1006 + 62 * 2);
        EXPECT_STR(text_of(&out, longer, true), "(refused)");
        free(longer);
        free(name);
        free(big);
        buf_release(&out);
}

/* Names whose work is proportional to their length are parsed, even if parts are not shown. */
TEST(long_names_are_read)
{
        struct buf out = {0};
        char *name = repeated("??$f@", "$S", 16000, "@@YAXXZ");

        EXPECT_STR(text_of(&out, name, true), "void __cdecl f<>(void)");
        free(name);
        name = repeated("?f@@YAX", "H", 32000, "@Z");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        EXPECT_STR(text_of(&out, name, false), "f");
        free(name);
        name = repeated("?f@", "a@", 16000, "@YAXXZ");
        EXPECT_INT(strlen(text_of(&out, name, false)), 16000 * 3 + 1);
        free(name);
        buf_release(&out);
}

/* A type of 190 steps with 190 letters, to which every later letter refers. */
TEST(references_to_deep_types_are_bounded)
{
        struct buf out = {0};
        char *deep = repeated("?f@@YAX", "PEA", 180, "H");
        char *name = repeated(deep, "0", 300, "@Z");

        EXPECT_INT(strlen(text_of(&out, name, true)), strlen("void __cdecl f()") + 301 * 184 + 300 * 2);
        free(name);
        name = repeated(deep, "0", 30000, "@Z");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        EXPECT_STR(text_of(&out, name, false), "f");
        free(name);
        free(deep);
        buf_release(&out);
}

TEST(length_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("?", "b", UNDECORATE_MAX_INPUT_BYTES - 5, "@3HA");

        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        name = repeated("?", "b", UNDECORATE_MAX_INPUT_BYTES - 6, "@@3HA");
        EXPECT_INT(strlen(text_of(&out, name, true)), UNDECORATE_MAX_INPUT_BYTES - 6 + 4);
        free(name);
        name = repeated("?", "b", UNDECORATE_MAX_INPUT_BYTES - 5, "@@3HA");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

TAP_MAIN
