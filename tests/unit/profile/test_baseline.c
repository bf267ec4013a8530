/* SPDX-License-Identifier: BSD-3-Clause */
#include "baseline.h"

#include <math.h>
#include <stdlib.h>

#include "comparison.h"
#include "json_reader.h"
#include "runs_builder.h"
#include "tap.h"

/* Runs of A that went through a baseline compare as the sessions themselves do. */
TEST(a_baseline_keeps_what_a_comparison_needs)
{
        struct runs_builder b = runs_builder_of(4), again;
        AUTO(run_values) direct = run_values_new();
        AUTO(run_values) alone = run_values_new();
        AUTO(run_values) read = run_values_new();
        AUTO(comparison) one = NULL;
        AUTO(comparison) two = NULL;
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};

        for (unsigned i = 0; i < 3; i++)
                runs_add(&b, alone, RUN_A, i);
        run_values_add_fact(alone, "kernel", "6.1 \"x\" \xc3\xa9");
        run_values_finish(alone);
        baseline_write(alone, &document);
        EXPECT_TRUE(baseline_read(read, document.data, document.len, &err));
        again = runs_builder_of(4);
        for (unsigned i = 0; i < 3; i++)
                runs_add(&again, direct, RUN_A, i);
        b = again;
        for (unsigned i = 0; i < 3; i++) {
                runs_add(&again, direct, RUN_B, i);
                runs_add(&b, read, RUN_B, i);
        }
        run_values_finish(direct);
        run_values_finish(read);
        one = comparison_new(&(struct comparison_request){direct, 0, MEASURE_TIME});
        two = comparison_new(&(struct comparison_request){read, 0, MEASURE_TIME});
        EXPECT_TRUE(one->n_rows == two->n_rows && one->n_rows > 30);
        for (size_t i = 0; i < one->n_rows; i++) {
                EXPECT_STR(one->rows[i].name, two->rows[i].name);
                EXPECT_CMP(fabs(one->rows[i].amount.welch.p - two->rows[i].amount.welch.p), <, 1e-9);
        }
        EXPECT_CMP(one->n_totals, ==, two->n_totals);
        EXPECT_CMP(run_values_n_facts(read, 2), ==, 1);
}

static const char *read_error(const char *text)
{
        static struct err err;
        AUTO(run_values) values = run_values_new();

        err = (struct err){0};
        return baseline_read(values, text, strlen(text), &err) ? "" : err.text;
}

#define EVENT(rows)                                                                                                   \
        "{\"wperf_baseline\":1,\"names\":[[\"f\",\"f\",\"m\"]],\"runs\":[{\"events\":[{\"name\":\"e\",\"rows\":" rows \
        "}]}]}"

TEST(wrong_baselines_are_refused_with_the_position)
{
        EXPECT_STR(read_error(EVENT("[[0,1,2]]")), "");
        EXPECT_TRUE(strstr(read_error(EVENT("[[1,1,2]]")), "a row has no name"));
        EXPECT_TRUE(strstr(read_error(EVENT("[[0,1]]")), "a row has three numbers"));
        EXPECT_TRUE(strstr(read_error(EVENT("[[0,1,2,3]]")), "a row has three numbers"));
        EXPECT_TRUE(strstr(read_error(EVENT("[[0,1,-2]]")), "a whole number"));
        EXPECT_TRUE(strstr(read_error("{}"), "the baseline has no runs"));
        EXPECT_TRUE(strstr(read_error("{\"wperf_baseline\":2,\"names\":[]}"), "not a baseline"));
        EXPECT_TRUE(strstr(read_error("{\"runs\":[]}"), "not a baseline"));
        EXPECT_TRUE(strstr(read_error(""), "byte 0: an object was expected"));
        EXPECT_TRUE(strstr(read_error(EVENT("[[0,1,2]]") "x"), "text follows"));
        EXPECT_TRUE(strstr(read_error("{\"wperf_baseline\":1,\"names\":[[\"f\",\"f\"]]}"),
                           "a name has three texts"));
        EXPECT_TRUE(strstr(read_error("{\"wperf_baseline\":1,\"names\":[],\"runs\":[{\"events\":[{}]}]}"),
                           "an event needs"));
}

/* A baseline of `n_first` events in its first run, and of `n_runs` runs that have the last of them. */
static void make_events(size_t n_first, size_t n_runs, struct buf *out)
{
        buf_add_str(out, "{\"wperf_baseline\":1,\"names\":[],\"runs\":[{\"events\":[");
        for (size_t i = 0; i < n_first; i++)
                buf_printf(out, "%s{\"name\":\"%zx\"}", i ? "," : "", i);
        buf_add_str(out, "]}");
        for (size_t i = 0; i < n_runs; i++)
                buf_printf(out, ",{\"events\":[{\"name\":\"%zx\"}]}", n_first - 1);
        buf_add_str(out, "]}");
}

static void make_facts(size_t n_runs, size_t n_facts, struct buf *out)
{
        buf_add_str(out, "{\"wperf_baseline\":1,\"names\":[],\"runs\":[");
        for (size_t r = 0; r < n_runs; r++) {
                buf_printf(out, "%s{\"facts\":{", r ? "," : "");
                for (size_t i = 0; i < n_facts; i++)
                        buf_printf(out, "%s\"%zx\":\"x\"", i ? "," : "", r * n_facts + i);
                buf_add_str(out, "}}");
        }
        buf_add_str(out, "]}");
}

/* Small documents whose runs would take gigabytes, or hours. */
TEST(bombs_are_refused_while_they_are_read)
{
        AUTO_RELEASE(buf) most = {0};
        AUTO_RELEASE(buf) many = {0};
        AUTO_RELEASE(buf) wide = {0};
        AUTO_RELEASE(buf) facts = {0};
        AUTO_RELEASE(buf) fits = {0};

        make_events(BASELINE_MAX_EVENTS, 1000, &most);
        EXPECT_STR(read_error(buf_text(&most)), "");
        make_events(BASELINE_MAX_EVENTS + 1, 0, &many);
        EXPECT_TRUE(strstr(read_error(buf_text(&many)), "too many events"));
        make_events(BASELINE_MAX_EVENTS, BASELINE_MAX_EVENT_CELLS / BASELINE_MAX_EVENTS, &wide);
        EXPECT_TRUE(strstr(read_error(buf_text(&wide)), "too many events"));
        make_facts(2, BASELINE_MAX_FACTS, &facts);
        EXPECT_TRUE(strstr(read_error(buf_text(&facts)), "too many facts"));
        make_facts(2, BASELINE_MAX_FACTS / 2, &fits);
        EXPECT_STR(read_error(buf_text(&fits)), "");
}

/* --- The JSON reader --- */

static double number_of(const char *text, bool *ret_ok)
{
        struct json_reader r;
        struct err err = {0};
        double value;

        json_reader_init(&r, text, strlen(text));
        value = json_read_double(&r);
        *ret_ok = json_reader_end(&r, &err);
        json_reader_release(&r);
        return value;
}

TEST(numbers_are_read_exactly)
{
        static const double values[] = {0, 1, -1, 0.1, 1e22, 123456789.125, -2.5e-3, 4503599627370497};
        bool ok;

        for (size_t i = 0; i < N_ELEMENTS(values); i++) {
                char text[64];

                snprintf(text, sizeof(text), " %.17g ", values[i]);
                EXPECT_CMP(fabs(number_of(text, &ok) - values[i]), <=, fabs(values[i]) * 1e-15);
                EXPECT_TRUE(ok);
        }
        number_of("1e999", &ok);
        EXPECT_TRUE(!ok);
        number_of("1.", &ok);
        EXPECT_TRUE(!ok);
        number_of("1e", &ok);
        EXPECT_TRUE(!ok);
        number_of("-", &ok);
        EXPECT_TRUE(!ok);
        number_of("NaN", &ok);
        EXPECT_TRUE(!ok);
}

static bool has_text(const char *document, const char *expected)
{
        struct json_reader r;
        struct err err = {0};
        bool same;

        json_reader_init(&r, document, strlen(document));
        same = !strcmp(json_read_str(&r), expected);
        same &= json_reader_end(&r, &err);
        json_reader_release(&r);
        return same;
}

TEST(strings_have_escapes)
{
        EXPECT_TRUE(has_text("\"a\\n\\\"\\\\\\/\\u00e9\\u20AC\\ud83d\\ude00\"",
                             "a\n\"\\/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
        EXPECT_TRUE(!has_text("\"\\ud83d\"", ""));
        EXPECT_TRUE(!has_text("\"\\ud83d\\u0041\"", ""));
        EXPECT_TRUE(!has_text("\"\\ude00\"", ""));
        EXPECT_TRUE(!has_text("\"\\u0000\"", ""));
        EXPECT_TRUE(!has_text("\"\\x\"", ""));
        EXPECT_TRUE(!has_text("\"\\u12g4\"", ""));
        EXPECT_TRUE(!has_text("\"a\nb\"", ""));
        EXPECT_TRUE(!has_text("\"abc", ""));
        EXPECT_TRUE(!has_text("\"abc\\", ""));
}

TEST(any_value_can_be_skipped_but_not_too_many_levels)
{
        const char *text = "{\"a\":[1,{\"b\":null},true,false,\"x\",-1.5e3,[]],\"c\":{}}";
        struct json_reader r;
        struct err err = {0};
        char deep[200];

        json_reader_init(&r, text, strlen(text));
        json_skip(&r);
        EXPECT_TRUE(json_reader_end(&r, &err));
        json_reader_release(&r);
        memset(deep, '[', sizeof(deep));
        json_reader_init(&r, deep, sizeof(deep));
        json_skip(&r);
        EXPECT_TRUE(!json_reader_end(&r, &err) && strstr(err.text, "too many levels"));
        json_reader_release(&r);
}

TAP_MAIN
