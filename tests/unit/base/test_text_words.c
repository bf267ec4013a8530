/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_words.h"

#include "tap.h"

TEST(words_are_split_as_a_shell_does)
{
        static const struct {
                const char *text;
                const char *words[6];
        } known[] = {
                {"", {0}},
                {"  \t\n ", {0}},
                {"./b work.py", {"./b", "work.py"}},
                {" a  b\tc\nd ", {"a", "b", "c", "d"}},
                {"'a b' \"c d\"", {"a b", "c d"}},
                {"a'b c'd", {"ab cd"}},
                {"'' \"\"", {"", ""}},
                {"\"a\\\"b\\\\c\\n\"", {"a\"b\\c\\n"}},
                {"'a\\b'", {"a\\b"}},
                {"a\\ b \\' \\\\", {"a b", "'", "\\"}},
                {"$HOME *.c ~ a|b; c", {"$HOME", "*.c", "~", "a|b;", "c"}},
                {"a\\", {"a\\"}},
        };

        for (size_t i = 0; i < N_ELEMENTS(known); i++) {
                struct arena arena = {0};
                struct err err = {0};
                size_t n = 99, expected = 0;
                char **words = text_split_words(known[i].text, &arena, &n, &err);

                while (known[i].words[expected])
                        expected++;
                EXPECT_TRUE(words && n == expected && !words[n]);
                for (size_t w = 0; words && w < n && w < expected; w++)
                        EXPECT_STR(words[w], known[i].words[w]);
                arena_release(&arena);
        }
}

TEST(a_quote_without_end_is_an_error)
{
        static const char *const wrong[] = {"'", "\"", "a 'b", "\"a\\\"", "x \"y' z"};

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
                struct arena arena = {0};
                struct err err = {0};
                size_t n;

                EXPECT_TRUE(!text_split_words(wrong[i], &arena, &n, &err));
                EXPECT_TRUE(err.code == ERR_USAGE && strstr(err.text, "a quote has no end"));
                arena_release(&arena);
        }
}

TAP_MAIN
