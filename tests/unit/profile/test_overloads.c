/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with equal names: each has a row, a node and an annotation of its own; parts and clones of a
 * function share one. */
#include "annotation.h"
#include "hot.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

enum { BASE = 0x400000, PID = 100, CALLER = 0x261 };

static const char session_path[] = "overloads-test.data";

/* Where overloads.so has its functions. */
enum {
        F_INT = 0x220,
        F_DOUBLE = 0x230,
        CTOR_1 = 0x240,
        CTOR_2 = 0x250,
        TEMPLATE = 0x260,
        HELPER_1 = 0x270,
        WHOLE = 0x280,
        PART = 0x290,
        CONSTPROP = 0x2a0,
        COLD = 0x2b0,
        LTO_0 = 0x2c0,
        LTO_1 = 0x2d0,
        HELPER_2 = 0x2e0,
};

static bool write_session(void)
{
        static const uint64_t addrs[] = {F_INT,  F_INT,    F_INT, F_DOUBLE, F_DOUBLE, CTOR_1,
                                         CTOR_2, TEMPLATE, WHOLE, PART,     COLD,     CONSTPROP,
                                         LTO_0,  LTO_1,    LTO_1, HELPER_1, HELPER_1, HELPER_2};
        struct session_builder b;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "prog", true);
        builder_mmap(&b, 2, PID, BASE, 0x1000, 0, data_path("elf/overloads.so"));
        for (size_t i = 0; i < N_ELEMENTS(addrs); i++) {
                const uint64_t chain[] = {PERF_CONTEXT_USER, BASE + addrs[i], BASE + CALLER};

                builder_sample(&b, 0, 1000 + i, PID, PID, PERF_MISC_USER, chain, N_ELEMENTS(chain));
        }
        builder_round(&b);
        return builder_save(&b, session_path);
}

static struct report *make(const struct report_request *wanted)
{
        struct report_request request = *wanted;
        struct err err = {0};
        struct report *report;

        request.path = session_path;
        report = write_session() ? report_make(&request, &err) : NULL;
        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

static void expect_rows(const struct report_request *request, const char *pattern, const char *want)
{
        AUTO(report) report = make(request);
        const struct hot *hot = report ? report->hot : NULL;
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; hot && i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);

                if (!pattern || hot_row_matches(hot, row, pattern))
                        buf_printf(&out, "%d %s\n", (int)row->count, hot_text(hot, row->bare));
        }
        EXPECT_STR(buf_text(&out), want);
}

/* The two variants of a constructor are one row, because they have equal names with arguments, too; so are
 * copies of a static function. */
TEST(each_function_has_a_row)
{
        expect_rows(&(struct report_request){0}, NULL,
                    "4 whole\n"
                    "3 f(int)\n"
                    "3 helper\n"
                    "3 other\n"
                    "2 C::C(int)\n"
                    "2 f(double)\n"
                    "1 t<int>\n");
}

TEST(long_names_have_everything)
{
        expect_rows(&(struct report_request){.long_names = true}, NULL,
                    "3 f(int)\n"
                    "3 helper\n"
                    "2 C::C(int)\n"
                    "2 f(double)\n"
                    "2 other.lto_priv.1\n"
                    "1 other.lto_priv.0\n"
                    "1 void t<int>(int)\n"
                    "1 whole.cold\n"
                    "1 whole.constprop.0.isra.0\n"
                    "1 whole.part.0\n"
                    "1 whole\n");
}

TEST(patterns_take_arguments_or_all)
{
        const struct report_request with_arguments = {.arguments = true};

        expect_rows(&(struct report_request){0}, "f", "3 f(int)\n2 f(double)\n");
        expect_rows(&(struct report_request){0}, "f(int)", "3 f(int)\n");
        expect_rows(&(struct report_request){0}, "^C::C", "2 C::C(int)\n");
        expect_rows(&with_arguments, "t<int>(int)", "1 t<int>(int)\n");
        expect_rows(&with_arguments, "t<int>", "1 t<int>(int)\n");
}

TEST(nodes_of_a_tree_are_functions)
{
        AUTO(report) report = make(&(struct report_request){.results = REPORT_TREE});
        AUTO(calltree) tree = NULL;
        AUTO_RELEASE(buf) out = {0};
        const struct calltree_node *caller;

        ASSERT_TRUE(report);
        tree = stacks_tree_make(report->tree, 0);
        /* Below the mark of a cut stack. */
        caller = calltree_get_node(tree, calltree_get_node(tree, CALLTREE_ROOT)->first_child);
        caller = calltree_get_node(tree, caller->first_child);
        for (uint32_t at = caller->first_child; at != CALLTREE_NONE; at = calltree_get_node(tree, at)->next) {
                const struct calltree_node *node = calltree_get_node(tree, at);

                buf_printf(&out, "%d %s\n", (int)node->count,
                           calltree_get_function(tree, node->function)->name);
        }
        EXPECT_STR(buf_text(&out), "4 whole\n"
                                   "3 f(int)\n"
                                   "3 helper\n"
                                   "3 other\n"
                                   "2 C::C(int)\n"
                                   "2 f(double)\n"
                                   "1 t<int>\n");
}

TEST(exported_frames_are_functions)
{
        AUTO(report) report = make(&(struct report_request){.results = REPORT_NAMED_STACKS});
        const struct named_stacks *named = report ? report->named : NULL;
        unsigned n_int = 0, n_double = 0, n_short = 0;

        ASSERT_TRUE(named);
        for (size_t i = 0; i < named->n_frames; i++) {
                n_int += !strcmp(named->frames[i].function, "f(int)");
                n_double += !strcmp(named->frames[i].function, "f(double)");
                n_short += !strcmp(named->frames[i].function, "t<int>");
        }
        EXPECT_INT(n_int, 1);
        EXPECT_INT(n_double, 1);
        EXPECT_INT(n_short, 2); /* the caller, and where a sample is */
}

static void expect_annotated(const char *pattern, const char *want)
{
        AUTO(report) report = make(&(struct report_request){0});
        AUTO(annotation) annotation = NULL;
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        ASSERT_TRUE(report);
        annotation = annotation_new(
                report, &(struct annotation_request){.symbol = pattern, .max_functions = 50}, &err);
        for (size_t i = 0; annotation && i < annotation_n_functions(annotation); i++) {
                struct annotated a = annotation_get(annotation, i);

                buf_printf(&out, "%s 0x%x %d\n", hot_text(report->hot, a.row->bare), (unsigned)a.start,
                           (int)annotate_count(a.annotate));
        }
        EXPECT_STR(annotation ? buf_text(&out) : err.text, want);
}

TEST(annotation_shows_each_candidate)
{
        expect_annotated("f", "f(int) 0x220 3\nf(double) 0x230 2\n");
        expect_annotated("f(double)", "f(double) 0x230 2\n");
        expect_annotated("helper", "helper 0x270 2\nhelper 0x2e0 1\n");
        expect_annotated("whole", "whole 0x280 1\nwhole 0x290 1\nwhole 0x2a0 1\nwhole 0x2b0 1\n");
}

TAP_MAIN
