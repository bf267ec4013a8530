/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_xml.h"

#include <string.h>

#include "tap.h"

static void expect_xml(const char *text, const char *expected)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_str(&out, "<t>\xef\xbf\xbf");
        text_add_xml(&out, text, strlen(text));
        EXPECT_STR(buf_text(&out) + strlen("<t>\xef\xbf\xbf"), expected);
}

TEST(marks_become_references)
{
        expect_xml("", "");
        expect_xml("operator<(\"a\" & 'b')>", "operator&lt;(&quot;a&quot; &amp; 'b')&gt;");
}

TEST(noncharacters_are_replaced)
{
        expect_xml("a\xef\xbf\xbe\xef\xbf\xbf", "a\xef\xbf\xbd\xef\xbf\xbd");
        expect_xml("\xef\xbf\xbd\xef\xbb\xbf\xef\xbf", "\xef\xbf\xbd\xef\xbb\xbf\xef\xbf");
}

TAP_MAIN
