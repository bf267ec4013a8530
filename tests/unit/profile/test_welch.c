/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "attributes.h"
#include "discoveries.h"
#include "student.h"
#include "tap.h"
#include "welch.h"

static bool is_near(double x, double y, double relative)
{
        return fabs(x - y) <= relative * fabs(y);
}

static size_t runs_for(const struct run_group *a, const struct run_group *b, double change, bool a_is_fixed)
{
        return welch_runs_for(
                a, b,
                &(struct welch_wanted){
                        .change = change, .alpha = 0.05, .max = 10000, .a_is_fixed = a_is_fixed});
}

/* Closed forms: I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a, I_1/2(a, a) = 1/2; and a polynomial for whole a
 * and b. */
TEST(the_incomplete_beta_function_has_its_closed_forms)
{
        for (double x = 0.01; x < 1; x += 0.07) {
                EXPECT_TRUE(is_near(student_incomplete_beta(1, 3.5, x), 1 - pow(1 - x, 3.5), 1e-10));
                EXPECT_TRUE(is_near(student_incomplete_beta(4.25, 1, x), pow(x, 4.25), 1e-10));
        }
        for (double a = 0.25; a < 3000; a *= 1.9)
                EXPECT_TRUE(is_near(student_incomplete_beta(a, a, 0.5), 0.5, 1e-10));
        EXPECT_TRUE(is_near(student_incomplete_beta(2, 3, 0.4), 0.5248, 1e-10));
        EXPECT_CMP(student_incomplete_beta(2, 3, 0), ==, 0);
        EXPECT_CMP(student_incomplete_beta(2, 3, 1), ==, 1);
}

/* One degree of freedom is Cauchy's distribution, two have a closed form; the others are from printed
 * tables. */
TEST(students_distribution_has_known_values)
{
        static const struct {
                double tail, df, t;
        } known[] = {
                {0.025, 1, 12.7062047362},  {0.025, 5, 2.5705818356},  {0.025, 10, 2.2281388520},
                {0.005, 8, 3.3553873313},   {0.0005, 4, 8.6103015814}, {0.0005, 9, 4.7809125859},
                {0.025, 120, 1.9799304051}, {0.05, 30, 1.6972608866},
        };

        for (double t = -4; t < 9; t += 0.65) {
                EXPECT_TRUE(is_near(student_two_sided(t, 1), 1 - 2 / 3.14159265358979 * atan(fabs(t)), 1e-9));
                EXPECT_TRUE(is_near(student_two_sided(t, 2), 1 - fabs(t) / sqrt(2 + t * t), 1e-9));
        }
        for (size_t i = 0; i < N_ELEMENTS(known); i++) {
                EXPECT_TRUE(is_near(student_quantile(known[i].tail, known[i].df), known[i].t, 1e-8));
                EXPECT_TRUE(is_near(student_two_sided(known[i].t, known[i].df), 2 * known[i].tail, 1e-8));
        }
        EXPECT_TRUE(is_near(student_two_sided(1.959963985, 1e7), 0.05, 1e-5));
}

static const double first[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                               21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
static const double second[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                                24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};

/* The first example of the literature on unequal variances: t = -2.46, 25.0 degrees of freedom, p = 0.021. */
TEST(welchs_test_has_the_published_result)
{
        struct run_group a = welch_group_of(first, N_ELEMENTS(first), 0);
        struct run_group b = welch_group_of(second, N_ELEMENTS(second), 0);
        struct welch w = welch_compare(&a, &b, 0, 0.05);

        EXPECT_TRUE(w.is_known);
        EXPECT_TRUE(is_near((b.mean - a.mean) / w.error, 2.46, 2e-3));
        EXPECT_TRUE(is_near(w.df, 25.0, 2e-3));
        EXPECT_TRUE(is_near(w.p, 0.021, 3e-2));
        EXPECT_TRUE(w.low > 0 && w.high < 0.25);
}

TEST(an_interval_excludes_no_change_exactly_if_the_test_does)
{
        struct run_group a = welch_group_of(first, N_ELEMENTS(first), 0);

        for (double shift = -0.3; shift < 0.3; shift += 0.01) {
                struct run_group b = a;
                struct welch w;

                b.mean = a.mean * (1 + shift);
                w = welch_compare(&a, &b, 0, 0.05);
                EXPECT_CMP((w.p < 0.05), ==, (w.low > 0 || w.high < 0));
                EXPECT_TRUE(w.low <= shift + 1e-9 && shift - 1e-9 <= w.high);
                EXPECT_CMP((w.p < 0.05), ==, (w.less > 0 || w.more < 0));
                EXPECT_TRUE(is_near(w.less + w.more, 2 * (b.mean - a.mean), 1e-9));
        }
}

TEST(one_run_tells_nothing)
{
        struct run_group a = welch_group_of(first, 1, 0), b = welch_group_of(second, 5, 0);
        struct welch w = welch_compare(&a, &b, 0, 0.05);

        EXPECT_TRUE(!w.is_known);
        EXPECT_CMP(w.p, ==, 1);
        EXPECT_TRUE(isinf(welch_smallest(&a, &b, 0, 0.05)));
}

/* A program that does the same in each run, counted exactly. */
TEST(exact_counts_differ_by_one)
{
        const double same[] = {7, 7, 7};
        struct run_group plain = welch_group_of(same, 3, 0), other = {.n = 3, .mean = 8};

        EXPECT_CMP(welch_compare(&plain, &other, 0, 0.05).p, ==, 0);
        EXPECT_CMP(welch_compare(&plain, &plain, 0, 0.05).p, ==, 1);
}

TEST(a_group_of_zero_has_an_interval_without_end)
{
        const double zeros[] = {0, 0, 0};
        struct run_group a = welch_group_of(zeros, 3, 0), b = welch_group_of(first, 3, 0);
        struct welch w;

        a.variance = 1;
        w = welch_compare(&a, &b, 0, 0.001);
        EXPECT_TRUE(w.p > 0.001 && isinf(w.high) && w.low == -1);
        /* as sure as B is more than 0, B / A is more than 1 */
        w = welch_compare(&a, &b, 0, 0.05);
        EXPECT_TRUE(w.p < 0.05 && isinf(w.high) && w.low > 0);
        EXPECT_TRUE(isfinite(welch_smallest(&a, &b, 0, 0.05)));
        EXPECT_TRUE(!runs_for(&a, &b, 10, false));
}

/* Means with standard errors of 5 and 4 and a covariance of 10: the ends r of Fieller's interval are where
 * |B - r A| is t standard errors of B - r A. */
TEST(the_covariance_of_pairs_narrows_the_interval)
{
        struct run_group a = {.n = 5, .mean = 100, .variance = 125},
                         b = {.n = 5, .mean = 120, .variance = 80};
        struct welch apart = welch_compare(&a, &b, 0, 0.05), paired = welch_compare(&a, &b, 10, 0.05);
        double t = student_quantile(0.025, paired.df);

        EXPECT_TRUE(is_near(paired.error, sqrt(25 + 16 - 20), 1e-12));
        EXPECT_TRUE(is_near(paired.df, apart.df * (1 - 10.0 / 20 / 2), 1e-12));
        EXPECT_TRUE(paired.low > apart.low && paired.high < apart.high);
        for (int i = 0; i < 2; i++) {
                double r = 1 + (i ? paired.high : paired.low);

                EXPECT_TRUE(is_near(fabs(120 - r * 100), t * sqrt(25 * r * r + 16 - 20 * r), 1e-9));
        }
}

TEST(the_number_of_runs_suffices_and_allows_for_more_variance)
{
        struct run_group a = {.n = 5, .mean = 100, .variance = 9}, b = {.n = 5, .mean = 101, .variance = 16};
        size_t last = 10001;

        for (double change = 0.01; change < 0.3; change *= 1.3) {
                size_t n = runs_for(&a, &b, change, false);
                struct run_group more_a = a, more_b = b;

                more_a.n = more_b.n = n;
                EXPECT_TRUE(n >= 5 && n <= last);
                EXPECT_CMP(welch_smallest(&more_a, &more_b, 0, 0.05), <=, change * a.mean);
                EXPECT_CMP((n == 5), ==, (welch_smallest(&a, &b, 0, 0.05) <= change * a.mean));
                last = n;
        }
        EXPECT_CMP(last, ==, 5);
        EXPECT_TRUE(!runs_for(&a, &b, 1e-6, false));
        a.n = 1;
        EXPECT_TRUE(!runs_for(&a, &b, 0.5, false));
}

/* Ten runs of a baseline vary by as much as their mean may be wrong, however many runs of B there are. */
TEST(a_baseline_gets_no_more_runs)
{
        struct run_group a = {.n = 10, .mean = 100, .variance = 9}, b = {.n = 5, .mean = 101, .variance = 9};
        size_t both = runs_for(&a, &b, 0.05, false), only_b = runs_for(&a, &b, 0.05, true);

        EXPECT_TRUE(both > 5 && only_b > both && only_b < 100);
        EXPECT_TRUE(runs_for(&a, &b, 0.02, false));
        EXPECT_TRUE(!runs_for(&a, &b, 0.02, true));
        EXPECT_CMP(runs_for(&a, &b, 0.5, true), ==, 5);
}

/* The example of Benjamini and Hochberg (1995), section 3.1: of these 15, four are discoveries at 0.05. */
TEST(discoveries_are_those_of_benjamini_and_hochberg)
{
        static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
        double mixed[15], q[15];
        size_t n = 0;

        for (size_t i = 0; i < 15; i++)
                mixed[i * 4 % 15] = p[i];
        discoveries_adjust(mixed, NULL, 15, q);
        for (size_t i = 0; i < 15; i++) {
                EXPECT_TRUE(q[i] >= mixed[i] && q[i] <= 1);
                n += q[i] <= 0.05;
        }
        EXPECT_CMP(n, ==, 4);
        EXPECT_TRUE(is_near(q[3 * 4 % 15], 0.0095 * 15 / 4, 1e-12));
        discoveries_adjust(mixed, NULL, 0, q);
}

/* An interval at this level excludes 0 exactly if p is at most its alpha. */
TEST(intervals_agree_with_discoveries)
{
        static const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
        double q[15], weights[15], sum = 0;

        discoveries_adjust(p, NULL, 15, q);
        EXPECT_TRUE(is_near(discoveries_alpha(q, 15, 1, 0.05), 4 * 0.05 / 15, 1e-12));
        for (size_t heavy = 0; heavy < 15; heavy++) {
                for (size_t i = 0; i < 15; i++) {
                        weights[i] = 0.5 + (i == heavy ? 7.5 : 0);
                        sum += weights[i];
                }
                discoveries_adjust(p, weights, 15, q);
                for (size_t i = 0; i < 15; i++)
                        EXPECT_CMP((q[i] <= 0.05), ==, (p[i] <= discoveries_alpha(q, 15, weights[i], 0.05)));
        }
        EXPECT_TRUE(is_near(sum, 15 * 15, 1e-12));
        /* the heaviest of all is found alone: 0.0201 <= 8 * 0.05 / 15 */
        for (size_t i = 0; i < 15; i++)
                weights[i] = i == 4 ? 8 : 0.5;
        discoveries_adjust((const double[]){1, 1, 1, 1, 0.0201, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, weights, 15,
                           q);
        EXPECT_TRUE(is_near(q[4], 0.0201 * 15 / 8, 1e-12));
}

TAP_MAIN
