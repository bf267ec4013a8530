/* SPDX-License-Identifier: BSD-3-Clause */
/* From the bytes of a session to rows, and their text, JSON and CSV. */
#include "names_session.h"
#include "report.h"
#include "sample_view.h"
#include "tap.h"

static const char session_path[] = "report-test.data", exec_path[] = "report-exec.data";

static void build(struct session_builder *b)
{
        build_names(b, false);
}

/* Once for all tests, because Windows does not truncate a file that a report has mapped. */
static bool write_session(void)
{
        static bool written;

        written = written || build_file(session_path, build);
        return written;
}

static struct report *make_of(const struct report_request *request)
{
        struct err err = {0};
        struct report *report = write_session() ? report_make(request, &err) : NULL;

        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

static struct report *make(unsigned keys, struct profile_filter filter)
{
        return make_of(&(struct report_request){
                .path = session_path, .results = REPORT_SECTIONS, .keys = keys, .filter = filter});
}

static struct report *make_matching(unsigned keys, const char *symbol)
{
        return make_of(&(struct report_request){.path = session_path, .keys = keys, .symbol = symbol});
}

static void expect_row(const struct report *report, size_t index, const char *name, uint64_t count)
{
        const struct hot *hot = report->hot;

        if (index >= hot_n_rows(hot)) {
                TAP_FAIL("no row %zu", index);
                return;
        }
        EXPECT_STR(hot_text(hot, hot_get_row(hot, index)->symbol), name);
        EXPECT_INT(hot_get_row(hot, index)->count, count);
}

TEST(rows_are_functions_most_first)
{
        AUTO(report) report = make(0, (struct profile_filter){0});
        const struct quality *q;

        ASSERT_TRUE(report);
        EXPECT_INT(hot_n_rows(report->hot), 3);
        expect_row(report, 0, "global_one:names.so", 3);
        expect_row(report, 1, "local_leaf:names.so", 3);
        expect_row(report, 2, "unknown", 1);
        q = &report->quality;
        EXPECT_INT(q->n_samples, 7);
        EXPECT_INT(q->n_lost, 5);
        EXPECT_INT(q->n_unresolved, 1);
        EXPECT_TRUE(quality_is_poor(q));
        EXPECT_INT(hot_n_pcs(report->hot), 4);
        EXPECT_INT(hot_get_pc(report->hot, 0)->addr, 0x1120);
        EXPECT_INT(report->modules.items[0].address, BASE);
        EXPECT_CMP(report->modules.items[0].n_sections, >, 3);
        EXPECT_TRUE(report->modules.items[0].sections[0].addr > 0 &&
                    report->modules.items[0].sections[0].name[0] == '.');
}

TEST(filters_choose_samples)
{
        const int32_t child = 200;
        AUTO(report) by_pid = make(0, (struct profile_filter){.pids = &child, .n_pids = 1});
        AUTO(report) by_module = make(0, (struct profile_filter){.modules = "other.so,names.so"});
        AUTO(report) by_comm = make(0, (struct profile_filter){.comms = "nobody"});
        AUTO(report)
        by_time = make(0, (struct profile_filter){
                                  .times_are_relative = true, .from_ns = 900000000, .to_ns = 1500000000});

        ASSERT_TRUE(by_pid && by_module && by_comm && by_time);
        EXPECT_INT(by_pid->quality.n_samples, 1);
        EXPECT_INT(by_module->quality.n_samples, 6);
        EXPECT_INT(by_comm->quality.n_samples, 0);
        EXPECT_INT(by_time->quality.n_samples, 3);
}

static uint64_t count_in(const struct profile_filter *filter)
{
        AUTO(report) report = make(0, *filter);

        return report ? report->quality.n_samples : UINT64_MAX;
}

/* The session's header does not tell its times. */
TEST(slices_of_the_time_have_each_sample_once)
{
        uint64_t sum = 0;

        for (uint32_t i = 0; i < 10; i++)
                sum += count_in(&(struct profile_filter){.from_ppm = i * 100000, .to_ppm = (i + 1) * 100000});
        EXPECT_INT(sum, 7);
        EXPECT_INT(count_in(&(struct profile_filter){.from_ppm = 0, .to_ppm = 1000000}), 7);
        EXPECT_CMP(count_in(&(struct profile_filter){.from_ppm = 0, .to_ppm = 500000}), <, 7);
}

TEST(keys_make_rows)
{
        AUTO(report) modules = make(PROFILE_MODULE, (struct profile_filter){0});
        AUTO(report) threads = make(PROFILE_THREAD, (struct profile_filter){0});

        ASSERT_TRUE(modules && threads);
        EXPECT_INT(hot_n_rows(modules->hot), 2);
        EXPECT_INT(hot_n_rows(threads->hot), 3);
        EXPECT_INT(hot_get_row(threads->hot, 0)->tid, PID);
        EXPECT_INT(hot_get_row(threads->hot, 0)->count, 4);
}

static struct sample_view view_of(const struct report *report, const struct report_event *event)
{
        return (struct sample_view){
                .report = report,
                .hot = {.hot = report->hot, .events = event, .n_events = 1, .max_rows = 50},
        };
}

static void render(const struct sample_view *view, enum sample_form form, struct buf *out)
{
        struct sample_page page;

        sample_page_begin(&page, view, form, out);
        sample_page_end(&page);
}

TEST(text_is_windowsperfs_table)
{
        AUTO(report) report = make(0, (struct profile_filter){0});
        struct report_event event = {.name = "ld_spec", .mean_period = 1, .n_samples = 7};
        AUTO_RELEASE(buf) out = {0};
        struct sample_view view;

        ASSERT_TRUE(report);
        view = view_of(report, &event);
        hot_view_text(&view.hot, &out);
        EXPECT_STR(buf_text(&out), "======================== sample source: ld_spec, top 50 hot functions "
                                   "========================\n"
                                   "        overhead  count  symbol\n"
                                   "        ========  =====  ======\n"
                                   "           42.86      3  global_one:names.so\n"
                                   "           42.86      3  local_leaf:names.so\n"
                                   "           14.29      1  unknown\n"
                                   "          100.00%     7  top 3 in total\n");
        buf_clear(&out);
        view.hot.symbol = "^local";
        view.hot.max_rows = 2;
        hot_view_text(&view.hot, &out);
        EXPECT_CONTAINS(buf_text(&out), "           42.86      3  local_leaf:names.so\n"
                                        "           85.71%     6  top 2 in total\n");
        EXPECT_TRUE(!strstr(buf_text(&out), "global_one"));
}

TEST(a_pattern_chooses_the_samples_of_rows_without_functions)
{
        static const unsigned keys[] = {PROFILE_PID,  PROFILE_TID,    PROFILE_PROCESS, PROFILE_THREAD,
                                        PROFILE_COMM, PROFILE_MODULE, PROFILE_LINE,    PROFILE_FILE,
                                        PROFILE_ADDR, PROFILE_CPU,    PROFILE_EVENT,   PROFILE_MACHINE};

        for (size_t i = 0; i < N_ELEMENTS(keys); i++) {
                AUTO(report) report = make_matching(keys[i], "^GLOBAL_");
                AUTO(report) none = make_matching(keys[i], "global");
                uint64_t count = 0, at_pcs = 0;
                double share = 0;

                ASSERT_TRUE(report && none);
                EXPECT_INT(hot_n_rows(none->hot), 0);
                EXPECT_INT(hot_n_pcs(none->hot), 0);
                for (size_t k = 0; k < hot_n_rows(report->hot); k++) {
                        count += hot_get_row(report->hot, k)->count;
                        share += hot_get_row(report->hot, k)->share;
                        EXPECT_STR(hot_text(report->hot, hot_get_row(report->hot, k)->symbol), "");
                }
                EXPECT_INT(count, 3);
                EXPECT_INT((int)(share * 10000), 4285);
                for (size_t k = 0; k < hot_n_pcs(report->hot); k++)
                        at_pcs += hot_get_pc(report->hot, k)->count;
                EXPECT_INT(at_pcs, 3);
                EXPECT_INT(report->quality.n_samples, 7);
                EXPECT_INT(report->quality.n_unresolved, 1);
        }
}

TEST(a_pattern_leaves_rows_of_functions_to_the_view)
{
        AUTO(report) functions = make_matching(0, "^global_");
        AUTO(report) lines = make_matching(PROFILE_SYMBOL | PROFILE_LINE, "^global_");

        ASSERT_TRUE(functions && lines);
        EXPECT_INT(hot_n_rows(functions->hot), 3);
        EXPECT_INT(hot_n_pcs(functions->hot), 4);
        EXPECT_CMP(hot_n_rows(lines->hot), >=, 3);
}

TEST(rows_without_functions_are_shown_with_a_pattern)
{
        AUTO(report) report = make_matching(PROFILE_PID, "^global_");
        AUTO(report) none = make_matching(PROFILE_PID, "nosuch");
        struct report_event event = {.name = "ld_spec", .mean_period = 1, .n_samples = 7};
        AUTO_RELEASE(buf) out = {0};
        struct sample_view view;

        ASSERT_TRUE(report && none);
        view = view_of(report, &event);
        view.hot.symbol = "^global_";
        row_keys_add(&view.hot.keys, ROW_PID);
        hot_view_text(&view.hot, &out);
        EXPECT_CONTAINS(buf_text(&out), "           28.57      2  100\n"
                                        "           14.29      1  200\n"
                                        "           42.86%     3  top 2 in total\n");
        buf_clear(&out);
        hot_view_csv(&view.hot, &out);
        EXPECT_STR(buf_text(&out), "overhead,count,pid\n28.57,2,100\n14.29,1,200\n");
        buf_clear(&out);
        view.hot.hot = none->hot;
        hot_view_text(&view.hot, &out);
        EXPECT_CONTAINS(buf_text(&out), "hot processes ========================\n"
                                        "no function matches ^global_\n");
}

TEST(json_has_the_keys_that_extensions_read)
{
        AUTO(report) report = make(0, (struct profile_filter){0});
        struct report_event event = {.name = "ld_spec", .mean_period = 1, .n_samples = 7};
        AUTO_RELEASE(buf) out = {0};
        struct sample_view view;

        ASSERT_TRUE(report);
        view = view_of(report, &event);
        view.hot.max_rows = 1;
        view.has_exit = true;
        view.exit_status = 7;
        report->image = (struct report_image){.is_known = true, .base_address = 4198400};
        render(&view, SAMPLE_JSON, &out);
        EXPECT_CONTAINS(
                buf_text(&out),
                "{\"sampling\":{\"pe_file\":\"\",\"pdb_file\":\"\",\"sample_display_row\":1,"
                "\"samples_generated\":12,\"samples_dropped\":5,\"base_address\":4198400,"
                "\"runtime_delta\":0,\"events\":[{\"type\":\"ld_spec\",\"samples\":[{\"overhead\":42.86,"
                "\"count\":3,\"symbol\":\"global_one:names.so\"}],\"interval\":1,"
                "\"printed_sample_num\":1,\"annotate\":[]}]},\"quality\":{\"samples\":7,\"lost\":5,");
        EXPECT_CONTAINS(buf_text(&out), "\"target_exit\":7}\n");
        buf_clear(&out);
        view.hot.verbose = true;
        render(&view, SAMPLE_JSON, &out);
        EXPECT_CONTAINS(buf_text(&out), "\"pcs\":[{\"address\":4384,\"count\":2,\"in_symbol\":");
        EXPECT_CONTAINS(
                buf_text(&out),
                "\"modules_info\":[{\"sections\":[{\"section\":\".note.gnu.build-id\",\"offset\":568,");
        buf_clear(&out);
        render(&view, SAMPLE_CSV, &out);
        EXPECT_CONTAINS(buf_text(&out), "overhead,count,interval_95,symbol\n42.86,3,");
}

/* A program that executes another one at the same addresses, between samples with the same call chain. */
static void build_exec(struct session_builder *b)
{
        const uint64_t chain[] = {PERF_CONTEXT_USER, BASE + 0x1100, BASE + 0x1121};

        builder_init(b);
        builder_comm(b, 1, PID, PID, "prog", true);
        builder_mmap(b, 2, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, data_path("elf/names.so"));
        for (uint64_t i = 0; i < 3; i++)
                builder_sample(b, 0, 10 + i, PID, PID, PERF_MISC_USER, chain, N_ELEMENTS(chain));
        builder_comm(b, 20, PID, PID, "prog", true);
        builder_mmap(b, 21, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, "/nothing/gone");
        for (uint64_t i = 0; i < 2; i++)
                builder_sample(b, 0, 30 + i, PID, PID, PERF_MISC_USER, chain, N_ELEMENTS(chain));
        builder_round(b);
}

TEST(stacks_are_of_the_maps_of_their_time)
{
        const struct report_request request = {
                .path = exec_path, .results = REPORT_TREE, .no_tree_inlines = true};
        AUTO(calltree) tree = NULL;
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        ASSERT_TRUE(build_file(exec_path, build_exec));
        report = report_make(&request, &err);
        ASSERT_TRUE(report);
        tree = stacks_tree_make(report->tree, 0);
        for (uint32_t i = 1; i < calltree_n_nodes(tree); i++) {
                const struct calltree_node *node = calltree_get_node(tree, i);
                const struct calltree_function *f = calltree_get_function(tree, node->function);

                buf_printf(&out, "%u %s:%s %u/%u\n", node->depth, f->name, f->module, (unsigned)node->count,
                           (unsigned)node->self_count);
        }
        EXPECT_STR(buf_text(&out), "1 [cut]: 3/0\n2 global_one:names.so 3/0\n3 local_leaf:names.so 3/3\n"
                                   "1 unknown:gone 2/0\n2 unknown:gone 2/2\n");
        /* If the file is missing, it is not known whether the stack is whole. */
        EXPECT_INT(report->quality.n_cut_stacks, 3);
        EXPECT_INT(report->quality.n_unjudged, 2);
}

/* A frame may have a method for which the heading has no text. */
TEST(stacks_that_were_unwound_are_told_of)
{
        const struct report_request request = {.path = session_path, .results = REPORT_TREE};
        struct report_event event = {.name = "ld_spec",
                                     .attr = {.sample_period_or_freq = 1},
                                     .skid = "possible",
                                     .n_samples = 7,
                                     .weight = 7};
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) out = {0};
        struct sample_view view;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = report_make(&request, NULL));
        view = view_of(report, &event);
        view.trees.are_wanted = true;
        render(&view, SAMPLE_TEXT, &out);
        EXPECT_TRUE(!strstr(buf_text(&out), "stacks: "));
        buf_clear(&out);
        report->ways.any = true;
        render(&view, SAMPLE_TEXT, &out);
        EXPECT_CONTAINS(buf_text(&out), "skid: possible\nstacks: unwound from copies of the stack\n");
        buf_clear(&out);
        report->ways.by_way[UNWIND_WAY_LBR] = 2;
        render(&view, SAMPLE_TEXT, &out);
        EXPECT_CONTAINS(buf_text(&out),
                        "stacks: 2 frames by the CPU's record of calls, joined with the kernel's");
}

TAP_MAIN
