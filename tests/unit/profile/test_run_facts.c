/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_facts.h"

#include "comparison.h"
#include "limits.h"
#include "runs_builder.h"
#include "tap.h"

/* Slower runs of B, with a fact in each run. */
static struct run_values *make(const char *key, const char *a, const char *b)
{
        struct runs_builder builder = runs_builder_of(5);
        struct run_values *values = run_values_new();

        builder.planted = 3;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                for (unsigned i = 0; i < 4; i++) {
                        runs_add(&builder, values, (enum run_side)side, i);
                        run_values_add_fact(values, key, side == RUN_A ? a : b);
                }
        }
        run_values_finish(values);
        return values;
}

static const char *error_of(const char *key, const char *a, const char *b)
{
        static struct err err;
        AUTO(run_values) values = make(key, a, b);

        err = (struct err){0};
        return run_facts_check(values, &err) ? "" : err.text;
}

TEST(what_measures_other_things_is_refused)
{
        EXPECT_STR(error_of("architecture", "x86_64", "aarch64"),
                   "A was recorded on x86_64, B on aarch64: they can't be compared");
        EXPECT_STR(error_of("code", "user code", "user code and the kernel"),
                   "A has samples of user code, B of user code and the kernel: record both with -k, or both "
                   "without");
        EXPECT_STR(error_of("code", "user code", "user code"), "");
        EXPECT_STR(error_of("kernel", "6.1", "6.2"), "");
}

TEST(another_cpu_model_makes_verdicts_unclear)
{
        AUTO(run_values) same = make("processor", "Neoverse-N1", "Neoverse-N1");
        AUTO(run_values) other = make("processor", "Neoverse-N1", "Neoverse-V2");
        AUTO(comparison) c = comparison_new(&(struct comparison_request){other, 0, MEASURE_TIME});
        struct limits limits = {0};
        struct limit_result result;

        EXPECT_TRUE(!run_facts_doubt(same));
        EXPECT_STR(run_facts_doubt(other), "another CPU model");
        EXPECT_CMP(comparison_total(c, "cpu")->value.verdict, ==, COMPARED_MORE);
        EXPECT_CMP(c->rows[0].amount.verdict, ==, COMPARED_MORE);
        comparison_doubt(c, run_facts_doubt(other));
        EXPECT_CMP(comparison_total(c, "cpu")->value.verdict, ==, COMPARED_UNCLEAR);
        EXPECT_CMP(c->rows[0].amount.verdict, ==, COMPARED_UNCLEAR);
        EXPECT_STR(c->rows[0].amount.doubt, "another CPU model");
        EXPECT_TRUE(limits_parse(&limits, "total=5%", NULL));
        limits_judge(
                &limits,
                &(struct limits_request){.values = other, .comparison = c, .doubt = run_facts_doubt(other)},
                &result);
        EXPECT_CMP(result.verdict, ==, LIMIT_UNKNOWN);
        EXPECT_STR(result.why, "another CPU model");
        limits_release(&limits);
}

TEST(programs_that_share_nothing_are_known)
{
        AUTO(run_values) values = run_values_new();
        AUTO(comparison) c = NULL;

        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                run_values_add_run(values, (enum run_side)side, "x");
                run_values_add_event(values, &(struct run_event){"e", true, 100, 100, 100});
                run_values_add(values, 0, &(struct run_name){side == RUN_A ? "a" : "b", NULL, "m"}, 90, 90);
                run_values_add(values, 0, &(struct run_name){"both", NULL, "m"}, 10, 10);
        }
        run_values_finish(values);
        c = comparison_new(&(struct comparison_request){values, 0, MEASURE_TIME});
        EXPECT_CMP(fabs(comparison_common_share(c) - 0.1), <, 1e-9);
}

TAP_MAIN
