/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples of RFC 1321, section A.5, and sizes around a block. */
#include <string.h>

#include "attributes.h"
#include "md5.h"
#include "tap.h"
#include "text.h"

static void expect_md5(const char *text, const char *want)
{
        struct md5 md5 = md5_of(text, strlen(text));
        char hex[2 * MD5_BYTES + 1];

        text_hex(hex, md5.bytes, sizeof(md5.bytes));
        EXPECT_STR(hex, want);
}

TEST(examples_of_the_rfc)
{
        expect_md5("", "d41d8cd98f00b204e9800998ecf8427e");
        expect_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
        expect_md5("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
        expect_md5("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
        expect_md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                   "d174ab98d277d9f5a5611c2c9f419d9f");
        expect_md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                   "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(sizes_around_a_block)
{
        static const struct {
                size_t n;
                const char *md5;
        } cases[] = {
                {55, "04364420e25c512fd958a70738aa8f72"},  {56, "668a72d5ba17f08e62dabcafad6db14b"},
                {57, "693037871c4a9d3d8685018905cb530a"},  {63, "7dc2ca208106a2f703567bdff99d8981"},
                {64, "c1bb4f81d892b2d57947682aeb252456"},  {65, "1bc932052302d074bdec39795fe00cf6"},
                {119, "ab347a5f68c8a443cfcddc633f12c24f"}, {120, "fb98667f98096de92620b64f46e1c5b5"},
                {128, "d69cb61a6ee87200676eb0d4b90edbcb"},
        };
        char text[129];

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                memset(text, 'x', cases[i].n);
                text[cases[i].n] = '\0';
                expect_md5(text, cases[i].md5);
        }
}

TAP_MAIN
