/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys from the bytes that xterm, tmux and Windows' console send. */
#include <string.h>

#include "keys.h"

#include "tap.h"

/* The kinds of all keys of some bytes, which come in pieces of `step`; their number in *ret_n. */
static void expect_keys(const char *bytes, size_t size, const enum key_kind *want, size_t n_want)
{
        for (size_t step = 1; step <= size; step++) {
                struct keys keys = {0};
                struct key key;
                size_t n = 0;

                for (size_t at = 0; at < size; at += step) {
                        keys_add(&keys, bytes + at, size - at < step ? size - at : step);
                        while (keys_next(&keys, false, &key)) {
                                EXPECT_INT(key.kind, n < n_want ? want[n] : KEY_NONE);
                                n++;
                        }
                }
                while (keys_next(&keys, true, &key)) {
                        EXPECT_INT(key.kind, n < n_want ? want[n] : KEY_NONE);
                        n++;
                }
                EXPECT_INT(n, n_want);
                EXPECT_TRUE(!keys_are_waiting(&keys));
        }
}

#define EXPECT_KEYS(bytes, ...)                                                                              \
        do {                                                                                                 \
                const enum key_kind want[] = {__VA_ARGS__};                                                  \
                expect_keys(bytes, sizeof(bytes) - 1, want, sizeof(want) / sizeof(*want));                   \
        } while (0)

TEST(keys_in_pieces)
{
        EXPECT_KEYS("q", KEY_CHAR);
        EXPECT_KEYS("\r\n\t\x7f\x08\x03", KEY_ENTER, KEY_ENTER, KEY_TAB, KEY_BACKSPACE, KEY_BACKSPACE,
                    KEY_CONTROL);
        EXPECT_KEYS("\033[A\033[B\033[C\033[D", KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT);
        EXPECT_KEYS("\033OA\033OB\033OH\033OF\033OP", KEY_UP, KEY_DOWN, KEY_HOME, KEY_END, KEY_F1);
        EXPECT_KEYS("\033[5~\033[6~\033[1~\033[4~\033[3~\033[2~", KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME,
                    KEY_END, KEY_DELETE, KEY_INSERT);
        EXPECT_KEYS("\033[1;5A\033[Z", KEY_UP, KEY_BACK_TAB);
        EXPECT_KEYS("\033", KEY_ESCAPE);
        EXPECT_KEYS("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", KEY_CHAR, KEY_CHAR, KEY_CHAR);
}

TEST(what_is_not_known_is_dropped)
{
        EXPECT_KEYS("\033[?1;2cq", KEY_CHAR);
        EXPECT_KEYS("\033[200000000000000000;1Xq", KEY_CHAR);
        EXPECT_KEYS("\xff\xfeq", KEY_CHAR);
        EXPECT_KEYS("\033[19~q", KEY_CHAR);
}

TEST(an_escape_before_another_key)
{
        struct keys keys = {0};
        struct key key;

        keys_add(&keys, "\033x", 2);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.kind, KEY_ESCAPE);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.code, 'x');
        keys_add(&keys, "\033[", 2);
        EXPECT_TRUE(!keys_next(&keys, false, &key));
        EXPECT_TRUE(keys_next(&keys, true, &key));
        EXPECT_INT(key.kind, KEY_ESCAPE);
}

TEST(the_mouse)
{
        static const char bytes[] = "\033[<0;12;3M\033[<32;13;3M\033[<0;13;4m\033[<65;1;1M\033[<2;5;5M";
        struct keys keys = {0};
        struct key key;

        keys_add(&keys, bytes, sizeof(bytes) - 1);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.kind, KEY_PRESS);
        EXPECT_INT(key.column, 11);
        EXPECT_INT(key.row, 2);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.kind, KEY_DRAG);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.kind, KEY_RELEASE);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_INT(key.kind, KEY_WHEEL_DOWN);
        EXPECT_TRUE(!keys_next(&keys, true, &key)); /* the right button */
}

/* A pasted q must not quit, and a pasted escape code is not a key. */
TEST(a_paste_is_marked)
{
        struct keys keys = {0};
        struct key key;

        keys_add(&keys, "\033[200~q\x03\r\033[201~q", 16);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_TRUE(key.is_pasted && key.code == 'q');
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_TRUE(key.is_pasted && key.kind == KEY_ENTER);
        EXPECT_TRUE(keys_next(&keys, false, &key));
        EXPECT_TRUE(!key.is_pasted && key.code == 'q');
}

TEST(a_sequence_without_an_end_is_dropped)
{
        struct keys keys = {0};
        struct key key;
        char bytes[200];
        size_t done = 0;

        memset(bytes, '1', sizeof(bytes));
        memcpy(bytes, "\033[", 2);
        while (done < sizeof(bytes)) {
                size_t n = keys_add(&keys, bytes + done, sizeof(bytes) - done);

                EXPECT_CMP(n, >, 0);
                if (!n)
                        return;
                done += n;
                while (keys_next(&keys, false, &key))
                        EXPECT_INT(key.kind, KEY_CHAR);
        }
}

TAP_MAIN
