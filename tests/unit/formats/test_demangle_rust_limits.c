/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that an untrusted file could contain: nesting, references that double or have no end, and very long
 * names. */
#include <stdlib.h>

#include "demangle.h"
#include "demangled.h"
#include "tap.h"

static const struct nesting nestings[] = {
        {"_R", "Nv", "C1a1b"},        {"_R", "I", "C1a"},
        {"_R", "M", "C1ah"},          {"_RYh", "XC1ah", "C1a"},
        {"_R", "MC1a", "h"},          {"_RINvC1a1b", "R", "hE"},
        {"_RINvC1a1b", "P", "hE"},    {"_RINvC1a1b", "S", "hE"},
        {"_RINvC1a1b", "A", "hj1_E"}, {"_RINvC1a1b", "T", "hE"},
        {"_RINvC1a1b", "F", "EuE"},   {"_RINvC1a1b", "FE", "uE"},
        {"_RINvC1a1b", "FG_", "EuE"}, {"_RINvC1a1b", "DNtC1a1cp1d", "hE"},
        {"_RINvC1a1bK", "R", "h1_E"}, {"_RINvC1a1bK", "A", "h1_E"},
        {"_RINvC1a1bK", "T", "h1_E"}, {"_RINvC1a1bK", "VC1aT", "h1_E"},
        {"_RNvC1a1b", "I", "C1a"},
};

TEST(deep_nesting_is_refused)
{
        for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++)
                expect_refused_when_deep(&nestings[i]);
}

TEST(nesting_around_the_limit)
{
        struct buf out = {0};
        char *name = repeated("_RINvC1a1b", "R", DEMANGLE_MAX_PRINT_DEPTH - 2, "hE");
        char *text = repeated("a::b::<", "&", DEMANGLE_MAX_PRINT_DEPTH - 2, "u8>");

        EXPECT_STR(text_of(&out, name, false), text);
        free(name);
        free(text);
        name = repeated("_RINvC1a1b", "R", DEMANGLE_MAX_PRINT_DEPTH - 1, "hE");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        buf_release(&out);
}

/* `_` or N - 1 in base 62. */
static void add_number62(struct buf *out, size_t n)
{
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

        if (n > 62)
                buf_add_char(out, digits[(n - 1) / 62]);
        if (n)
                buf_add_char(out, digits[(n - 1) % 62]);
        buf_add_char(out, '_');
}

/* Each tuple contains the one before twice: 2^n types in n steps. */
static char *doubling(const char *start, int n_steps, const char *end)
{
        struct buf name = {0};
        size_t before = strlen(start) - 2;

        buf_printf(&name, "%sTE", start);
        for (int i = 0; i < n_steps; i++) {
                size_t at = name.len - 2;

                buf_add_str(&name, "TB");
                add_number62(&name, before);
                buf_add_char(&name, 'B');
                add_number62(&name, before);
                buf_add_char(&name, 'E');
                before = at;
        }
        buf_add_str(&name, end);
        return buf_take(&name);
}

TEST(doubling_is_refused)
{
        struct buf out = {0};
        char *name = doubling("_RINvC1a1b", 2, "E");

        EXPECT_STR(text_of(&out, name, true), "a::b::<(), ((), ()), (((), ()), ((), ()))>");
        free(name);
        name = doubling("_RINvC1a1b", 10, "E");
        EXPECT_INT(strncmp(text_of(&out, name, true), "a::b::<(), ((), ()), (((", 24), 0);
        EXPECT_CMP(out.len, <, DEMANGLE_MAX_OUTPUT_BYTES);
        free(name);
        name = doubling("_RINvC1a1b", 40, "E");
        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        buf_release(&out);
}

/* What holds a reference to itself has no end. */
TEST(references_to_themselves_are_refused)
{
        static const char *const loops[] = {
                "_RIB_E",
                "_RNvB_1a",
                "_RNvNvB_1a1b",
                "_RINvC1a1bTB7_EE",
                "_RINvC1a1bTB7_B7_EE",
                "_RINvC1a1bKAB8_EE",
                "_RINvC1a1bKRB8_E",
                "_RINvC1a1bINtC1a1cB7_EE",
                "_RINvC1a1bFB7_EuE",
                "_RINvC1a1bDNtC1a1cp1dB7_EL_E",
        };
        struct buf out = {0};

        for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
                EXPECT_STR(text_of(&out, loops[i], true), "(refused)");
        buf_release(&out);
}

/* References in parts that are not shown are not followed, so they cost nothing. */
TEST(what_is_not_shown_is_read_once)
{
        struct buf out = {0};
        char *name = doubling("_RNvMINtC1a1b", 40, "Eh1c");

        EXPECT_STR(text_of(&out, name, true), "<u8>::c");
        free(name);
        buf_release(&out);
}

TEST(output_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("_RINvC1a1b", "h", 12000, "E");

        EXPECT_INT(strlen(text_of(&out, name, false)), 12000 * 4 - 2 + 8);
        free(name);
        name = repeated("_RINvC1a1b", "h", 18000, "E");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        buf_release(&out);
}

/* 700 names without a letter, and `n` references to them: nearly no output. */
static char *silent_names(size_t n)
{
        char *front = repeated("_RINvC1a1b", "Nk", 700, "C0");
        char *middle = repeated(front, "0", 700, "");
        char *whole = repeated(middle, "B7_", n, "E");

        free(front);
        free(middle);
        return whole;
}

TEST(work_is_bounded)
{
        struct buf out = {0};
        char *name = silent_names(100);
        char *text = repeated("a::b::<", ", ", 100, ">");

        EXPECT_STR(text_of(&out, name, false), text);
        free(name);
        free(text);
        name = silent_names(1000);
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        name = repeated("_RMINtC1a1b", "FGzz_Eu", 400, "Eh");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        buf_release(&out);
}

TEST(punycode_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("_RNvC1au514_9c", "a", 512, "");
        char *text = repeated("a::", "é", 512, "");

        EXPECT_STR(text_of(&out, name, false), text);
        free(name);
        free(text);
        name = repeated("_RNvC1au515_9c", "a", 513, "");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        name = repeated("_RNvC1au602_", "a", 600, "_a");
        EXPECT_STR(text_of(&out, name, false), "(refused)");
        free(name);
        buf_release(&out);
}

TEST(length_is_bounded)
{
        struct buf out = {0};
        char *name = repeated("_RNvC1a32757", "b", 32757, "");

        EXPECT_STR(text_of(&out, name, true), "(refused)");
        free(name);
        name = repeated("_RNvC1a32756", "b", 32756, "");
        EXPECT_INT(strlen(text_of(&out, name, true)), 32756 + 3);
        free(name);
        name = repeated("_ZN", "1a", 16000, "17h0123456789abcdefE");
        EXPECT_INT(strlen(text_of(&out, name, false)), 16000 * 3 - 2);
        free(name);
        buf_release(&out);
}

TAP_MAIN
