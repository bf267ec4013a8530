/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "arena.h"
#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "json.h"
#include "map.h"
#include "strpool.h"
#include "tap.h"
#include "text.h"
#include "text_match.h"
#include "text_number.h"
#include "text_printable.h"

TEST(err_keeps_context_in_front)
{
        struct err err = {0};

        EXPECT_TRUE(!err_set(&err, ERR_FORMAT, "header needs %d bytes", 8));
        EXPECT_TRUE(!err_in(&err, "%s", "a.data"));
        EXPECT_STR(err.text, "a.data: header needs 8 bytes");
        EXPECT_INT(err.code, ERR_FORMAT);
        EXPECT_TRUE(!err_os(&err, ERR_IO, 2, "open"));
        EXPECT_INT(err.os, 2);
        EXPECT_CONTAINS(err.text, "open: ");
        EXPECT_TRUE(!err_set(NULL, ERR_IO, "ignored"));
        EXPECT_STR(err_code_text(ERR_LIMIT), "limit exceeded");
}

TEST(arena_keeps_earlier_pieces)
{
        struct arena arena = {0};
        char *small = arena_copy(&arena, "abc", 3);
        char *large = arena_alloc(&arena, 1000000);

        memset(large, 'x', 1000000);
        for (int i = 0; i < 100000; i++) {
                char *p = arena_alloc(&arena, 24);

                EXPECT_INT((uintptr_t)p % 16, 0);
                if (tap_failed)
                        break;
        }
        EXPECT_STR(small, "abc");
        EXPECT_INT(large[999999], 'x');
        arena_release(&arena);
        EXPECT_INT(arena.total_bytes, 0);
}

TEST(cursor_stops_at_the_end)
{
        static const uint8_t bytes[] = {1, 2, 3, 4, 'a', 'b', 0, 'c'};
        struct cursor c = cursor_make(bytes, sizeof(bytes));
        struct cursor sub;

        c.swap = true;
        EXPECT_INT(cursor_u32(&c), 0x01020304);
        EXPECT_STR(cursor_str(&c, NULL), "ab");
        EXPECT_CMP(cursor_str(&c, NULL), ==, NULL);
        EXPECT_TRUE(c.failed);
        EXPECT_INT(cursor_u8(&c), 0);
        c = cursor_make(bytes, sizeof(bytes));
        sub = cursor_sub(&c, 6, 2);
        EXPECT_TRUE(!sub.failed);
        EXPECT_TRUE(!cursor_bytes(&sub, 3));
        EXPECT_TRUE(cursor_sub(&c, 6, 3).failed);
        EXPECT_TRUE(cursor_sub(&c, UINT64_MAX, 2).failed);
        EXPECT_TRUE(cursor_sub(&c, 2, UINT64_MAX).failed);
        EXPECT_TRUE(!cursor_skip(&c, UINT64_MAX));
        c = cursor_make(bytes, sizeof(bytes));
        EXPECT_STR(cursor_str_at(&c, 4), "ab");
        EXPECT_CMP(cursor_str_at(&c, 7), ==, NULL);
        EXPECT_CMP(cursor_str_at(&c, 9), ==, NULL);
        c = cursor_make(NULL, 0);
        EXPECT_INT(cursor_u64(&c), 0);
        EXPECT_TRUE(c.failed);
}

TEST(cursor_leb)
{
        static const uint8_t u[] = {0xe5, 0x8e, 0x26};
        static const uint8_t s[] = {0x80, 0x7f, 0x7f};
        static const uint8_t max[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
        static const uint8_t over[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
        struct cursor c = cursor_make(u, sizeof(u));

        EXPECT_INT(cursor_uleb(&c), 624485);
        c = cursor_make(s, sizeof(s));
        EXPECT_INT(cursor_sleb(&c), -128);
        EXPECT_INT(cursor_sleb(&c), -1);
        c = cursor_make(max, sizeof(max));
        EXPECT_TRUE(cursor_uleb(&c) == UINT64_MAX && !c.failed);
        c = cursor_make(over, sizeof(over));
        EXPECT_TRUE(cursor_uleb(&c) == 0 && c.failed);
        c = cursor_make(max, 4);
        EXPECT_TRUE(cursor_uleb(&c) == 0 && c.failed);
}

TEST(buf_leb)
{
        static const int64_t numbers[] = {0, 1, 63, 64, -1, -64, -65, -128, 624485, INT64_MAX, INT64_MIN};
        AUTO_RELEASE(buf) out = {0};
        struct cursor c;

        buf_add_uleb(&out, 624485);
        buf_add_sleb(&out, -128);
        EXPECT_TRUE(out.len == 5 && !memcmp(out.data, "\xe5\x8e\x26\x80\x7f", 5));
        buf_clear(&out);
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                buf_add_uleb(&out, (uint64_t)numbers[i]);
                buf_add_sleb(&out, numbers[i]);
        }
        c = cursor_make(out.data, out.len);
        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                EXPECT_CMP(cursor_uleb(&c), ==, (uint64_t)numbers[i]);
                EXPECT_CMP(cursor_sleb(&c), ==, numbers[i]);
        }
        EXPECT_TRUE(!c.failed && !cursor_left(&c));
}

TEST(strpool_interns)
{
        AUTO(strpool) pool = strpool_new();
        str_id ids[1000];
        char name[16];

        for (int i = 0; i < 1000; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                ids[i] = strpool_add(pool, name);
        }
        for (int i = 0; i < 1000; i++) {
                snprintf(name, sizeof(name), "n%d", i);
                EXPECT_INT(strpool_add(pool, name), ids[i]);
                EXPECT_STR(strpool_get(pool, ids[i]), name);
        }
        EXPECT_INT(strpool_add(pool, ""), 0);
        EXPECT_INT(strpool_add_len(pool, "n1\0n2", 5), ids[1]);
        EXPECT_INT(strpool_count(pool), 1001);
}

TEST(map_finds_what_was_put)
{
        struct map map = {0};
        bool is_new;

        EXPECT_TRUE(!map_find(&map, 0));
        for (uint64_t i = 0; i < 5000; i++)
                *map_put(&map, i * 4096, NULL) = i;
        *map_put(&map, UINT64_MAX, &is_new) = 7;
        EXPECT_TRUE(is_new);
        EXPECT_INT(*map_put(&map, UINT64_MAX, &is_new), 7);
        EXPECT_TRUE(!is_new);
        for (uint64_t i = 0; i < 5000; i++)
                EXPECT_INT(*map_find(&map, i * 4096), i);
        EXPECT_TRUE(!map_find(&map, 1));
        map_release(&map);
}

TEST(a_buffer_gives_back_what_a_burst_needed)
{
        struct buf buf = {0};

        buf_add_zeros(&buf, 8 << 20);
        buf_clear_and_shrink(&buf);
        EXPECT_TRUE(!buf.len && buf.cap > 8 << 20);
        buf_add_zeros(&buf, 3 << 20);
        buf_clear_and_shrink(&buf);
        EXPECT_TRUE(!buf.len && buf.cap > 8 << 20);
        buf_add_zeros(&buf, 1 << 20);
        buf_clear_and_shrink(&buf);
        EXPECT_TRUE(!buf.len && !buf.cap);
        buf_add_str(&buf, "small");
        buf_clear_and_shrink(&buf);
        EXPECT_TRUE(!buf.len && buf.cap && !strcmp(buf_text(&buf), ""));
        buf_release(&buf);
}

TEST(a_full_buffer_has_no_more_than_its_content)
{
        AUTO_RELEASE(buf) buf = {0};

        buf_fit(&buf);
        EXPECT_TRUE(!buf.data && !buf.cap);
        buf_add_zeros(&buf, 3 << 20);
        buf_fit(&buf);
        EXPECT_INT(buf.cap, (3 << 20) + 1);
        buf_add_char(&buf, 'a');
        EXPECT_TRUE(buf.len == (3 << 20) + 1 && buf.data[3 << 20] == 'a' && !buf.data[buf.len]);
}

static void add_value(void *ctx, uint64_t key, uint64_t *value)
{
        *(uint64_t *)ctx += *value;
        *value = key + 1;
}

/* Few slots, so that runs are long and continue at the start of the table. */
TEST(map_without_the_keys_that_were_removed)
{
        struct map map = {0};
        bool is_there[40] = {0};
        uint64_t random = 1, sum = 0, expected = 0;

        EXPECT_TRUE(!map_remove(&map, 3));
        for (unsigned i = 0; i < 20000; i++) {
                uint64_t key = (random = map_mix_fixed(random + i)) % N_ELEMENTS(is_there);

                if (random >> 40 & 1) {
                        EXPECT_INT(map_remove(&map, key), is_there[key]);
                        is_there[key] = false;
                } else {
                        *map_put(&map, key, NULL) = key + 1;
                        is_there[key] = true;
                }
                for (key = 0; key < N_ELEMENTS(is_there); key++) {
                        const uint64_t *value = map_find(&map, key);

                        if (is_there[key] != (value && *value == key + 1))
                                EXPECT_INT(key, -1);
                }
        }
        for (uint64_t key = 0; key < N_ELEMENTS(is_there); key++)
                expected += is_there[key] ? key + 1 : 0;
        map_each(&map, add_value, &sum);
        EXPECT_INT(sum, expected);
        map_release(&map);
}

TEST(durations_of_the_grammar)
{
        static const struct {
                const char *text;
                int64_t ns; /* -1: rejected */
        } cases[] = {
                {"10", 10000000000},
                {"1.00h", 3600000000000},
                {"750ms", 750000000},
                {"5m", 300000000000},
                {"0.01h", 36000000000},
                {"3600.00ms", 3600000000},
                {"2.2", 2200000000},
                {"1d", 86400000000000},
                {"36", 36000000000},
                {"1s", 1000000000},
                {"1ms", 1000000},
                {"0.5", 500000000},
                {"0.05s", 50000000},
                {"0.01ms", 10000},
                {"0.25m", 15000000000},
                {"1m30s", -1},
                {".001h", -1},
                {"01h", -1},
                {"0.001ms", -1},
                {"+1", -1},
                {"-1", -1},
                {"1x", -1},
                {"", -1},
                {"1.", -1},
                {"99999999999999999999d", -1},
                {"0", -1},
                {"0.0", -1},
                {"nan", -1},
                {"1.005", -1},
                {"00", -1},
                {"00.5", -1},
                {".5", -1},
                {".", -1},
                {"ms", -1},
                {"1 s", -1},
                {" 1", -1},
                {"1 ", -1},
                {"1us", -1},
                {"1ns", -1},
                {"1sec", -1},
                {"1S", -1},
                {"1M", -1},
                {"1ms5", -1},
                {"1ss", -1},
                {"1.5.5", -1},
                {"1,5", -1},
                {"1e3", -1},
                {"0x10", -1},
                {"inf", -1},
                {"s1", -1},
                {"1-2", -1},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct err err = {0};
                uint64_t ns = 0;
                bool ok = text_to_duration(cases[i].text, "--timeout", false, &ns, &err);

                EXPECT_INT(ok ? (int64_t)ns : -1, cases[i].ns);
                if (!ok)
                        EXPECT_CONTAINS(err.text, "to argument '--timeout' is invalid");
        }
        uint64_t zero = 1;

        EXPECT_TRUE(text_to_duration("0", "-i", true, &zero, NULL));
        EXPECT_INT(zero, 0);
}

TEST(accepted_cpu_lists)
{
        static const struct {
                const char *text, *list;
        } cases[] = {
                {"0", "0"},
                {"7", "7"},
                {"0,1", "0,1"},
                {"1,0", "0,1"},
                {"0,3-5", "0,3,4,5"},
                {"3-1", "1,2,3"},
                {"1-3", "1,2,3"},
                {"0-0", "0"},
                {"2,2,2", "2"},
                {"0-2,1-3", "0,1,2,3"},
                {"5-3,4", "3,4,5"},
                {"007", "7"},
                {"0-7", "0,1,2,3,4,5,6,7"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) out = {0};
                uint32_t list[8];
                struct err err = {0};
                size_t n = 0;

                if (!text_to_cpu_list(cases[i].text, 8, list, 8, &n, &err))
                        TAP_FAIL("%s: %s", cases[i].text, err.text);
                for (size_t k = 0; k < n; k++)
                        buf_printf(&out, "%s%u", k ? "," : "", list[k]);
                EXPECT_STR(buf_text(&out), cases[i].list);
        }
}

TEST(rejected_cpu_lists)
{
        static const char *const formats[] = {"",      ",",    "1,",  ",1",  "1,,2", "1-",   "-1",
                                              "1-2-3", "1--2", "-",   "1;2", "1 ,2", "1, 2", " 1",
                                              "1 ",    "all",  "0x1", "1.5", "+1",   "1:2"};
        uint32_t list[128];
        struct err err = {0};
        size_t n = 99;

        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                char want[160];

                EXPECT_TRUE(!text_to_cpu_list(formats[i], 8, list, 8, &n, &err));
                snprintf(want, sizeof(want),
                         "option -c format not supported, use comma separated list of integers, or range of "
                         "integers: '%s'",
                         formats[i]);
                EXPECT_STR(err.text, want);
                EXPECT_INT(err.code, ERR_USAGE);
        }
        EXPECT_TRUE(!text_to_cpu_list("0,3-9", 8, list, 8, &n, &err));
        EXPECT_STR(err.text, "core index '9' not allowed. Use 0-7, see option -c <n>");
        EXPECT_TRUE(!text_to_cpu_list("9-3", 8, list, 8, &n, &err));
        EXPECT_STR(err.text, "core index '9' not allowed. Use 0-7, see option -c <n>");
        EXPECT_TRUE(!text_to_cpu_list("0-128", 256, list, 128, &n, &err));
        EXPECT_STR(err.text, "you can specify up to 128 cores with -c <cpu_list> option");
        EXPECT_INT(n, 99);
        EXPECT_TRUE(text_to_cpu_list("0-127,5", 256, list, 128, &n, &err));
        EXPECT_INT(n, 128);
}

TEST(cpu_lists)
{
        uint32_t list[8];
        struct err err = {0};
        size_t n = 0;

        ASSERT_TRUE(text_to_cpu_list("0,3-5", 8, list, 8, &n, &err));
        EXPECT_INT(n, 4);
        EXPECT_INT(list[3], 5);
        ASSERT_TRUE(text_to_cpu_list("3-1,0-0,2", 8, list, 8, &n, &err));
        EXPECT_INT(n, 4);
        EXPECT_INT(list[0], 0);
        EXPECT_INT(list[3], 3);
        EXPECT_TRUE(!text_to_cpu_list("8", 8, list, 8, &n, &err));
        EXPECT_STR(err.text, "core index '8' not allowed. Use 0-7, see option -c <n>");
        EXPECT_TRUE(!text_to_cpu_list("1,", 8, list, 8, &n, &err));
        EXPECT_TRUE(!text_to_cpu_list("", 8, list, 8, &n, &err));
        EXPECT_TRUE(!text_to_cpu_list("1-2-3", 8, list, 8, &n, &err));
        EXPECT_TRUE(!text_to_cpu_list("0-9", 64, list, 8, &n, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_TRUE(!text_to_cpu_list("4294967297", 8, list, 8, &n, &err));
}

TEST(symbol_patterns)
{
        EXPECT_TRUE(text_match_symbol("X_MUL", "x_mul"));
        EXPECT_TRUE(!text_match_symbol("x_m", "x_mul"));
        EXPECT_TRUE(text_match_symbol("^x_m", "x_mul"));
        EXPECT_TRUE(text_match_symbol("mul$", "x_mul"));
        EXPECT_TRUE(text_match_symbol("^x_mul$", "x_mul"));
        EXPECT_TRUE(!text_match_symbol("^x_mul$", "x_mull"));
        EXPECT_TRUE(!text_match_symbol("mul$", "ul"));
        EXPECT_TRUE(text_match_symbol("^", "anything"));
        EXPECT_TRUE(!text_match_symbol("", "a"));
}

TEST(glob_patterns)
{
        EXPECT_TRUE(text_match_glob("L1D*", "l1d_cache"));
        EXPECT_TRUE(text_match_glob("*cache*rd", "ll_cache_miss_rd"));
        EXPECT_TRUE(text_match_glob("??_spec", "ld_spec"));
        EXPECT_TRUE(text_match_glob("*", ""));
        EXPECT_TRUE(text_match_glob("a*b*c", "aXbXbXc"));
        EXPECT_TRUE(!text_match_glob("l1d", "l1d_cache"));
        EXPECT_TRUE(!text_match_glob("??_spec", "ase_spec"));
        EXPECT_TRUE(!text_match_glob("a*b", "aXbX"));
        EXPECT_TRUE(!text_match_glob("", "a"));
}

TEST(nearest_name)
{
        static const char *const names[] = {"timeout", "symbol", "session"};

        EXPECT_STR(text_nearest("timout", names, 3), "timeout");
        EXPECT_STR(text_nearest("sybmol", names, 3), "symbol");
        EXPECT_CMP(text_nearest("zzzzzz", names, 3), ==, NULL);
        EXPECT_INT(text_distance("ab", "ba"), 1);
}

/* Characters that change the direction of text, have no width, or end a line. */
TEST(what_nobody_sees_is_an_escape)
{
        static const char *const cases[][3] = {
                {"a\xe2\x80\xae"
                 "b",
                 "a\\u202eb", "\"a\\u202eb\""},
                {"\xe2\x80\x8b\xe2\x80\x8f", "\\u200b\\u200f", "\"\\u200b\\u200f\""},
                {"\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069", "\"\\u2066x\\u2069\""},
                {"\xe2\x80\xa8", "\\u2028", "\"\\u2028\""},
                {"\xef\xbb\xbf", "\\ufeff", "\"\\ufeff\""},
                {"\xc2\xad", "\\u00ad", "\"\\u00ad\""},
                {"\xd8\x9c", "\\u061c", "\"\\u061c\""},
                {"\xf3\xa0\x81\x81", "\\U000e0041", "\"\\udb40\\udc41\""},
                {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5",
                 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5",
                 "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5\""},
                {"\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c", "\"\xd7\xa9\xd7\x9c\""},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(buf) shown = {0};
                AUTO_RELEASE(buf) document = {0};
                struct json json;

                text_add_printable(&shown, cases[i][0]);
                EXPECT_STR(buf_text(&shown), cases[i][1]);
                json_init(&json, &document);
                json_str(&json, cases[i][0]);
                EXPECT_STR(buf_text(&document), cases[i][2]);
        }
}

TEST(what_is_not_printable_is_found_at_every_place_of_a_long_text)
{
        static const char *const odd[] = {"\x1f", "\x7f", "\x01", "\x80"};
        static const char *const shown[] = {"\\x1f", "\\x7f", "\\x01", "\\x80"};

        for (size_t i = 0; i < 21 * N_ELEMENTS(odd); i++) {
                AUTO_RELEASE(buf) text = {0};
                AUTO_RELEASE(buf) want = {0};
                AUTO_RELEASE(buf) out = {0};
                size_t at = i / N_ELEMENTS(odd), which = i % N_ELEMENTS(odd);

                buf_add(&text, " ~abcdefghijklmnopqrstu", at);
                buf_add_str(&text, odd[which]);
                buf_add_str(&text, "vwxyz 0123456789");
                buf_add(&want, " ~abcdefghijklmnopqrstu", at);
                buf_add_str(&want, shown[which]);
                buf_add_str(&want, "vwxyz 0123456789");
                text_add_printable(&out, buf_text(&text));
                EXPECT_STR(buf_text(&out), buf_text(&want));
        }
}

TEST(each_character_is_the_bytes_that_it_is_read_from)
{
        static const char *const texts[] = {"a",
                                            "\xc3\xa9",
                                            "\xe2\x82\xac",
                                            "\xed\x9f\xbf",
                                            "\xee\x80\x80",
                                            "\xf0\x9f\x98\x80",
                                            "\xf4\x8f\xbf\xbf"};
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                buf_clear(&out);
                text_add_utf8(&out, text_utf8_code((const unsigned char *)texts[i]));
                EXPECT_STR(buf_text(&out), texts[i]);
        }
        buf_clear(&out);
        text_add_utf8(&out, 0xd800);
        text_add_utf8(&out, 0x110000);
        EXPECT_STR(buf_text(&out), "");
}

TEST(a_part_is_found_in_any_case)
{
        EXPECT_TRUE(text_contains_nocase("_PyEval_EvalFrame", "pyeval"));
        EXPECT_TRUE(text_contains_nocase("x_mul", "MUL"));
        EXPECT_TRUE(text_contains_nocase("x_mul", ""));
        EXPECT_TRUE(!text_contains_nocase("x_mul", "x_mull"));
        EXPECT_TRUE(!text_contains_nocase("", "x"));
}

TEST(text_forms)
{
        AUTO_RELEASE(buf) out = {0};
        char hex[9];

        text_add_thousands(&out, 0);
        buf_add_char(&out, ' ');
        text_add_thousands(&out, 46009833);
        buf_add_char(&out, ' ');
        text_add_thousands(&out, 100);
        EXPECT_STR(buf_text(&out), "0 46,009,833 100");
        buf_clear(&out);
        text_add_printable(&out, "a\x1b[1m\xc3\xa9\xff\xc2\x9b");
        EXPECT_STR(buf_text(&out), "a\\x1b[1m\xc3\xa9\\xff\\xc2\\x9b");
        EXPECT_STR(text_base_name("/a/b.so"), "b.so");
        EXPECT_STR(text_base_name("C:\\x\\y.exe"), "y.exe");
        EXPECT_STR(text_base_name("plain"), "plain");
        text_hex(hex, "\x01\xab\xff\x00", 4);
        EXPECT_STR(hex, "01abff00");
        EXPECT_TRUE(text_starts("abc", "ab") && text_ends("abc", "bc") && !text_ends("c", "bc"));
}

TEST(json_quotes_and_nests)
{
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        json_init(&json, &out);
        json_begin_object(&json);
        json_key_str(&json, "a\"b", "tab\there \\ \x01 \xff end");
        json_key(&json, "list");
        json_begin_array(&json);
        json_u64(&json, UINT64_MAX);
        json_i64(&json, -1);
        json_fixed(&json, 75.391, 2);
        json_fixed(&json, INFINITY, 2);
        json_begin_object(&json);
        json_end_object(&json);
        json_end_array(&json);
        json_key_bool(&json, "t", true);
        json_end_object(&json);
        EXPECT_STR(buf_text(&out), "{\"a\\\"b\":\"tab\\there \\\\ \\u0001 \\ufffd end\","
                                   "\"list\":[18446744073709551615,-1,75.39,null,{}],\"t\":true}");
}

TEST(cpu_lists_are_written_as_ranges)
{
        static const uint32_t list[] = {0, 2, 4, 5, 6, 7, 9, 10};
        AUTO_RELEASE(buf) out = {0};

        text_add_cpu_list(&out, list, N_ELEMENTS(list));
        EXPECT_STR(buf_text(&out), "0,2,4-7,9-10");
        buf_clear(&out);
        text_add_cpu_list(&out, list, 1);
        EXPECT_STR(buf_text(&out), "0");
        buf_clear(&out);
        text_add_cpu_list(&out, NULL, 0);
        EXPECT_STR(buf_text(&out), "");
}

TEST(base64_of_rfc_4648)
{
        static const char *const pairs[][2] = {
                {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xfb\xff\xfe", "+//+"}};

        for (size_t i = 0; i < N_ELEMENTS(pairs); i++) {
                AUTO_RELEASE(buf) out = {0};

                buf_add_base64(&out, pairs[i][0], strlen(pairs[i][0]));
                EXPECT_STR(buf_text(&out), pairs[i][1]);
        }
}

TAP_MAIN
