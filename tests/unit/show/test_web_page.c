/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of a page: what web_page_internal.h writes is read back here. */
#include <math.h>

#include "cursor.h"
#include "samples_builder.h"
#include "strpool.h"
#include "tap.h"
#include "web_page_internal.h"

static const struct export_about about = {.event = "cycles", .tool = "wperf", .command = "./work <a>"};
static const struct web_page_event cycles = {0, &about};

static struct web_page page_of(const struct sample_list *samples, const struct named_stacks *stacks)
{
        return (struct web_page){.samples = samples, .stacks = stacks, .events = &cycles, .n_events = 1};
}

/* "main>work>add": the functions of a stack. */
static void add_path(const struct web_page_stacks *stacks, const struct strpool *texts, uint32_t stack,
                     struct buf *out)
{
        const struct web_page_column *steps = &stacks->stacks.columns[0];
        uint32_t frame = stacks->stacks.columns[1].values[stack - 1],
                 parent = stack - steps->values[stack - 1];
        uint32_t function = stacks->frames.columns[0].values[frame];

        if (parent) {
                add_path(stacks, texts, parent, out);
                buf_add_char(out, '>');
        }
        buf_add_str(out, strpool_get(texts, stacks->functions.columns[0].values[function]));
}

static void check_path(const struct web_page_stacks *stacks, const struct strpool *texts, uint32_t node,
                       const char *expected)
{
        AUTO_RELEASE(buf) path = {0};

        EXPECT_TRUE(stacks->of_node[node] != 0);
        if (stacks->of_node[node])
                add_path(stacks, texts, stacks->of_node[node], &path);
        EXPECT_STR(buf_text(&path), expected);
}

TEST(stacks_have_inlined_functions)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) named = samples_ordinary_stacks();
        AUTO(strpool) texts = strpool_new();
        struct web_page page = page_of(samples, named);
        struct web_page_stacks stacks;

        web_page_stacks_make(&page, texts, &stacks);
        check_path(&stacks, texts, 1, "main>work>add>carry");
        check_path(&stacks, texts, 4, "main>[libc.so.6]>do_syscall_64>nf_nat_setup");
        check_path(&stacks, texts, 12, "main>work>work>add>carry");
        EXPECT_INT(stacks.of_node[7], 0); /* only samples of the other event */
        EXPECT_INT(stacks.least_samples, 0);
        web_page_stacks_release(&stacks);
}

/* Four stacks with a sample each; main has three of them. */
TEST(small_stacks_are_merged_below_their_callers)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) named = samples_ordinary_stacks();
        AUTO(strpool) texts = strpool_new();
        struct web_page page = page_of(samples, named);
        struct web_page_stacks stacks;

        page.max_stacks = 2;
        web_page_stacks_make(&page, texts, &stacks);
        check_path(&stacks, texts, 1, "main>work>[small stacks]");
        check_path(&stacks, texts, 4, "main>[small stacks]");
        check_path(&stacks, texts, 9, "[small stacks]");
        EXPECT_INT(stacks.least_samples, 2);
        web_page_stacks_release(&stacks);
}

/* What web_page_samples_write() appended for an event with one thread. */
struct read_event {
        uint64_t run_ns, tick_ns, n_samples, n_rows, unit_part, unit_parts;
        struct cursor rest;
};

static struct read_event read_event(const struct buf *out)
{
        struct read_event ret = {.rest = cursor_make(buf_text(out), out->len)};

        ret.run_ns = cursor_uleb(&ret.rest);
        EXPECT_INT(cursor_uleb(&ret.rest), 1); /* events */
        cursor_uleb(&ret.rest);                /* the name */
        cursor_uleb(&ret.rest);                /* whether weights are time */
        ret.unit_part = cursor_uleb(&ret.rest);
        ret.unit_parts = cursor_uleb(&ret.rest);
        ret.tick_ns = cursor_uleb(&ret.rest);
        ret.n_samples = cursor_uleb(&ret.rest);
        EXPECT_INT(cursor_uleb(&ret.rest), 1); /* threads */
        cursor_uleb(&ret.rest);
        ret.n_rows = cursor_uleb(&ret.rest);
        return ret;
}

static uint64_t sum_column(struct read_event *event)
{
        uint64_t sum = 0;

        for (uint64_t i = 0; i < event->n_rows; i++)
                sum += cursor_uleb(&event->rest);
        return sum;
}

/* 10,000 samples of two stacks in turn, a millisecond apart, with the weights 1000 and 3000. */
static struct sample_list *many_samples(void)
{
        struct sample_list *list = sample_list_new();

        for (uint32_t i = 0; i < 10000; i++)
                sample_list_add(list, &(struct listed_sample){.time_ns = 5 + (uint64_t)i * 1000000,
                                                              .weight = i % 2 ? 3000 : 1000,
                                                              .node = i % 2 ? 1 : 4,
                                                              .pid = 7,
                                                              .tid = 7});
        return list;
}

static struct read_event write_many(size_t max_samples, struct buf *out)
{
        AUTO(sample_list) samples = many_samples();
        AUTO(named_stacks) named = samples_ordinary_stacks();
        AUTO(strpool) texts = strpool_new();
        struct web_page page = page_of(samples, named);
        struct web_page_stacks stacks;

        page.max_samples = max_samples;
        web_page_stacks_make(&page, texts, &stacks);
        web_page_samples_write(&page, &stacks, texts, out);
        web_page_stacks_release(&stacks);
        return read_event(out);
}

TEST(samples_are_rows)
{
        AUTO_RELEASE(buf) out = {0};
        struct read_event event = write_many(0, &out);

        EXPECT_INT(event.run_ns, 9999 * UINT64_C(1000000));
        EXPECT_INT(event.n_rows, 10000);
        EXPECT_TRUE(event.tick_ns < 10000);
        EXPECT_TRUE(event.run_ns / event.tick_ns - sum_column(&event) < 2);
        sum_column(&event); /* stacks */
        EXPECT_INT(sum_column(&event), 10000);
        EXPECT_INT(sum_column(&event) * event.unit_part / event.unit_parts, 10000 * 2000);
        EXPECT_TRUE(!event.rest.failed);
}

TEST(too_many_samples_are_merged)
{
        AUTO_RELEASE(buf) out = {0};
        struct read_event event = write_many(1000, &out);

        EXPECT_INT(event.n_samples, 10000);
        EXPECT_TRUE(event.n_rows <= 1000);
        EXPECT_TRUE(event.n_rows > 200);
        sum_column(&event);
        sum_column(&event);
        EXPECT_INT(sum_column(&event), 10000);
        EXPECT_INT(sum_column(&event) * event.unit_part / event.unit_parts, 10000 * 2000);
        EXPECT_TRUE(!event.rest.failed);
}

/* The document holds no text of the profile as it is: all of it is in the packed data. */
TEST(the_document_has_only_base64)
{
        AUTO(sample_list) samples = samples_hostile();
        AUTO(named_stacks) named = samples_hostile_stacks();
        AUTO_RELEASE(buf) out = {0};
        struct web_page page = page_of(samples, named);
        struct err err = {0};
        const char *data, *end;

        EXPECT_TRUE(web_page_write(&page, &out, &err));
        EXPECT_TRUE(!strstr(buf_text(&out), "forged"));
        data = strstr(buf_text(&out), "id=\"data\"");
        EXPECT_TRUE(data != NULL);
        data = data ? strchr(data, '>') : NULL;
        end = data ? strchr(data, '<') : NULL;
        EXPECT_TRUE(end &&
                    strspn(data + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
                            (size_t)(end - data - 1));
}

/* --- Charts --- */

static double read_fraction(struct cursor *c)
{
        uint32_t bits = 0;
        float value;

        for (int shift = 0; shift < 32; shift += 8)
                bits |= (uint32_t)cursor_u8(c) << shift;
        memcpy(&value, &bits, sizeof(value));
        return (double)value;
}

/* Spans of 1, 3 and 2 s, the last one after a pause of 1 s.  The second line was not counted at first, and
 * ended early. */
TEST(neighbouring_counts_become_their_mean)
{
        const struct web_page_span spans[] = {
                {0, 1000000000}, {1000000000, 4000000000}, {5000000000, 7000000000}};
        const struct web_page_line lines[] = {{"ld_spec", "a second", "core 0", (double[]){8, 4, 2.5}, 3},
                                              {"ld_spec", "a second", "core 1", (double[]){NAN, 6}, 2}};
        struct web_page_charts charts = {.spans = spans, .n_spans = 3, .lines = lines, .n_lines = 2};
        const double expected[2][2][3] = {{{8, 4, 2.5}, {NAN, 6, NAN}}, {{5, 2.5}, {6, NAN}}};

        for (size_t merges = 0; merges < 2; merges++) {
                AUTO(strpool) texts = strpool_new();
                AUTO_RELEASE(buf) out = {0};
                size_t n = merges ? 2 : 3;
                struct cursor c;

                charts.max_values = merges ? 5 : 6;
                web_page_charts_add(&charts, texts, &out);
                c = cursor_make(buf_text(&out), out.len);
                EXPECT_INT(cursor_uleb(&c), merges + 1);
                EXPECT_INT(cursor_uleb(&c), n);
                for (size_t i = 0; i < n; i++) /* before each */
                        EXPECT_INT(cursor_uleb(&c), i + 1 == n ? 1000000000 : 0);
                EXPECT_INT(cursor_uleb(&c), merges ? UINT64_C(4000000000) : 1000000000);
                for (size_t i = 1; i < n; i++)
                        EXPECT_INT(cursor_uleb(&c), i + 1 == n ? 2000000000 : UINT64_C(3000000000));
                EXPECT_INT(cursor_uleb(&c), 0); /* facts */
                EXPECT_INT(cursor_uleb(&c), 2);
                for (size_t line = 0; line < 2; line++) {
                        EXPECT_STR(strpool_get(texts, (str_id)cursor_uleb(&c)), "ld_spec");
                        EXPECT_STR(strpool_get(texts, (str_id)cursor_uleb(&c)), "a second");
                        EXPECT_STR(strpool_get(texts, (str_id)cursor_uleb(&c)), line ? "core 1" : "core 0");
                        for (size_t i = 0; i < n; i++) {
                                double value = read_fraction(&c), wanted = expected[merges][line][i];

                                EXPECT_TRUE(isnan(wanted) ? isnan(value) : value == wanted);
                        }
                }
                EXPECT_INT(cursor_left(&c), 0);
        }
}

TAP_MAIN
