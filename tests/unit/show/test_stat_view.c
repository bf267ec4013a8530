/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of a count, compared with WindowsPerf's documentation: the table byte for byte, the JSON's
 * keys, the CSV's lines. */
#include "count_builder.h"
#include "json_check.h"
#include "stat_plot.h"
#include "stat_view.h"
#include "tap.h"
#include "text.h"

/* The counts of the CPython example: a mix of instructions on core 1. */
struct example {
        struct count_list list;
        struct counts *counts;
        struct sheet *sheet;
};

static void example_init(struct example *e)
{
        static const struct {
                const char *name;
                uint32_t code;
        } mix[] = {{"inst_spec", 0x1b}, {"dp_spec", 0x73}, {"vfp_spec", 0x75},
                   {"ase_spec", 0x74},  {"ld_spec", 0x70}, {"st_spec", 0x71}};

        *e = (struct example){0};
        builder_cycle(&e->list);
        for (size_t i = 0; i < N_ELEMENTS(mix); i++)
                *builder_event(&e->list, mix[i].name, mix[i].code) =
                        (struct count_event){.plain = mix[i].name,
                                             .code = (int32_t)mix[i].code,
                                             .kind = COUNT_NO_KIND,
                                             .together = 1};
        for (size_t i = 0; i < N_ELEMENTS(mix); i++) {
                struct count_event *event = &e->list.items[i + 1];

                text_copy(event->event.name, sizeof(event->event.name), mix[i].name);
                snprintf(event->index, sizeof(event->index), "0x%02x", mix[i].code);
                event->event.attr.type = PERF_TYPE_RAW;
                event->event.attr.flags = PERF_ATTR_EXCLUDE_KERNEL;
        }
        builder_metric(&e->list, "imix", NULL, NULL, N_ELEMENTS(mix));
        e->counts = counts_new(&e->list);
        builder_bind(&e->list, e->counts);
}

static void example_release(struct example *e)
{
        sheet_free(e->sheet);
        counts_free(e->counts);
        count_list_release(&e->list);
}

static void count_on(struct example *e, uint32_t cpu, uint64_t running_ns)
{
        static const uint64_t values[] = {41806794, 46965926, 21251194, 76479, 6078472, 7450823, 4309117};

        for (size_t i = 0; i < N_ELEMENTS(values); i++)
                builder_stat(e->counts, i, cpu, values[i], 3000000000, i ? running_ns : 3000000000);
}

static struct stat_view view_of(struct example *e)
{
        builder_round(e->counts, 3302000000);
        e->sheet = make_sheet(&e->list, e->counts, NULL);
        return (struct stat_view){
                .sheet = e->sheet,
                .vendor = "Arm Limited",
                .subject = "'python3 -c 1'",
                .n_runs = 1,
                .elapsed_ns = 3302000000,
                .elapsed_deviation_percent = -1,
        };
}

TEST(the_table_of_the_cpython_example)
{
        AUTO_RELEASE(buf) out = {0};
        struct example e;
        struct stat_view view;

        example_init(&e);
        count_on(&e, 1, 3000000000);
        view = view_of(&e);
        stat_view_text(&view, &out);
        EXPECT_STR(
                buf_text(&out),
                "\n"
                "Performance counter stats for core 1, no multiplexing, kernel mode excluded, on Arm Limited core "
                "implementation:\n"
                "note: 'e' - normal event, 'gN' - grouped event with group number N, metric name will be appended "
                "if 'e' or 'g' comes from it\n"
                "\n"
                "        counter value  event name  event idx  event note\n"
                "        =============  ==========  =========  ==========\n"
                "           41,806,794  cycle       fixed      e\n"
                "           46,965,926  inst_spec   0x1b       g0,imix\n"
                "           21,251,194  dp_spec     0x73       g0,imix\n"
                "               76,479  vfp_spec    0x75       g0,imix\n"
                "            6,078,472  ase_spec    0x74       g0,imix\n"
                "            7,450,823  ld_spec     0x70       g0,imix\n"
                "            4,309,117  st_spec     0x71       g0,imix\n"
                "\n"
                "               3.302 seconds time elapsed\n"
                "quality: 6 events, 0 not counted, 0 multiplexed\n");
        example_release(&e);
}

TEST(multiplexed_counts_have_share_and_scaled_value)
{
        AUTO_RELEASE(buf) out = {0};
        struct example e;
        struct stat_view view;

        example_init(&e);
        count_on(&e, 1, 1500000000);
        count_on(&e, 2, 1500000000);
        view = view_of(&e);
        stat_view_text(&view, &out);
        EXPECT_TRUE(strstr(out.data, "core 1, multiplexed, "));
        EXPECT_TRUE(strstr(out.data, "        counter value  event name  event idx  event note  multiplexed  "
                                     "scaled value\n"));
        EXPECT_TRUE(strstr(out.data,
                           "           46,965,926  inst_spec   0x1b       g0,imix       1500/3000    "
                           "93,931,852\n"));
        EXPECT_TRUE(strstr(out.data, "System-wide Overall:"));
        EXPECT_TRUE(
                strstr(out.data, "           93,931,852  inst_spec   0x001b     g0,imix      187,863,704\n"));
        EXPECT_TRUE(strstr(out.data, "6 multiplexed (worst counted 50 % of the time)"));
        example_release(&e);
}

TEST(what_is_not_counted_is_named)
{
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) document = {0};
        struct stat_view view;
        struct example e;
        struct json json;

        example_init(&e);
        e.list.items[6].doubt = "the PMU does not advertise it";
        count_on(&e, 1, 3000000000);
        counts_free(e.counts);
        e.counts = counts_new(&e.list);
        builder_bind(&e.list, e.counts);
        builder_stat(e.counts, 0, 1, 5, 10, 10);
        builder_stat(e.counts, 6, 1, 0, 10, 10);
        view = view_of(&e);
        stat_view_text(&view, &out);
        EXPECT_TRUE(strstr(out.data, "        <not supported>  st_spec     0x71       g0,imix\n"));
        EXPECT_TRUE(strstr(out.data, "note: st_spec is not counted: the PMU does not advertise it\n"));
        json_init(&json, &document);
        stat_view_json(&view, &json);
        EXPECT_TRUE(strstr(document.data, "{\"counter_value\":0,\"event_name\":\"st_spec\""));
        EXPECT_TRUE(strstr(document.data,
                           "\"not_counted\":[{\"event_name\":\"st_spec\",\"reason\":\"the PMU does not "
                           "advertise it\"}]"));
        example_release(&e);
}

TEST(json_has_the_documented_keys)
{
        AUTO_RELEASE(buf) out = {0};
        struct stat_view view;
        struct example e;
        struct json json;

        example_init(&e);
        count_on(&e, 1, 1500000000);
        view = view_of(&e);
        json_init(&json, &out);
        stat_view_json(&view, &json);
        EXPECT_TRUE(json_check(out.data));
        EXPECT_TRUE(strstr(out.data, "{\"core\":{\"Multiplexing\":true,\"Kernel_mode\":false,\"cores\":[{"
                                     "\"core_number\":1,\"Performance_counter\":[{\"counter_value\":41806794,"
                                     "\"event_name\":\"cycle\",\"event_idx\":\"fixed\",\"event_note\":\"e\","
                                     "\"multiplexed\":\"3000/3000\",\"scaled_value\":41806794}"));
        EXPECT_TRUE(strstr(out.data,
                           "\"overall\":{},\"ts_metric\":{}},\"dsu\":{\"l3metric\":{},\"overall\":{}},"
                           "\"dmc\":{\"pmu\":{},\"ddr\":{}},\"Time_elapsed\":3.302000,\"quality\":{"));
        example_release(&e);
}

TEST(csv_lines_as_documented)
{
        const struct stat_csv csv = {.class = COUNT_CORE,
                                     .class_name = "core",
                                     .interval_ns = 2000000000,
                                     .vendor = "Arm Limited"};
        AUTO_RELEASE(buf) out = {0};
        struct example e;
        struct stat_view view;

        example_init(&e);
        count_on(&e, 1, 3000000000);
        view = view_of(&e);
        EXPECT_TRUE(stat_csv_has(view.sheet, COUNT_CORE));
        EXPECT_TRUE(!stat_csv_has(view.sheet, COUNT_DSU));
        stat_csv_head(&csv, view.sheet, false, &out);
        stat_csv_row(&csv, view.sheet, false, &out);
        EXPECT_STR(buf_text(&out), "Multiplexing,FALSE\n"
                                   "Kernel mode,FALSE\n"
                                   "Count interval,2.00\n"
                                   "Vendor,Arm Limited\n"
                                   "Event class,core\n"
                                   "\n"
                                   "core 1,core 1,core 1,core 1,core 1,core 1,core 1,\n"
                                   "cycle,inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec,\n"
                                   "41806794,46965926,21251194,76479,6078472,7450823,4309117,\n");
        example_release(&e);
}

TEST(csv_of_multiplexed_counts)
{
        const struct stat_csv csv = {.class = COUNT_CORE, .class_name = "core", .vendor = "Arm Limited"};
        AUTO_RELEASE(buf) out = {0};
        struct example e;
        struct stat_view view;

        example_init(&e);
        builder_metric(&e.list, "load_percentage", "ld_spec / inst_spec * 100", "percent of operations", 6);
        count_on(&e, 0, 1500000000);
        view = view_of(&e);
        stat_csv_head(&csv, view.sheet, true, &out);
        stat_csv_row(&csv, view.sheet, true, &out);
        EXPECT_TRUE(strstr(out.data, "\ncycle,sched_times,inst_spec,sched_times,"));
        EXPECT_TRUE(strstr(out.data, ",st_spec,sched_times,M@load_percentage,\n"));
        EXPECT_TRUE(strstr(out.data, "\n41806794,3000,46965926,1500,"));
        EXPECT_TRUE(strstr(out.data, ",4309117,1500,15.864,\n"));
        example_release(&e);
}

TEST(the_page_is_whole_and_closed)
{
        AUTO(stat_plot) plot = stat_plot_new();
        AUTO_RELEASE(buf) out = {0};
        const struct stat_plot_about about = {"'a<b>\"&'", "wperf stat", "arm", "wperf 1"};
        struct example e;
        struct stat_view view;

        example_init(&e);
        count_on(&e, 0, 3000000000);
        view = view_of(&e);
        for (uint64_t i = 0; i < 5; i++)
                stat_plot_add(plot, view.sheet, i * 1000000000, 1000000000);
        EXPECT_TRUE(stat_plot_render(plot, &about, &out, NULL));
        EXPECT_TRUE(strstr(out.data, "<title>wperf</title>"));
        EXPECT_TRUE(!strstr(out.data, "a<b>"));
        EXPECT_TRUE(text_ends(out.data, "</html>\n"));
        EXPECT_TRUE(!strstr(out.data, "://"));
        EXPECT_TRUE(strstr(out.data, "default-src 'none'"));
        example_release(&e);
}

TAP_MAIN
