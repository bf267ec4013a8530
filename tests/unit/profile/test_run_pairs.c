/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_pairs.h"

#include <stdlib.h>

#include "comparison.h"
#include "runs_builder.h"
#include "tap.h"

/* Starts of the runs of A, then of B; 0 ends. */
static size_t *pairs_of(const double *a, const double *b)
{
        AUTO(run_values) values = run_values_new();

        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                for (const double *start = side == RUN_A ? a : b; *start != 0; start++) {
                        run_values_add_run(values, (enum run_side)side, "x");
                        run_values_set_start(values, *start);
                }
        }
        run_values_finish(values);
        return run_pairs_make(values);
}

TEST(runs_in_turn_are_pairs)
{
        /* a-10.data comes before a-2.data */
        size_t *pairs = pairs_of((const double[]){1, 7, 3, 0}, (const double[]){2, 8, 4, 0});

        ASSERT_TRUE(pairs);
        EXPECT_TRUE(pairs[0] == 3 && pairs[1] == 4 && pairs[2] == 5);
        free(pairs);
        pairs = pairs_of((const double[]){1, 4, 5, 0}, (const double[]){2, 3, 6, 0});
        ASSERT_TRUE(pairs);
        EXPECT_TRUE(pairs[0] == 3 && pairs[1] == 4 && pairs[2] == 5);
        free(pairs);
}

TEST(other_runs_are_not)
{
        EXPECT_TRUE(!pairs_of((const double[]){1, 2, 3, 0}, (const double[]){4, 5, 6, 0}));
        EXPECT_TRUE(!pairs_of((const double[]){1, 3, 5, 0}, (const double[]){2, 4, 0}));
        EXPECT_TRUE(!pairs_of((const double[]){1, 3, 0}, (const double[]){2, 4, 0}));
        EXPECT_TRUE(!pairs_of((const double[]){1, 3, -1, 0}, (const double[]){2, 4, 6, 0}));
        EXPECT_TRUE(!pairs_of((const double[]){0}, (const double[]){0}));
}

/* The share of `n` trials that differ at 5 %, of pairs whose runs have this correlation. */
static double rate_of(uint64_t seed, size_t n_pairs, double correlation, double shift, bool uses_pairs)
{
        enum { N = 4000 };
        struct runs_builder random = runs_builder_of(seed);
        unsigned n = 0;

        for (unsigned i = 0; i < N; i++) {
                double a[16], b[16];
                struct run_group of_a, of_b;

                for (size_t r = 0; r < n_pairs; r++) {
                        double both = sqrt(correlation) * runs_normal(&random);

                        a[r] = 100 + both + sqrt(1 - correlation) * runs_normal(&random);
                        b[r] = 100 + shift + both + sqrt(1 - correlation) * runs_normal(&random);
                }
                of_a = welch_group_of(a, n_pairs, 0);
                of_b = welch_group_of(b, n_pairs, 0);
                n += welch_compare(&of_a, &of_b, uses_pairs ? run_pairs_covariance(a, b, n_pairs) : 0, 0.05)
                             .p < 0.05;
        }
        return (double)n / N;
}

TEST(pairs_that_do_not_help_cost_nothing)
{
        for (size_t n = 3; n <= 8; n++) {
                double alarms = rate_of(n, n, 0, 0, true), found = rate_of(n, n, 0, 2, true);

                printf("# %zu pairs without correlation: %.3f false alarms, %.3f found\n", n, alarms, found);
                EXPECT_CMP(alarms, <, 0.075);
                EXPECT_CMP(found, >=, rate_of(n, n, 0, 2, false) - 0.01);
        }
}

TEST(pairs_that_help_find_more_without_more_alarms)
{
        double alarms = rate_of(1, 8, 0.8, 0, true), alone = rate_of(1, 8, 0.8, 0.9, false),
               found = rate_of(1, 8, 0.8, 0.9, true);

        printf("# 8 pairs, correlation 0.8: %.3f false alarms; found %.3f, without pairs %.3f\n", alarms,
               found, alone);
        EXPECT_CMP(alarms, <=, 0.05);
        EXPECT_CMP(found, >, 1.5 * alone);
}

/* What is called the smallest difference that is found: pairs find a smaller one, with fewer runs, and as
 * often as is said. */
TEST(pairs_find_smaller_differences_with_fewer_runs)
{
        struct run_group a = {.n = 8, .mean = 100, .variance = 1}, b = a;
        double covariance = 7.0 / (7 + 8) * 0.8 / 8; /* as run_pairs_covariance() has it */
        const struct welch_wanted of_others = {.change = 0.006, .alpha = 0.05, .max = 1000},
                                  of_pairs = {.change = 0.006,
                                              .alpha = 0.05,
                                              .covariance = covariance,
                                              .max = 1000};
        double alone = welch_smallest(&a, &b, 0, 0.05), paired = welch_smallest(&a, &b, covariance, 0.05);
        double found = rate_of(2, 8, 0.8, paired, true);

        printf("# 8 pairs, correlation 0.8: %.2f is found in %.3f, without pairs %.2f\n", paired, found,
               alone);
        EXPECT_CMP(paired, <, 0.85 * alone);
        EXPECT_CMP(found, >=, 0.88);
        EXPECT_CMP(welch_runs_for(&a, &b, &of_pairs), <, 0.8 * welch_runs_for(&a, &b, &of_others));
}

TAP_MAIN
