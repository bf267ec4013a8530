/* SPDX-License-Identifier: BSD-3-Clause */
#include "buf.h"
#include "extra_event.h"
#include "tap.h"

/* "name=0x1b dsu/other=0x2" */
static void describe_events(const struct extra_names *names, struct buf *out)
{
        for (size_t i = 0; i < names->n_events; i++) {
                const struct extra_event *event = &names->events[i];

                buf_printf(out, "%s%s%s%s=0x%x", i ? " " : "", event->prefix, *event->prefix ? "/" : "",
                           event->name, event->code);
        }
}

static void describe_metrics(const struct extra_names *names, struct buf *out)
{
        for (size_t i = 0; i < names->n_metrics; i++)
                buf_printf(out, "%s%s=%s", i ? " " : "", names->metrics[i].name, names->metrics[i].events);
}

struct good {
        const char *text, *names;
};

TEST(accepted_events)
{
        static const struct good cases[] = {
                {"name1:0x1b", "name1=0x1b"},
                {"name1:1b", "name1=0x1b"},
                {"name1:0X1B", "name1=0x1b"},
                {"name1:0x0,name2:ffff", "name1=0x0 name2=0xffff"},
                {"name1:10", "name1=0x10"},
                {"name1:0000000000000000000001b", "name1=0x1b"},
                {"Name1:0xFFAA,NAME2:aBcD", "name1=0xffaa name2=0xabcd"},
                {"_a.b-c:4001", "_a.b-c=0x4001"},
                {"/dsu/l3d:2b", "dsu/l3d=0x2b"},
                {"/DSU/L3D:0x2B", "dsu/l3d=0x2b"},
                {"/dmc_clk/a:1,/dmc_clkdiv2/b:0x12", "dmc_clk/a=0x1 dmc_clkdiv2/b=0x12"},
                {"a:1,b:1,c:0x01", "a=0x1"},
                {"a:1,/dsu/a:1,/dsu/b:1,/dmc_clk/a:1", "a=0x1 dsu/a=0x1 dmc_clk/a=0x1"},
                {"a:1,a:1", "a=0x1"},
                {"a:1,/dsu/a:2", "a=0x1 dsu/a=0x2"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                AUTO_RELEASE(buf) out = {0};
                struct err err = {0};

                if (!extra_events_parse(cases[i].text, &names, &err))
                        TAP_FAIL("%s: %s", cases[i].text, err.text);
                describe_events(&names, &out);
                EXPECT_STR(buf_text(&out), cases[i].names);
        }
}

struct bad {
        const char *text, *message;
};

TEST(rejected_events)
{
        static const struct bad cases[] = {
                {"", "nothing to parse! (column 1)"},
                {"a:1, b:2", "whitespace not allowed in extra event string in 'a:1, b:2' (column 5)"},
                {" a:1", "whitespace not allowed in extra event string in ' a:1' (column 1)"},
                {"a:1\t", "whitespace not allowed in extra event string in 'a:1\\x09' (column 4)"},
                {"a:1\nb:2", "whitespace not allowed in extra event string in 'a:1\\x0ab:2' (column 4)"},
                {"a :1", "whitespace not allowed in extra event string in 'a :1' (column 2)"},
                {",", "empty token in ',' (column 1)"},
                {",a:1", "empty token in ',a:1' (column 1)"},
                {"a:1,", "empty token in 'a:1,' (column 5)"},
                {"a:1,,b:2", "empty token in 'a:1,,b:2' (column 5)"},
                {"a:1:2", "too many delimiters in a:1:2 (column 4)"},
                {"x:1,a::2", "too many delimiters in a::2 (column 7)"},
                {"a", "missing extra event delimiter ':' in a (column 2)"},
                {"a:1,b", "missing extra event delimiter ':' in b (column 6)"},
                {"a=1", "missing extra event delimiter ':' in a=1 (column 4)"},
                {"a:", "missing extra event value after ':' in a: (column 3)"},
                {"a:0x", "missing extra event value after ':' in a:0x (column 5)"},
                {"x:1,a:,b:1", "missing extra event value after ':' in a: (column 7)"},
                {":", "missing extra event name before ':' in : (column 1)"},
                {":1", "missing extra event name before ':' in :1 (column 1)"},
                {"/dsu/:1", "missing extra event name before ':' in /dsu/:1 (column 6)"},
                {"a:10000", "extra event value out of range in a:10000 (column 3)"},
                {"a:0x10000", "extra event value out of range in a:0x10000 (column 3)"},
                {"a:100000000000000000000",
                 "extra event value out of range in a:100000000000000000000 (column 3)"},
                {"a:1g", "extra event value is not hexadecimal in a:1g (column 4)"},
                {"a:-1", "extra event value is not hexadecimal in a:-1 (column 3)"},
                {"a:0x0x1", "extra event value is not hexadecimal in a:0x0x1 (column 6)"},
                {"/core/a:1",
                 "unknown prefix of an extra event in /core/a:1: prefixes are /cmn/, /dmc_clk/, /dmc_clkdiv2/, "
                 "/dsu/ (column 1)"},
                {"/dsu:1",
                 "unknown prefix of an extra event in /dsu:1: prefixes are /cmn/, /dmc_clk/, /dmc_clkdiv2/, "
                 "/dsu/ (column 1)"},
                {"/:1",
                 "unknown prefix of an extra event in /:1: prefixes are /cmn/, /dmc_clk/, /dmc_clkdiv2/, "
                 "/dsu/ (column 1)"},
                {"dsu/a:1",
                 "'dsu/a' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 1)"},
                {"/dsu/a/b:1",
                 "'a/b' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 6)"},
                {"1a:1",
                 "'1a' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 1)"},
                {"{a:1",
                 "'{a' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 1)"},
                {"\xc3\xa9:1,",
                 "'\xc3\xa9' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 1)"},
                {"b:1,\xc3\xa9", "missing extra event delimiter ':' in \xc3\xa9 (column 6)"},
                {"a:1,A:2", "extra event 'a' has two values: 0x1 and 0x2 (column 5)"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                struct err err = {0};

                EXPECT_TRUE(!extra_events_parse(cases[i].text, &names, &err));
                EXPECT_INT(err.code, ERR_USAGE);
                EXPECT_STR(err.text, cases[i].message);
                EXPECT_INT(names.n_events, 0);
        }
        EXPECT_TRUE(!extra_events_parse("a", &(struct extra_names){0}, NULL));
}

TEST(files_of_events)
{
        static const struct good cases[] = {
                {"", ""},
                {"a:1", "a=0x1"},
                {"# first\r\n\r\na:1,b:2\r\n   \r\n  # c:3\r\n\t/dsu/c:0x3 \r\n", "a=0x1 b=0x2 dsu/c=0x3"},
                {"\xef\xbb\xbf"
                 "a:1\n",
                 "a=0x1"},
                {"a:1\nb:1\n", "a=0x1"},
        };
        static const struct bad bad[] = {
                {"a:1\n\n#\nb:2:3\n", "more.txt:4: too many delimiters in b:2:3 (column 4)"},
                {"  b\n", "more.txt:1: missing extra event delimiter ':' in b (column 4)"},
                {"a:1\nb:2, c:3",
                 "more.txt:2: whitespace not allowed in extra event string in 'b:2, c:3' (column 5)"},
                {"a:1\nb:2,", "more.txt:2: empty token in 'b:2,' (column 5)"},
                {"a:1\na:2", "more.txt:2: extra event 'a' has two values: 0x1 and 0x2 (column 1)"},
                {"a:1 # one",
                 "more.txt:1: whitespace not allowed in extra event string in 'a:1 # one' (column 4)"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                AUTO_RELEASE(buf) out = {0};
                struct err err = {0};

                if (!extra_events_parse_file(cases[i].text, "more.txt", &names, &err))
                        TAP_FAIL("%s", err.text);
                describe_events(&names, &out);
                EXPECT_STR(buf_text(&out), cases[i].names);
        }
        for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                struct err err = {0};

                EXPECT_TRUE(!extra_events_parse_file(bad[i].text, "more.txt", &names, &err));
                EXPECT_INT(err.code, ERR_FORMAT);
                EXPECT_STR(err.text, bad[i].message);
                EXPECT_INT(names.n_events, 0);
        }
}

TEST(texts_are_added_up)
{
        AUTO_RELEASE(extra_names) names = {0};
        AUTO_RELEASE(buf) out = {0};

        EXPECT_TRUE(extra_events_parse("a:1", &names, NULL));
        EXPECT_TRUE(extra_events_parse_file("b:2\na:1", "f", &names, NULL));
        EXPECT_TRUE(!extra_events_parse("c:3,d", &names, NULL));
        EXPECT_TRUE(!extra_events_parse_file("d:4\ne", "f", &names, NULL));
        EXPECT_TRUE(extra_metrics_parse_file("m:x", "f", &names, NULL));
        EXPECT_TRUE(!extra_metrics_parse_file("n:x\nm:y", "f", &names, NULL));
        describe_events(&names, &out);
        buf_add_char(&out, ' ');
        describe_metrics(&names, &out);
        EXPECT_STR(buf_text(&out), "a=0x1 b=0x2 m=x");
}

TEST(accepted_metrics)
{
        static const struct good cases[] = {
                {"", ""},
                {"m:a", "m=a"},
                {"m:{a,b},c", "m={a,b},c"},
                {"m:c,{a,b}", "m=c,{a,b}"},
                {"m:{a},{b}", "m={a},{b}"},
                {"m:r1b,0x1c,27", "m=r1b,0x1c,27"},
                {"m:/dsu/l3d_cache,/dmc_clkdiv2/rdwr", "m=/dsu/l3d_cache,/dmc_clkdiv2/rdwr"},
                {"M.X-1:INST_SPEC", "M.X-1=INST_SPEC"},
                {"  m : {a,b} \r\n", "m={a,b}"},
                {"# comment: {\n\n  # more\none:a\n\ntwo:{b,c}", "one=a two={b,c}"},
                {"\xef\xbb\xbf# from Windows\r\nm:a\r\n", "m=a"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                AUTO_RELEASE(buf) out = {0};
                struct err err = {0};

                if (!extra_metrics_parse_file(cases[i].text, "m.txt", &names, &err))
                        TAP_FAIL("%s", err.text);
                describe_metrics(&names, &out);
                EXPECT_STR(buf_text(&out), cases[i].names);
        }
}

TEST(rejected_metrics)
{
        static const struct bad cases[] = {
                {"m:a:b", "m.txt:1: unrecognized config component 'b' (column 5)"},
                {"\nm:a: b :c", "m.txt:2: unrecognized config component 'b' (column 6)"},
                {"m:a:", "m.txt:1: unrecognized config component '' (column 5)"},
                {"m", "m.txt:1: missing ':' between metric and events in m (column 2)"},
                {"one:a\n  two  ", "m.txt:2: missing ':' between metric and events in two (column 6)"},
                {" :a", "m.txt:1: missing metric name before ':' in :a (column 2)"},
                {"m n:a",
                 "m.txt:1: 'm n' is not a name: a name has letters, digits, '_', '.' and '-', and begins with a letter or '_' (column 1)"},
                {"m:", "m.txt:1: no event specified in '' (column 3)"},
                {"m:  ", "m.txt:1: no event specified in '' (column 3)"},
                {"m:,a", "m.txt:1: no event specified in ',a' (column 3)"},
                {"m:a,", "m.txt:1: no event specified in 'a,' (column 5)"},
                {"m:a,,b", "m.txt:1: no event specified in 'a,,b' (column 5)"},
                {"m:{}", "m.txt:1: no event specified in '{}' (column 4)"},
                {"m:{a,}", "m.txt:1: no event specified in '{a,}' (column 6)"},
                {"m:{a},", "m.txt:1: no event specified in '{a},' (column 7)"},
                {"m:{a},,b", "m.txt:1: no event specified in '{a},,b' (column 7)"},
                {"m:a}", "m.txt:1: missing '{' for event group a} (column 4)"},
                {"m:{a}}", "m.txt:1: missing '{' for event group {a}} (column 6)"},
                {"m:}", "m.txt:1: missing '{' for event group } (column 3)"},
                {"m:b,{a,c", "m.txt:1: missing '}' for event group b,{a,c (column 5)"},
                {"m:{", "m.txt:1: no event specified in '{' (column 4)"},
                {"m:{a,{b}}", "m.txt:1: nested group is not supported {a,{b}} (column 6)"},
                {"m:{{a}}", "m.txt:1: nested group is not supported {{a}} (column 4)"},
                {"m:a{b}", "m.txt:1: missing ',' before '{' in a{b} (column 4)"},
                {"m:{a}b", "m.txt:1: missing ',' behind '}' in {a}b (column 6)"},
                {"m:{a}{b}", "m.txt:1: missing ',' behind '}' in {a}{b} (column 6)"},
                {"m:{a, b}", "m.txt:1: whitespace not allowed in {a, b} (column 6)"},
                {"m:a\nM:b", "m.txt:2: metric 'm' is defined twice (column 1)"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                AUTO_RELEASE(extra_names) names = {0};
                struct err err = {0};

                EXPECT_TRUE(!extra_metrics_parse_file(cases[i].text, "m.txt", &names, &err));
                EXPECT_INT(err.code, ERR_FORMAT);
                EXPECT_STR(err.text, cases[i].message);
                EXPECT_INT(names.n_metrics, 0);
        }
}

TEST(limits)
{
        AUTO_RELEASE(extra_names) names = {0};
        AUTO_RELEASE(buf) text = {0}, name = {0};
        struct err err = {0};

        for (unsigned i = 0; i < EXTRA_ITEMS_MAX; i++)
                buf_printf(&text, "%sn%u:%x", i ? "," : "", i, i);
        EXPECT_TRUE(extra_events_parse(text.data, &names, &err));
        EXPECT_INT(names.n_events, EXTRA_ITEMS_MAX);
        EXPECT_TRUE(!extra_events_parse("more:ffff", &names, &err));
        EXPECT_STR(err.text, "more than 4096 names (column 1)");
        EXPECT_INT(err.code, ERR_LIMIT);
        extra_names_release(&names);
        EXPECT_INT(names.n_events, 0);

        while (name.len < EXTRA_NAME_MAX_BYTES)
                buf_add_char(&name, 'n');
        buf_clear(&text);
        buf_printf(&text, "%s:1", name.data);
        EXPECT_TRUE(extra_events_parse(text.data, &names, &err));
        buf_clear(&text);
        buf_printf(&text, "m%s:a", name.data);
        EXPECT_TRUE(!extra_metrics_parse_file(text.data, "f", &names, &err));
        EXPECT_CONTAINS(err.text, "is longer than 64 bytes (column 1)");

        buf_clear(&text);
        while (text.len < EXTRA_TEXT_MAX_BYTES)
                buf_add_char(&text, '\n');
        EXPECT_TRUE(extra_events_parse_file(text.data, "f", &names, &err));
        buf_add_char(&text, '\n');
        EXPECT_TRUE(!extra_events_parse_file(text.data, "f", &names, &err));
        EXPECT_STR(err.text, "f is longer than 1048576 bytes");
        EXPECT_TRUE(!extra_metrics_parse_file(text.data, "f", &names, &err));
        EXPECT_TRUE(!extra_events_parse(text.data, &names, &err));
        EXPECT_STR(err.text, "the text of the extra events is longer than 1048576 bytes");
        EXPECT_INT(err.code, ERR_LIMIT);
}

TAP_MAIN
