/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings of several sessions, summed up. */
#include "session_warnings.h"

#include "tap.h"

static void expect_folded(const char *warnings, const char *expected)
{
        AUTO_RELEASE(buf) given = {0};
        AUTO_RELEASE(buf) out = {0};

        buf_add_str(&given, warnings);
        session_warnings_fold(&given, &out);
        EXPECT_STR(buf_text(&out), expected);
}

TEST(one_reason_is_said_once)
{
        expect_folded(
                "a-1.data: 56 % have no symbol: apt install libc6-dbg\n"
                "a-2.data: 8.5 % have no symbol: apt install libc6-dbg\n"
                "a-3.data: 5 % were lost\n"
                "b-1.data: 44 % have no symbol: apt install libc6-dbg\n",
                "a-1.data (and 2 more, with other numbers): 56 % have no symbol: apt install libc6-dbg\n"
                "a-3.data: 5 % were lost\n");
}

TEST(equal_numbers_are_those_of_all)
{
        expect_folded("a-1.data: 5 % were lost\na-2.data: 5 % were lost\nb-1.data: 5 % were lost",
                      "a-1.data and 2 more: 5 % were lost\n");
}

TEST(other_reasons_stay)
{
        expect_folded("a: 5 % were lost\nb: 5 % were lost; an event was counted\n",
                      "a: 5 % were lost\nb: 5 % were lost; an event was counted\n");
        expect_folded("", "");
        expect_folded("a: no end of line", "a: no end of line\n");
}

TAP_MAIN
