/* SPDX-License-Identifier: BSD-3-Clause */
/* Speedscope's JSON: threads with their samples in the order of time, shared frames, and hostile names. */
#include "export_speedscope.h"

#include "json_check.h"
#include "samples_builder.h"
#include "tap.h"

enum { MS = 1000000 };

static void add(struct sample_list *list, uint64_t time_ns, uint32_t node, int32_t tid, uint64_t weight)
{
        sample_list_add(list, &(struct listed_sample){
                                      .time_ns = time_ns,
                                      .weight = weight,
                                      .node = node,
                                      .comm = sample_list_add_text(list, tid == 7 ? "python3" : "worker"),
                                      .pid = 7,
                                      .tid = tid,
                              });
}

static void write(const struct sample_list *samples, bool is_time, struct buf *out)
{
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        const struct export_about about = {.event = "cpu-clock:u", .is_time = is_time};
        const struct export_speedscope_event event = {0, &about};

        export_speedscope(&(struct export_speedscope){samples, stacks, &event, 1}, out);
        EXPECT_TRUE(json_check(buf_text(out)));
}

static void add_known(struct sample_list *list, uint64_t time_ns, uint64_t begin_ns, uint64_t weight)
{
        add(list, time_ns, 3, 7, weight);
        sample_list_set_begin(list, begin_ns);
}

/* A wait, the CPU, and two waits: the filter leaves out what is between the last ones. The time of a wait is
 * its beginning or its middle. */
TEST(times_that_are_known_are_kept)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};

        add_known(samples, 60 * MS, 10 * MS, 100 * MS);
        add(samples, 112 * MS, 2, 7, 4 * MS);
        add_known(samples, 150 * MS, 117 * MS, 100 * MS);
        add_known(samples, 300 * MS, 270 * MS, 200 * MS);
        write(samples, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"startValue\":0,\"endValue\":460000000,");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"weights\":[100000000,4000000,3000000,100000000,53000000,200000000]");
}

TEST(samples_of_all_time_have_no_pauses)
{
        const struct listed_sample next = {
                .time_ns = 400 * MS, .weight = 5 * MS, .node = 2, .is_next = true, .pid = 7, .tid = 7};
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};

        add_known(samples, 60 * MS, 10 * MS, 100 * MS);
        sample_list_add(samples, &next);
        write(samples, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"weights\":[100000000,5000000]");
}

TEST(a_profile_for_each_thread)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        const struct export_about other = {.event = "cycles"};
        const struct export_speedscope_event events[] = {{0, &export_ordinary_about}, {1, &other}};
        AUTO_RELEASE(buf) out = {0};

        export_speedscope(&(struct export_speedscope){samples, stacks, events, 2}, &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_STR(
                buf_text(&out),
                "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                "\"name\":\"wperf record -g -- python3 work.py\",\"exporter\":\"wperf 1.2\",\"shared\":{\"frames\":["
                "{\"name\":\"main\",\"file\":\"/usr/bin/python3.11\"},"
                "{\"name\":\"carry (inlined)\",\"file\":\"/usr/bin/python3.11\"},"
                "{\"name\":\"add (inlined)\",\"file\":\"/usr/bin/python3.11\"},"
                "{\"name\":\"work\",\"file\":\"/usr/bin/python3.11\"},"
                "{\"name\":\"[libc.so.6]\",\"file\":\"/usr/lib/libc.so.6\"},"
                "{\"name\":\"do_syscall_64\",\"file\":\"[kernel.kallsyms]\"},"
                "{\"name\":\"nf_nat_setup\",\"file\":\"/lib/modules/6.1/kernel/net/nf-nat.ko.xz\"},"
                "{\"name\":\"jit_loop\",\"file\":\"//anon\"},"
                "{\"name\":\"clock_gettime\",\"file\":\"[vdso]\"},"
                "{\"name\":\"[heap]\",\"file\":\"[heap]\"},"
                "{\"name\":\"bpf_prog_1_x\",\"file\":\"bpf_prog_1_x\"},"
                "{\"name\":\"[unknown]\"},{\"name\":\"[cut]\"}]},"
                "\"profiles\":[{\"type\":\"sampled\",\"name\":\"python3 7: cpu-clock:u\",\"unit\":\"nanoseconds\","
                "\"startValue\":0,\"endValue\":5001001,"
                "\"samples\":[[0,3,2,1],[],[0,4,5,6],[],[0,3,3,2,1]],\"weights\":[1000,999001,1000,3999000,1000]},"
                "{\"type\":\"sampled\",\"name\":\"unknown 7/123456: cpu-clock:u\",\"unit\":\"nanoseconds\","
                "\"startValue\":3000001,\"endValue\":3001001,\"samples\":[[11,9]],\"weights\":[1000]},"
                "{\"type\":\"sampled\",\"name\":\"Thread 2 7/123456: cycles\",\"unit\":\"none\","
                "\"startValue\":0,\"endValue\":4000,\"samples\":[[12,7,8],[10]],\"weights\":[2000,2000]}]}\n");
}

TEST(time_goes_on_where_a_thread_sleeps)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) time = {0};
        AUTO_RELEASE(buf) events = {0};

        /* Two samples of one stack, the second slightly late; 5 ms of sleep; one more sample, which was too
         * early. */
        add(samples, 101 * MS, 0, 7, MS);
        add(samples, 102 * MS + MS / 2, 0, 7, MS);
        add(samples, 108 * MS, 1, 7, MS);
        add(samples, 108 * MS + MS / 2, 0, 7, MS);
        write(samples, true, &time);
        EXPECT_CONTAINS(buf_text(&time),
                        "\"startValue\":0,\"endValue\":9000000,\"samples\":[[0],[],[0,3,2,1],[0]],"
                        "\"weights\":[2000000,5000000,1000000,1000000]");
        write(samples, false, &events);
        EXPECT_CONTAINS(buf_text(&events),
                        "\"startValue\":0,\"endValue\":4000000,\"samples\":[[0],[0,3,2,1],[0]],"
                        "\"weights\":[2000000,1000000,1000000]");
}

TEST(the_busiest_thread_is_first)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};

        add(samples, 10 * MS, 0, 7, MS);
        add(samples, 12 * MS, 8, 8, MS);
        add(samples, 11 * MS, 0, 8, MS); /* the list may be out of order */
        write(samples, true, &out);
        EXPECT_CONTAINS(
                buf_text(&out),
                "\"name\":\"worker 7/8: cpu-clock:u\",\"unit\":\"nanoseconds\","
                "\"startValue\":1000000,\"endValue\":3000000,\"samples\":[[0],[1]],"
                "\"weights\":[1000000,1000000]},{\"type\":\"sampled\",\"name\":\"python3 7: cpu-clock:u\"");
}

TEST(samples_without_times_follow_each_other)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) out = {0};

        add(samples, 0, 0, 7, MS);
        add(samples, 0, 8, 7, MS);
        add(samples, 0, 0, 7, 0);
        write(samples, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"startValue\":0,\"endValue\":2000000,\"samples\":[[0],[1],[0]],"
                                        "\"weights\":[1000000,1000000,0]");
}

TEST(hostile_names_are_one_document)
{
        AUTO(sample_list) samples = samples_hostile();
        AUTO(named_stacks) stacks = samples_hostile_stacks();
        const struct export_speedscope_event event = {0, &export_hostile_about};
        AUTO_RELEASE(buf) out = {0};

        export_speedscope(&(struct export_speedscope){samples, stacks, &event, 1}, &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_CONTAINS(buf_text(&out), "\"name\":\"f\\\\x0aroot 1 [000] 1.000000: 1 forged: ");
        EXPECT_CMP(out.len, <, 16 * EXPORT_NAME_MAX);
}

TAP_MAIN
