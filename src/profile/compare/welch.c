/* SPDX-License-Identifier: BSD-3-Clause */
#include "welch.h"

#include <math.h>

#include "student.h"

struct run_group welch_group_of(const double *values, size_t n, double floor)
{
        struct run_group group = {.n = n, .variance = floor};
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                group.mean += values[i] / (double)n;
        for (size_t i = 0; i < n; i++)
                sum += (values[i] - group.mean) * (values[i] - group.mean);
        if (n > 1 && sum / (double)(n - 1) > floor)
                group.variance = sum / (double)(n - 1);
        return group;
}

/* Welch and Satterthwaite's degrees of freedom of the difference between means with these variances. */
static double freedom(double va, size_t n_a, double vb, size_t n_b)
{
        double sum = va + vb;

        if (sum <= 0)
                return (double)(n_a + n_b - 2);
        return sum * sum / (va * va / (double)(n_a - 1) + vb * vb / (double)(n_b - 1));
}

/* Fieller's interval of the ratio of two means.  It excludes 1 exactly if the test of the difference does. */
static void find_interval(const struct run_group *a, const struct run_group *b, double t, struct welch *ret)
{
        double va = a->variance / (double)a->n, vb = b->variance / (double)b->n;
        double square = a->mean * a->mean - t * t * va;
        double middle = a->mean * b->mean;
        double root = middle * middle - square * (b->mean * b->mean - t * t * vb);

        ret->low = -1;
        ret->high = INFINITY;
        if (square <= 0) /* A may be 0 */
                return;
        root = root > 0 ? sqrt(root) : 0;
        ret->low = (middle - root) / square - 1;
        ret->high = (middle + root) / square - 1;
        if (ret->low < -1)
                ret->low = -1;
}

struct welch welch_compare(const struct run_group *a, const struct run_group *b, double level)
{
        struct welch w = {.low = -1, .high = INFINITY, .p = 1};
        double va, vb, difference = b->mean - a->mean;

        if (a->n < 2 || b->n < 2)
                return w;
        va = a->variance / (double)a->n;
        vb = b->variance / (double)b->n;
        w.is_known = true;
        w.error = sqrt(va + vb);
        w.df = freedom(va, a->n, vb, b->n);
        w.p = w.error > 0 ? student_two_sided(difference / w.error, w.df) : difference == 0;
        find_interval(a, b, student_quantile((1 - level) / 2, w.df), &w);
        return w;
}

struct welch_distance welch_distance(const struct run_group *a, const struct run_group *b, double change)
{
        double ratio = 1 + change;
        double va = ratio * ratio * a->variance / (double)a->n, vb = b->variance / (double)b->n;
        double difference = b->mean - ratio * a->mean, error = sqrt(va + vb);
        struct welch_distance d = {.p = 0};

        if (error > 0) {
                d.t = difference / error;
                d.p = student_two_sided(d.t, freedom(va, a->n, vb, b->n)) / 2;
        } else if (difference == 0) {
                d.p = 0.5;
        } else {
                d.t = difference > 0 ? INFINITY : -INFINITY;
        }
        return d;
}

double welch_smallest_change(const struct run_group *a, const struct run_group *b, size_t n_a, size_t n_b,
                             double alpha, double power)
{
        double va, vb, df;

        if (n_a < 2 || n_b < 2 || a->mean <= 0)
                return INFINITY;
        va = a->variance / (double)n_a;
        vb = b->variance / (double)n_b;
        df = freedom(va, n_a, vb, n_b);
        return (student_quantile(alpha / 2, df) + student_quantile(1 - power, df)) * sqrt(va + vb) / a->mean;
}

/* The limit above which the variance of a single run is with a probability of 20 %, divided by the
 * estimate, by Wilson and Hilferty's approximation of the chi-square distribution. */
static double variance_factor(double df)
{
        const double z = -0.8416, spread = 2 / (9 * df);
        double root = 1 - spread + z * sqrt(spread);

        return root > 0.1 ? 1 / (root * root * root) : 1000;
}

/* The smallest change that `n` runs of each show if runs vary as much as they may. */
static double smallest_of(const struct run_group *a, const struct run_group *b, size_t n, double alpha,
                          double power)
{
        double va = a->variance / (double)a->n, vb = b->variance / (double)b->n;
        double factor = variance_factor(freedom(va, a->n, vb, b->n));
        struct run_group wide_a = *a, wide_b = *b;

        wide_a.variance *= factor;
        wide_b.variance *= factor;
        return welch_smallest_change(&wide_a, &wide_b, n, n, alpha, power);
}

size_t welch_runs_for(const struct run_group *a, const struct run_group *b, double change, double alpha,
                      double power, size_t max)
{
        size_t have = a->n < b->n ? a->n : b->n, low = have, high = have;

        if (have < 2)
                return 0;
        if (welch_smallest_change(a, b, a->n, b->n, alpha, power) <= change)
                return have;
        while (high < max && smallest_of(a, b, high, alpha, power) > change) {
                low = high;
                high *= 2;
        }
        if (high > max)
                high = max;
        if (smallest_of(a, b, high, alpha, power) > change)
                return 0;
        while (high - low > 1) {
                size_t middle = low + (high - low) / 2;

                if (smallest_of(a, b, middle, alpha, power) > change)
                        low = middle;
                else
                        high = middle;
        }
        return high > have ? high : have + 1;
}
