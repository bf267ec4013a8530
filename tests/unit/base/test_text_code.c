/* SPDX-License-Identifier: BSD-3-Clause */
/* Control codes: those of wperf pass, those in texts from files become visible. */
#include <string.h>

#include "tap.h"
#include "text_code.h"

static const char *output_of(struct buf *out, const char *text, size_t size)
{
        buf_clear(out);
        text_add_output(out, text, size);
        return buf_text(out);
}

TEST(own_codes_lose_their_key)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) out = {0};

        text_code_set_key(0x1234);
        text_code_add(&text, TEXT_CODE_RED);
        buf_add_str(&text, "97 %");
        text_code_add(&text, TEXT_CODE_PLAIN);
        text_code_add(&text, TEXT_CODE_LINE_START);
        text_code_add(&text, TEXT_CODE_CLEAR);
        EXPECT_STR(output_of(&out, text.data, text.len), "\033[31m97 %\033[0m\r\033[K");
}

TEST(other_control_characters_become_visible)
{
        static const struct {
                const char *text, *output;
        } cases[] = {
                {"a\033[31mb", "a\\x1b[31mb"},
                {"\033]0;title\a", "\\x1b]0;title\\x07"},
                {"\0330000000000001235[31m", "\\x1b0000000000001235[31m"},
                {"\302\23331m", "\\xc2\\x9b31m"},
                {"a\342\200\256b\342\201\246", "a\\u202eb\\u2066"},
                {"over\rwritten", "over\\x0dwritten"},
                {"a,b\r\nc\td\n", "a,b\r\nc\td\n"},
                {"\342\226\201 \303\244", "\342\226\201 \303\244"},
                {"cut \342\226", "cut \\xe2\\x96"},
                {"\r", "\\x0d"},
        };
        AUTO_RELEASE(buf) out = {0};

        text_code_set_key(0x1234);
        for (size_t i = 0; i < N_ELEMENTS(cases); i++)
                EXPECT_STR(output_of(&out, cases[i].text, strlen(cases[i].text)), cases[i].output);
        EXPECT_STR(output_of(&out, "a\0b", 3), "a\\x00b");
        EXPECT_STR(output_of(&out, "", 0), "");
}

TEST(each_byte_at_each_place_is_plain_or_not)
{
        enum { SIZE = 24 };
        char text[SIZE];

        for (unsigned c = 0; c < 256; c++) {
                bool is_plain = c == '\n' || (c >= 0x20 && c < 0x7f);

                for (size_t place = 0; place < SIZE; place++) {
                        memset(text, place % 2 ? '\n' : '~', sizeof(text));
                        text[place] = (char)c;
                        EXPECT_INT(text_plain_output(text, SIZE), is_plain ? SIZE : place);
                }
        }
}

TAP_MAIN
