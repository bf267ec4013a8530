/* SPDX-License-Identifier: BSD-3-Clause */
#include "row_noise.h"

#include <math.h>
#include <stdlib.h>

#include "runs_builder.h"
#include "tap.h"

enum { N_ROWS = 60, N_RUNS = 4 };

/* Rows of 20 to 2000 samples, whose runs vary by `sampling` variances of sampling, times the square of up to
 * `spread` in a row, and by the share `relative`. */
static struct row_noise fit(uint64_t seed, double sampling, double spread, double relative,
                            struct run_group *groups)
{
        struct runs_builder b = runs_builder_of(seed);
        const struct run_group *all[N_ROWS];

        for (size_t i = 0; i < N_ROWS; i++) {
                double mean = 20 * pow(100, (double)i / N_ROWS), values[N_RUNS];
                double own = pow(spread, 2 * runs_random(&b) - 1);

                for (size_t r = 0; r < N_RUNS; r++)
                        values[r] = mean + sqrt(sampling * mean) * own * runs_normal(&b) +
                                    relative * mean * runs_normal(&b);
                groups[i] = welch_group_of(values, N_RUNS, mean);
                all[i] = &groups[i];
        }
        return row_noise_fit(all, N_ROWS);
}

TEST(both_parts_of_the_noise_are_found)
{
        struct run_group groups[N_ROWS];
        double sampling = 0, relative = 0, df = 0;
        enum { N = 40 };

        for (uint64_t i = 0; i < N; i++) {
                struct row_noise noise = fit(i + 1, 2, 1, 0.05, groups);

                sampling += noise.sampling / N;
                relative += sqrt(noise.relative) / N;
                df += noise.df / N;
        }
        printf("# 2 and 0.05: %.2f and %.3f, %.1f degrees of freedom\n", sampling, relative, df);
        EXPECT_TRUE(fabs(sampling - 2) < 0.3 && fabs(relative - 0.05) < 0.01);
        EXPECT_CMP(df, >, 8); /* all rows are alike */
}

TEST(rows_that_are_not_alike_tell_little_of_each_other)
{
        struct run_group groups[N_ROWS];
        double alike = 0, apart = 0;

        for (uint64_t i = 0; i < 20; i++) {
                alike += fit(i + 1, 1.5, 1, 0, groups).df / 20;
                apart += fit(i + 1, 1.5, 4, 0, groups).df / 20;
        }
        printf("# %.1f degrees of freedom if alike, %.1f if not\n", alike, apart);
        EXPECT_TRUE(apart < 4 && alike > 2 * apart);
}

TEST(a_variance_is_never_less_than_its_own_or_that_of_sampling)
{
        struct run_group groups[N_ROWS];
        struct row_noise noise = fit(7, 1, 2, 0.02, groups), none = {0};

        for (size_t i = 0; i < N_ROWS; i++) {
                struct run_group settled = groups[i], plain = groups[i];

                row_noise_settle(&noise, &settled);
                row_noise_settle(&none, &plain);
                EXPECT_TRUE(settled.variance >= groups[i].variance && settled.variance >= groups[i].sampled);
                EXPECT_TRUE(settled.df >= N_RUNS - 1 && settled.df <= N_RUNS - 1 + noise.df);
                EXPECT_CMP(plain.df, ==, 0);
                EXPECT_CMP(plain.variance, ==, fmax(groups[i].variance, groups[i].sampled));
        }
}

/* What all rows share, such as the speed of the machine in a run, cannot be learnt from many rows. */
TEST(noise_that_rows_share_gives_no_degrees_of_freedom)
{
        struct row_noise noise = {.sampling = 1, .relative = 0.04, .df = 16};
        struct run_group large = {.n = 3, .mean = 10000, .variance = 4e6, .sampled = 10000};
        struct run_group small = {.n = 3, .mean = 5, .variance = 6, .sampled = 5};

        row_noise_settle(&noise, &large);
        row_noise_settle(&noise, &small);
        EXPECT_CMP(large.df, <, 2.1);
        EXPECT_CMP(small.df, >, 10);
}

TEST(few_rows_tell_nothing_of_others)
{
        struct run_group one = {.n = 3, .mean = 5, .variance = 6, .sampled = 5};
        const struct run_group *all[] = {&one};

        EXPECT_CMP(row_noise_fit(all, 0).df, ==, 0);
        EXPECT_CMP(row_noise_fit(all, 1).df, ==, 0);
}

TAP_MAIN
