/* SPDX-License-Identifier: BSD-3-Clause */
/* The Firefox Profiler's tables: shared tables, threads, the samples of each thread, and hostile names. */
#include "export_firefox.h"

#include "json_check.h"
#include "samples_builder.h"
#include "tap.h"

static void write_of(const struct sample_list *samples, const struct named_stacks *stacks, bool weights,
                     struct buf *out)
{
        export_firefox(&(struct export_firefox){.samples = samples,
                                                .stacks = stacks,
                                                .about = &export_ordinary_about,
                                                .arch = "x86_64",
                                                .interval_ns = 1001001,
                                                .weights = weights},
                       out);
        EXPECT_TRUE(json_check(buf_text(out)));
}

TEST(tables_of_what_the_events_samples_lead_to)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        write_of(samples, stacks, false, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"interval\":1.001001,\"startTime\":0,");
        EXPECT_CONTAINS(buf_text(&out), "\"product\":\"python3\",\"importedFrom\":\"wperf 1.2\",");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"breakpadId\":\"01EFCDAB4523896710203040506070800\","
                        "\"codeId\":\"abcdef0123456789102030405060708090a0b0c0\"},{\"arch\":\"x86_64\","
                        "\"name\":\"libc.so.6\",\"path\":\"/usr/lib/libc.so.6\",\"debugName\":\"libc.so.6\","
                        "\"debugPath\":\"/usr/lib/libc.so.6\","
                        "\"breakpadId\":\"000000000000000000000000000000000\",\"codeId\":null}");
        /* main < work < add < carry; main < libc < kernel < module; main < work < ...; nowhere < heap */
        EXPECT_CONTAINS(buf_text(&out), "\"stackTable\":{\"frame\":[0,1,2,3,5,6,7,9,8,4,1,2,3],"
                                        "\"prefix\":[null,0,1,2,0,4,5,null,7,0,9,10,11],\"length\":13}");
        /* In libraries, in the kernel, in none. */
        EXPECT_CONTAINS(buf_text(&out), "\"address\":[4607,8448,8448,8448,8512,16383,-1,-1,-1,-1]");
        EXPECT_CONTAINS(buf_text(&out), "\"inlineDepth\":[0,0,1,2,0,0,0,0,0,0]");
        EXPECT_CONTAINS(buf_text(&out), "\"category\":[1,1,1,1,1,1,2,2,1,0]");
        EXPECT_CONTAINS(buf_text(&out), "\"line\":[10,21,31,41,21,null,null,null,null,null],"
                                        "\"column\":[3,5,9,null,5,null,null,null,null,null]");
        EXPECT_CONTAINS(buf_text(&out), "\"resource\":[0,0,0,0,1,2,3,-1,-1]");
        EXPECT_CONTAINS(buf_text(&out), "\"nativeSymbols\":{\"libIndex\":[0,0],\"address\":[4480,8192],");
        EXPECT_CONTAINS(buf_text(&out), "\"functionSize\":[256,null],\"length\":2}");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"stringArray\":[\"\",\"python3.11\",\"main\",\"/src/work.c\",\"work\","
                        "\"add\",\"carry\",\"libc.so.6\",\"[libc.so.6]\",");
}

TEST(the_start_is_a_time_of_day)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};
        const struct export_about about = {.event = "cpu-clock:u", .wall_offset_ns = 1700000000000000000};

        export_firefox(&(struct export_firefox){.samples = samples, .stacks = stacks, .about = &about}, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"startTime\":1700000100000.000000,");
}

TEST(states_are_markers_and_categories)
{
        static const struct export_state states[] = {
                {1000000, 3000000, 1, "network"}, {3000000, 4000000, 1, "runnable"}, {0, 9000000, 2, "lock"}};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        stacks->nodes[1].is_state = true;
        for (uint32_t i = 0; i < 2; i++)
                sample_list_add(samples, &(struct listed_sample){.time_ns = (1 + i) * 1000000u,
                                                                 .weight = 2000000,
                                                                 .node = i,
                                                                 .comm = sample_list_add_text(samples, "one"),
                                                                 .pid = 1,
                                                                 .tid = 1});
        export_firefox(&(struct export_firefox){.samples = samples,
                                                .stacks = stacks,
                                                .about = &export_ordinary_about,
                                                .weights = true,
                                                .states = states,
                                                .n_states = 3},
                       &out);
        EXPECT_TRUE(json_check(buf_text(&out)));
        EXPECT_CONTAINS(buf_text(&out), "{\"name\":\"Waiting\",\"color\":\"purple\"");
        EXPECT_CONTAINS(buf_text(&out), "\"threadCPUDelta\":[2000000,0]");
        EXPECT_CONTAINS(buf_text(&out), "\"startTime\":[0.000000,2.000000],\"endTime\":[2.000000,3.000000],"
                                        "\"phase\":[1,1],\"category\":[5,6],\"length\":2}");
}

TEST(threads_have_their_samples)
{
        AUTO(sample_list) samples = samples_ordinary();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        write_of(samples, stacks, false, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        "\"name\":\"python3\",\"processName\":\"python3\",\"isMainThread\":true,"
                        "\"pid\":\"7\",\"tid\":7,\"samples\":{\"stack\":[3,6,12],"
                        "\"time\":[0.000000,1.000001,5.000001],\"weightType\":\"samples\","
                        "\"weight\":null,\"threadCPUDelta\":[1000,1000,1000],\"length\":3}");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"name\":\"unknown\",\"processName\":\"python3\",\"isMainThread\":false,"
                        "\"pid\":\"7\",\"tid\":123456,\"samples\":{\"stack\":[8],"
                        "\"time\":[3.000001],");
        buf_clear(&out);
        write_of(samples, stacks, true, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        "\"weightType\":\"tracing-ms\",\"weight\":[0.001000,0.001000,0.001000]");
}

/* Records that arrived late: times do not decrease, and the name is that of the last record with one. */
TEST(samples_of_a_thread_are_sorted)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        samples_add(samples, 5000000, 0, 0, "before", 7);
        samples_add(samples, 3000000, 0, 1, "after", 7);
        samples_add(samples, 4000000, 0, 4, "", 7);
        write_of(samples, stacks, false, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"name\":\"after\"");
        EXPECT_CONTAINS(buf_text(&out), "\"stack\":[3,6,0],\"time\":[0.000000,1.000000,2.000000]");
}

TEST(a_cut_stack_and_code_of_a_jit_compiler)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_ordinary_stacks();
        AUTO_RELEASE(buf) out = {0};

        samples_add(samples, 1, 0, 6, "python3", 7);
        write_of(samples, stacks, false, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"libs\":[],");
        EXPECT_CONTAINS(buf_text(&out), "\"stackTable\":{\"frame\":[1,0],\"prefix\":[null,0],\"length\":2}");
        EXPECT_CONTAINS(buf_text(&out), "\"category\":[3,0]");
        EXPECT_CONTAINS(buf_text(&out), "\"stringArray\":[\"\",\"jit_loop\",\"[cut]\"]");
}

TEST(hostile_names_are_texts)
{
        AUTO(sample_list) samples = samples_hostile();
        AUTO(named_stacks) stacks = samples_hostile_stacks();
        AUTO_RELEASE(buf) out = {0};

        write_of(samples, stacks, true, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"name\":\"a\\\\x0ab 1 2\\\"\"");
        EXPECT_CMP(out.len, <, 200000);
}

TEST(nothing_at_all)
{
        AUTO(sample_list) samples = sample_list_new();
        AUTO(named_stacks) stacks = samples_stacks(NULL, 0, NULL, 0, NULL, 0);
        AUTO_RELEASE(buf) out = {0};

        write_of(samples, stacks, false, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"threads\":[]}");
}

TAP_MAIN
