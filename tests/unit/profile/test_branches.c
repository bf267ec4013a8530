/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions with branch stacks, and sessions with deferred user stacks: their call trees and tables of
 * edges. */
#include "branch_view.h"
#include "calltree.h"
#include "report.h"
#include "session_builder.h"
#include "stack_branches.h"
#include "stacks_tree.h"
#include "tap.h"
#include "test_data.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* names.so, where it is mapped */
enum {
        BASE = 0x400000,
        TEXT_OFF = 0x1000,
        LOCAL_LEAF = BASE + 0x1100,
        GLOBAL_ONE = BASE + 0x1120,
        HIDDEN_TWO = BASE + 0x1150,
        CALLS_ALL = BASE + 0x1180,
        CALL_BYTES = 5,
        PID = 100,
};
/* code that names itself, whichever kernel this is */
#define KERNEL 0xffffffffc0008000

enum { MISPREDICTED = 1, PREDICTED = 2 };
#define NOT_TAKEN ((uint64_t)1 << 33)
#define CYCLES(n) ((uint64_t)(n) << 4)

static void init(struct session_builder *b, uint64_t branch_type)
{
        builder_init(b);
        b->attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
        b->attrs[0].branch_sample_type = PERF_BRANCH_USER | branch_type;
        builder_ksymbol(b, 1, KERNEL, 0x100, 0, "bpf_a");
        builder_comm(b, 1, PID, PID, "prog", true);
        builder_mmap(b, 2, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, data_path("elf/names.so"));
}

static struct report *report_of(struct session_builder *b, const char *path)
{
        struct report_request request = {.path = path, .results = REPORT_TREE | REPORT_BRANCHES};
        struct err err = {0};
        struct report *report = builder_save(b, path) ? report_make(&request, &err) : NULL;

        if (!report)
                TAP_FAIL("%s: %s", path, err.text);
        return report;
}

/* "calls_all(global_one(local_leaf 2))": a number where samples end. */
static void show_node(const struct calltree *tree, uint32_t index, struct buf *out)
{
        const struct calltree_node *node = calltree_get_node(tree, index);

        if (node->function != CALLTREE_NONE)
                buf_add_str(out, calltree_get_function(tree, node->function)->name);
        if (node->self_count)
                buf_printf(out, " %u", (unsigned)node->self_count);
        for (uint32_t child = node->first_child; child != CALLTREE_NONE;
             child = calltree_get_node(tree, child)->next) {
                buf_add_char(out, child == node->first_child ? '(' : ',');
                show_node(tree, child, out);
        }
        if (node->first_child != CALLTREE_NONE)
                buf_add_char(out, ')');
}

static void expect_tree(const struct report *report, const char *want)
{
        AUTO(calltree) tree = stacks_tree_make(report->tree, 0);
        AUTO_RELEASE(buf) out = {0};

        show_node(tree, CALLTREE_ROOT, &out);
        EXPECT_STR(buf_text(&out), want);
}

static const uint64_t calls[][3] = {
        {GLOBAL_ONE + 4, LOCAL_LEAF, 0},
        {HIDDEN_TWO + 8, GLOBAL_ONE, 0},
        {0, 0, 0},
};

/* global_one has no frame pointer: the chain lacks hidden_two. */
static const uint64_t user_chain[] = {PERF_CONTEXT_USER, LOCAL_LEAF + 4, HIDDEN_TWO + 8 + CALL_BYTES,
                                      CALLS_ALL + 20};
static const uint64_t kernel_chain[] = {PERF_CONTEXT_KERNEL, KERNEL + 64, KERNEL + 32, PERF_CONTEXT_USER,
                                        LOCAL_LEAF + 4};

TEST(calls_that_have_not_returned_are_a_stack)
{
        AUTO(report) report = NULL;
        struct session_builder b;

        init(&b, PERF_BRANCH_CALL_STACK);
        builder_sample_branches(&b, 0, 1000, PID, PERF_MISC_USER, user_chain, N(user_chain), calls, 3);
        builder_sample_branches(&b, 0, 1001, PID, PERF_MISC_USER, user_chain, N(user_chain), calls, 2);
        builder_sample_branches(&b, 0, 1002, PID, PERF_MISC_KERNEL, kernel_chain, N(kernel_chain), calls, 3);
        builder_sample_branches(&b, 0, 1003, PID, PERF_MISC_USER, user_chain, N(user_chain), calls, 0);
        report = report_of(&b, "branches-calls.data");
        ASSERT_TRUE(report);
        /* Without branches it is the chain. */
        expect_tree(report, "(calls_all(hidden_two(global_one(local_leaf 2),local_leaf 1)),"
                            "hidden_two(global_one(local_leaf(unknown(unknown 1)))))");
        EXPECT_INT(report->quality.n_cut_stacks, 0);
        EXPECT_TRUE(report->ways.any);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_LBR], 6);
        EXPECT_INT(report->ways.by_way[UNWIND_WAY_FP], 2);
        EXPECT_INT(branch_rows_n(report->branch_rows), 0);
}

static void add_caps(struct session_builder *b, const char *depth)
{
        AUTO_RELEASE(buf) caps = {0};
        static const char *const names[] = {"max_precise", "branches"};

        buf_add_u32(&caps, N(names));
        for (size_t i = 0; i < N(names); i++) {
                buf_add_u32(&caps, 16);
                buf_add(&caps, names[i], strlen(names[i]));
                buf_add_zeros(&caps, 16 - strlen(names[i]));
                buf_add_u32(&caps, 8);
                buf_add(&caps, i ? depth : "3", strlen(i ? depth : "3"));
                buf_add_zeros(&caps, 8 - strlen(i ? depth : "3"));
        }
        builder_feature(b, FEATURE_CPU_PMU_CAPS, caps.data, caps.len);
}

TEST(full_hardware_is_known_by_its_depth)
{
        static const char *const depths[] = {"2", "16", "0"};
        static const char *const paths[] = {"branches-2.data", "branches-16.data", "branches-0.data"};

        for (size_t i = 0; i < N(depths); i++) {
                AUTO(report) report = NULL;
                struct session_builder b;

                init(&b, PERF_BRANCH_CALL_STACK);
                builder_sample_branches(&b, 0, 1000, PID, PERF_MISC_USER, user_chain, 2, calls, 2);
                add_caps(&b, depths[i]);
                report = report_of(&b, paths[i]);
                ASSERT_TRUE(report);
                EXPECT_INT(report->quality.n_cut_stacks, i == 0);
                expect_tree(report, i ? "(hidden_two(global_one(local_leaf 1)))"
                                      : "([cut](hidden_two(global_one(local_leaf 1))))");
        }
}

static const uint64_t jumps[][3] = {
        {LOCAL_LEAF + 8, GLOBAL_ONE + 2, MISPREDICTED | CYCLES(10)},
        {GLOBAL_ONE + 4, LOCAL_LEAF, PREDICTED | CYCLES(31)},
        {GLOBAL_ONE + 5, LOCAL_LEAF + 1, PREDICTED},
        {KERNEL + 8, LOCAL_LEAF, 0},
        {0, 0, 0},
};

TEST(other_branches_are_edges_and_no_stack)
{
        static const char table[] =
                "        overhead  count  mispredicted  cycles  from        from module  to          to module\n"
                "        ========  =====  ============  ======  ====        ===========  ==          =========\n"
                "           50.00      4          0.00    31.0  global_one  names.so     local_leaf  names.so\n"
                "           25.00      2        100.00    10.0  local_leaf  names.so     global_one  names.so\n"
                "           25.00      2                        unknown     bpf_a        local_leaf  names.so\n";
        const struct report_event event = {.name = "cycles", .n_samples = 2};
        struct branch_view view = {.events = &event, .n_events = 1, .max_rows = 50};
        AUTO_RELEASE(buf) out = {0};
        AUTO(report) report = NULL;
        struct session_builder b;
        struct json json;

        init(&b, 0);
        builder_sample_branches(&b, 0, 1000, PID, PERF_MISC_USER, user_chain, 2, jumps, N(jumps));
        builder_sample_branches(&b, 0, 1001, PID, PERF_MISC_USER, user_chain, 2, jumps, N(jumps));
        report = report_of(&b, "branches-any.data");
        ASSERT_TRUE(report);
        expect_tree(report, "([cut](local_leaf 2))");
        view.rows = report->branch_rows;
        branch_view_text(&view, &out);
        EXPECT_CONTAINS(buf_text(&out), "=== branches: cycles, 8 in 2 samples, top 50 ===");
        EXPECT_STR(strchr(buf_text(&out), '\n') + 1, table);
        buf_clear(&out);
        view.symbol = "^global";
        view.max_rows = 1;
        branch_view_csv(&view, &out);
        EXPECT_STR(buf_text(&out),
                   "overhead,count,mispredicted_percent,mean_cycles,from,from_module,to,to_module\n"
                   "50.00,4,0.00,31.0,global_one,names.so,local_leaf,names.so\n");
        buf_clear(&out);
        json_init(&json, &out);
        json_begin_object(&json);
        view.max_rows = 50;
        view.symbol = "local_leaf";
        branch_view_json(&view, &json);
        json_end_object(&json);
        EXPECT_CONTAINS(buf_text(&out),
                        "{\"branches\":[{\"type\":\"cycles\",\"count\":8,\"edges\":[{\"overhead\":50.00,");
        EXPECT_CONTAINS(buf_text(&out),
                        "\"mispredicted_percent\":null,\"mean_cycles\":null,\"from\":\"unknown\","
                        "\"from_module\":\"bpf_a\",\"to\":\"local_leaf\",");
}

/* Branches to one function from several places are one row; what was never mispredicted is none. */
TEST(targets_have_their_mispredictions)
{
        static const uint64_t missed[][3] = {
                {GLOBAL_ONE + 4, LOCAL_LEAF, MISPREDICTED}, {HIDDEN_TWO + 4, LOCAL_LEAF, MISPREDICTED},
                {CALLS_ALL + 4, LOCAL_LEAF, PREDICTED},     {CALLS_ALL + 4, HIDDEN_TWO, MISPREDICTED},
                {HIDDEN_TWO + 4, GLOBAL_ONE, PREDICTED},
        };
        const struct report_event event = {.name = "cycles", .n_samples = 1};
        struct branch_view view = {.events = &event, .n_events = 1, .max_rows = 50, .by_target = true};
        struct report_request request = {
                .path = "branches-targets.data", .results = REPORT_BRANCHES, .branches_by_target = true};
        AUTO_RELEASE(buf) out = {0};
        AUTO(report) report = NULL;
        struct session_builder b;
        struct err err = {0};

        init(&b, 0);
        builder_sample_branches(&b, 0, 1000, PID, PERF_MISC_USER, user_chain, 2, missed, N(missed));
        ASSERT_TRUE(builder_save(&b, request.path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report);
        view.rows = report->branch_rows;
        branch_view_csv(&view, &out);
        EXPECT_STR(buf_text(&out), "overhead,mispredicted,branches,mispredicted_percent,to,to_module\n"
                                   "66.67,2,3,66.67,local_leaf,names.so\n"
                                   "33.33,1,1,100.00,hidden_two,names.so\n");
}

/* A branch that was not taken is among the predictions, and no branch from one function to another. */
TEST(what_was_not_taken_has_its_mispredictions)
{
        static const uint64_t pairs[][3] = {
                {LOCAL_LEAF + 4, LOCAL_LEAF + 8, MISPREDICTED | NOT_TAKEN},
                {LOCAL_LEAF + 4, LOCAL_LEAF + 8, PREDICTED | NOT_TAKEN},
                {LOCAL_LEAF + 4, LOCAL_LEAF + 8, MISPREDICTED},
        };
        struct report_request request = {
                .path = "branches-not-taken.data", .results = REPORT_BRANCHES, .branches_by_target = true};
        AUTO(report) targets = NULL;
        AUTO(report) taken = NULL;
        struct session_builder b;
        struct err err = {0};

        init(&b, 0);
        builder_sample_branches(&b, 0, 1000, PID, PERF_MISC_USER, user_chain, 2, pairs, N(pairs));
        ASSERT_TRUE(builder_save(&b, request.path));
        ASSERT_TRUE((targets = report_make(&request, &err)) && branch_rows_n(targets->branch_rows) == 1);
        EXPECT_INT(branch_rows_get(targets->branch_rows, 0)->count, 3);
        EXPECT_INT(branch_rows_get(targets->branch_rows, 0)->n_mispredicted, 2);
        request.branches_by_target = false;
        ASSERT_TRUE((taken = report_make(&request, &err)) && branch_rows_n(taken->branch_rows) == 1);
        EXPECT_INT(branch_rows_get(taken->branch_rows, 0)->count, 1);
}

TEST(only_a_session_without_any_stack_gets_the_note)
{
        struct perf_attr attr = {.sample_type = PERF_SAMPLE_BRANCH_STACK};

        EXPECT_TRUE(stack_branches_only(&attr));
        attr.branch_sample_type = PERF_BRANCH_CALL_STACK;
        EXPECT_TRUE(!stack_branches_only(&attr) && stack_branches_can(&attr) && !branches_are_edges(&attr));
        attr.branch_sample_type = 0;
        attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
        EXPECT_TRUE(!stack_branches_only(&attr) && branches_are_edges(&attr));
        attr.sample_type = PERF_SAMPLE_CALLCHAIN;
        EXPECT_TRUE(!stack_branches_only(&attr) && !branches_are_edges(&attr));
}

TEST(a_user_stack_that_never_came_is_a_cut_stack)
{
        static const uint64_t waiting[] = {PERF_CONTEXT_KERNEL, KERNEL + 64, PERF_CONTEXT_USER_DEFERRED, 7};
        static const uint64_t user[] = {LOCAL_LEAF + 4, CALLS_ALL + 20};
        AUTO(report) report = NULL;
        struct session_builder b;

        init(&b, 0);
        b.attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
        b.attrs[0].flags |= PERF_ATTR_DEFER_CALLCHAIN;
        builder_sample(&b, 0, 1000, PID, PID, PERF_MISC_KERNEL, waiting, N(waiting));
        builder_deferred(&b, 1001, PID, PID, 7, user, N(user));
        builder_sample(&b, 0, 1002, PID, PID, PERF_MISC_KERNEL, waiting, N(waiting));
        builder_sample(&b, 0, 1003, PID, PID, PERF_MISC_KERNEL, waiting, N(waiting));
        report = report_of(&b, "branches-deferred.data");
        ASSERT_TRUE(report);
        expect_tree(report, "([cut](unknown 2,calls_all(local_leaf(unknown 1))))");
        /* The stack that arrived ends in a function with a missing caller. */
        EXPECT_INT(report->quality.n_cut_stacks, 3);
        EXPECT_INT(report->quality.n_samples, 3);
}

TAP_MAIN
