/* SPDX-License-Identifier: BSD-3-Clause */
#include "strips.h"

#include "buf.h"
#include "cpu_spans.h"
#include "json.h"
#include "strip_view.h"
#include "tap.h"

static void add(struct sample_list *list, uint64_t time_ns, int32_t tid, uint32_t cpu, uint32_t node)
{
        const char *name = tid % 2 ? "odd" : "even";
        const struct listed_sample sample = {
                .time_ns = time_ns,
                .weight = 10,
                .node = node,
                .comm = sample_list_add_text(list, name),
                .cpu = cpu,
                .pid = 1,
                .tid = tid,
        };

        sample_list_add(list, &sample);
}

/* Thread 2: 1,000 to 1,099 ns, a sample each 10; thread 3: three at the end. */
static struct sample_list *two_threads(void)
{
        struct sample_list *list = sample_list_new();

        for (uint64_t i = 0; i < 10; i++)
                add(list, 1000 + 10 * i, 2, i < 5 ? 7 : 4, i < 3);
        for (uint64_t i = 0; i < 3; i++)
                add(list, 1097 + i, 3, 4, 0);
        return list;
}

TEST(each_column_has_the_samples_of_its_time)
{
        AUTO(sample_list) list = two_threads();
        const bool marked[] = {false, true};
        AUTO(strips)
        strips =
                strips_new(&(struct strips_request){.samples = list, .n_columns = 5, .marked_nodes = marked});

        EXPECT_INT(strips->n, 2);
        EXPECT_INT(strips->from_ns, 1000);
        EXPECT_INT(strips->to_ns, 1099);
        EXPECT_INT(strips->count, 13);
        EXPECT_INT(strips->weight, 130);
        EXPECT_INT(strips->items[0].tid, 2);
        EXPECT_STR(strips->items[0].name, "even");
        for (unsigned i = 0; i < 5; i++) {
                EXPECT_INT(strips->items[0].columns[i], 20);
                EXPECT_INT(strips->items[0].marked[i], i == 0 ? 20 : i == 1 ? 10 : 0);
                EXPECT_INT(strips->items[1].columns[i], i == 4 ? 30 : 0);
                EXPECT_INT(strips_column_ns(strips, i), 1000 + 20 * i);
        }
        EXPECT_INT(strips->most, 30);
        EXPECT_INT(strips_column_ns(strips, 5), 1100);
}

TEST(samples_without_a_time_are_in_no_column)
{
        AUTO(sample_list) list = two_threads();
        AUTO(sample_list) others = sample_list_new();
        AUTO(strips) strips = NULL;

        add(list, SAMPLE_NO_TIME_NS, 3, 4, 0);
        add(list, UINT64_MAX, 2, 4, 0);
        strips = strips_new(&(struct strips_request){.samples = list, .n_columns = 5});
        EXPECT_INT(strips->from_ns, 1000);
        EXPECT_INT(strips->to_ns, 1099);
        EXPECT_INT(strips->weight, 150);
        EXPECT_INT(strips->items[1].weight, 40);
        for (unsigned i = 0; i < 5; i++)
                EXPECT_INT(strips->items[1].columns[i], i == 4 ? 30 : 0);
        add(others, SAMPLE_NO_TIME_NS, 3, 4, 0);
        EXPECT_TRUE(!strips_new(&(struct strips_request){.samples = others, .n_columns = 5}));
}

TEST(a_strip_of_a_cpu_has_what_all_threads_did_there)
{
        AUTO(sample_list) list = two_threads();
        AUTO(strips)
        strips = strips_new(&(struct strips_request){.samples = list, .by = STRIPS_BY_CPU, .n_columns = 2});

        EXPECT_INT(strips->n, 2);
        EXPECT_INT(strips->items[0].cpu, 4);
        EXPECT_INT(strips->items[0].columns[0], 0);
        EXPECT_INT(strips->items[0].columns[1], 80);
        EXPECT_INT(strips->items[1].cpu, 7);
        EXPECT_INT(strips->items[1].columns[0], 50);
        EXPECT_TRUE(!strips->items[0].marked);
}

TEST(the_heaviest_threads_stay_where_there_are_too_many)
{
        AUTO(sample_list) list = sample_list_new();
        AUTO(strips) strips = NULL;

        for (int32_t tid = 0; tid < STRIPS_MAX + 50; tid++)
                add(list, 5, tid, 0, 0);
        add(list, 5, STRIPS_MAX + 49, 0, 0);
        strips = strips_new(&(struct strips_request){.samples = list, .n_columns = 1});
        EXPECT_INT(strips->n, STRIPS_MAX);
        EXPECT_INT(strips->n_left_out, 50);
        EXPECT_INT(strips->items[0].tid, STRIPS_MAX + 49);
        EXPECT_INT(strips->count, STRIPS_MAX + 51);
}

TEST(samples_without_times_have_no_strips)
{
        AUTO(sample_list) list = sample_list_new();

        EXPECT_TRUE(!strips_new(&(struct strips_request){.samples = list, .n_columns = 4}));
        add(list, 0, 1, 0, 0);
        EXPECT_TRUE(!strips_new(&(struct strips_request){.samples = list, .n_columns = 4}));
}

TEST(text_and_document_show_the_same_columns)
{
        AUTO(sample_list) list = two_threads();
        AUTO(strips) strips = strips_new(&(struct strips_request){.samples = list, .n_columns = 5});
        const struct strip_view view = {.strips = strips, .event = "cycles"};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        strip_view_text(&view, &text);
        EXPECT_CONTAINS(buf_text(&text), "cycles over time, by thread");
        EXPECT_CONTAINS(buf_text(&text), "   76.92     10  even 1/2  \u2585\u2585\u2585\u2585\u2585\n");
        EXPECT_CONTAINS(buf_text(&text), "   23.08      3  odd 1/3       \u2588\n");
        json_init(&json, &document);
        strip_view_json(&view, &json);
        EXPECT_CONTAINS(buf_text(&document), "\"columns\":[20,20,20,20,20]");
        EXPECT_CONTAINS(buf_text(&document), "\"columns\":[0,0,0,0,30]");
}

/* Thread 2 runs on CPU 7 before the first sample and until 1,020, and on CPU 4 from 1,050 on; it waits
 * between them. */
TEST(columns_without_samples_tell_running_from_waiting)
{
        AUTO(sample_list) list = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);
        AUTO(strips) strips = NULL;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        add(list, 1000, 2, 7, 0);
        add(list, 1099, 2, 4, 0);
        cpu_spans_add(spans,
                      &(struct cpu_change){.time_ns = 1020, .cpu = 7, .pid = 1, .tid = 2, .is_out = true});
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 1020, .cpu = 7, .pid = 0, .tid = 0});
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 1050, .cpu = 4, .pid = 1, .tid = 2});
        strips = strips_new(&(struct strips_request){.samples = list, .cpu_spans = spans, .n_columns = 10});
        EXPECT_INT(strips->n, 1);
        for (unsigned i = 0; i < 10; i++)
                EXPECT_INT(strips->items[0].running[i], i < 2 || (i >= 5 && i < 9) ? 10 : i == 9 ? 9 : 0);
        strip_view_text(&(struct strip_view){.strips = strips, .event = "cycles"}, &text);
        EXPECT_CONTAINS(buf_text(&text), "even 1/2  \u2588\u00b7   \u00b7\u00b7\u00b7\u00b7\u2588\n");
        EXPECT_CONTAINS(buf_text(&text), "\u00b7: on a CPU, but without a sample; blank: waiting\n");
        json_init(&json, &document);
        strip_view_json(&(struct strip_view){.strips = strips, .event = "cycles"}, &json);
        EXPECT_CONTAINS(buf_text(&document), "\"running_ns\":[10,10,0,0,0,10,10,10,10,9]");
}

TEST(columns_of_a_cpu_without_samples_tell_running_from_idle)
{
        AUTO(sample_list) list = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);
        AUTO(strips) strips = NULL;
        AUTO_RELEASE(buf) text = {0};

        add(list, 1000, 2, 7, 0);
        add(list, 1099, 2, 7, 0);
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 1050, .cpu = 7, .pid = 1, .tid = 3});
        strips = strips_new(&(struct strips_request){
                .samples = list, .cpu_spans = spans, .by = STRIPS_BY_CPU, .n_columns = 10});
        strip_view_text(&(struct strip_view){.strips = strips, .by = STRIPS_BY_CPU, .event = "cycles"},
                        &text);
        EXPECT_CONTAINS(buf_text(&text), "CPU 7  \u2588    \u00b7\u00b7\u00b7\u00b7\u2588\n");
        EXPECT_CONTAINS(buf_text(&text), "blank: idle\n");
}

/* perf record does not record the CPU of a command's threads. */
TEST(threads_run_on_cpus_that_are_not_known)
{
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);

        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 10, .cpu = UINT32_MAX, .pid = 1, .tid = 2});
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 20, .cpu = UINT32_MAX, .pid = 1, .tid = 3});
        cpu_spans_add(spans, &(struct cpu_change){
                                     .time_ns = 30, .cpu = UINT32_MAX, .pid = 1, .tid = 2, .is_out = true});
        EXPECT_INT(cpu_spans_n(spans), 2);
        EXPECT_INT(cpu_spans_get(spans, 0)->to_ns, 30);
        EXPECT_CMP(cpu_spans_get(spans, 1)->to_ns, ==, UINT64_MAX);
        cpu_spans_exit(spans, &(struct cpu_change){.time_ns = 40, .cpu = UINT32_MAX, .pid = 1, .tid = 3});
        cpu_spans_exit(spans, &(struct cpu_change){.time_ns = 50, .cpu = UINT32_MAX, .pid = 1, .tid = 2});
        EXPECT_INT(cpu_spans_get(spans, 0)->to_ns, 30);
        EXPECT_INT(cpu_spans_get(spans, 1)->to_ns, 40);
}

/* A record of the CPU may be lost: its next one ends what ran there. */
TEST(a_cpu_runs_one_thread_at_a_time)
{
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);

        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 10, .cpu = 1, .pid = 1, .tid = 2});
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 20, .cpu = 1, .pid = 1, .tid = 3});
        cpu_spans_add(spans,
                      &(struct cpu_change){.time_ns = 30, .cpu = 1, .pid = 1, .tid = 3, .is_out = true});
        cpu_spans_add(spans,
                      &(struct cpu_change){.time_ns = 40, .cpu = 1, .pid = 1, .tid = 4, .is_out = true});
        EXPECT_INT(cpu_spans_n(spans), 2);
        EXPECT_INT(cpu_spans_get(spans, 0)->to_ns, 20);
        EXPECT_INT(cpu_spans_get(spans, 1)->to_ns, 30);
}

TEST(a_little_is_seen_and_nothing_is_not)
{
        EXPECT_INT(strip_view_level(0, 1000), 0);
        EXPECT_INT(strip_view_level(1, 1000), 1);
        EXPECT_INT(strip_view_level(500, 1000), 4);
        EXPECT_INT(strip_view_level(1000, 1000), 8);
        EXPECT_INT(strip_view_level(5, 0), 1);
}

/* The doubles of columns of all times there are do not step through the last column by nanoseconds. */
TEST(times_of_a_damaged_session_end)
{
        AUTO(sample_list) list = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);
        AUTO(strips) strips = NULL;

        add(list, 1, 2, 7, 0);
        add(list, SAMPLE_NO_TIME_NS - 1, 2, 7, 0);
        cpu_spans_add(spans, &(struct cpu_change){.time_ns = 5, .cpu = 7, .pid = 1, .tid = 2});
        strips = strips_new(&(struct strips_request){.samples = list, .cpu_spans = spans, .n_columns = 60});
        EXPECT_CMP(strips_column_ns(strips, 60), >=, SAMPLE_NO_TIME_NS - 1);
        EXPECT_CMP(strips->items[0].running[59], >, 0);
}

TAP_MAIN
