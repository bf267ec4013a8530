/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of text on a terminal; the widths are Unicode's. */
#include "tap.h"
#include "text_width.h"

TEST(characters_take_columns)
{
        EXPECT_INT(text_width("plain"), 5);
        EXPECT_INT(text_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);             /* two Han characters */
        EXPECT_INT(text_width("e\xcc\x81"), 1);                            /* a combining accent */
        EXPECT_INT(text_width("\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7"), 2); /* Devanagari with a virama */
        EXPECT_INT(text_width("\xef\xbc\xa1"), 2);                         /* a full-width A */
        EXPECT_INT(text_width("\xef\xbd\xb1"), 1);                         /* half-width kana */
        EXPECT_INT(text_width("\xf0\x9f\x98\x80"), 2);                     /* an emoji */
        EXPECT_INT(text_width("\xd7\xa9\xd6\xb8"), 1);                     /* Hebrew with a point */
        EXPECT_INT(text_width("\xff"), 1);
}

TEST(a_wide_character_is_not_halved)
{
        size_t width;

        EXPECT_INT(text_fitting_bytes("a\xe6\xbc\xa2z", 2, &width), 1);
        EXPECT_INT(width, 1);
        EXPECT_INT(text_fitting_bytes("a\xe6\xbc\xa2z", 3, &width), 4);
        EXPECT_INT(width, 3);
        EXPECT_INT(text_fitting_bytes("e\xcc\x81z", 1, &width), 3);
        EXPECT_INT(text_fitting_bytes("abc", 0, &width), 0);
}

TAP_MAIN
