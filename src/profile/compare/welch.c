/* SPDX-License-Identifier: BSD-3-Clause */
#include "welch.h"

#include <math.h>

#include "student.h"

struct run_group welch_group_of(const double *values, size_t n, double sampled)
{
        struct run_group group = {.n = n, .variance = sampled, .sampled = sampled};
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                group.mean += values[i] / (double)n;
        for (size_t i = 0; i < n; i++)
                sum += (values[i] - group.mean) * (values[i] - group.mean);
        if (n > 1)
                group.variance = sum / (double)(n - 1);
        return group;
}

static double freedom_of(const struct run_group *group)
{
        return group->df > 0 ? group->df : (double)group->n - 1;
}

/* Welch and Satterthwaite's degrees of freedom of the difference between means. The more alike the runs of a
 * pair are, the more are lost: n - 1 are left of 2 (n - 1) if one run tells the other. */
static double freedom(const struct run_group *a, const struct run_group *b, double covariance)
{
        double va = a->variance / (double)a->n, vb = b->variance / (double)b->n, sum = va + vb;
        double correlation = va > 0 && vb > 0 ? covariance / sqrt(va * vb) : 0;

        if (sum <= 0)
                return (double)(a->n + b->n - 2);
        return sum * sum / (va * va / freedom_of(a) + vb * vb / freedom_of(b)) * (1 - correlation / 2);
}

/* The variance of the difference between means. */
static double variance_of(const struct run_group *a, const struct run_group *b, double covariance)
{
        return a->variance / (double)a->n + b->variance / (double)b->n - 2 * covariance;
}

/* Fieller's interval of the ratio of two means: the ratios r for which (B - r A)^2 is at most t^2 times the
 * variance of B - r A.  It excludes 1 exactly if the test of the difference does. */
static void find_ratio(const struct run_group *a, const struct run_group *b, double covariance, double t,
                       struct welch *ret)
{
        double va = a->variance / (double)a->n, vb = b->variance / (double)b->n;
        double square = a->mean * a->mean - t * t * va, rest = b->mean * b->mean - t * t * vb;
        double middle = a->mean * b->mean - t * t * covariance;
        double root = middle * middle - square * rest;

        ret->low = -1;
        ret->high = INFINITY;
        root = root > 0 ? sqrt(root) : 0;
        if (square > 0) {
                ret->low = (middle - root) / square - 1;
                ret->high = (middle + root) / square - 1;
        } else if (square < 0 && rest > 0) { /* A may be 0, and B is larger */
                ret->low = (middle - root) / square - 1;
        }
        if (ret->low < -1)
                ret->low = -1;
}

struct welch welch_compare(const struct run_group *a, const struct run_group *b, double covariance,
                           double alpha)
{
        struct welch w = {.low = -1, .high = INFINITY, .less = -INFINITY, .more = INFINITY, .p = 1};
        double variance, t, difference = b->mean - a->mean;

        if (a->n < 2 || b->n < 2)
                return w;
        variance = variance_of(a, b, covariance);
        w.is_known = true;
        w.error = variance > 0 ? sqrt(variance) : 0;
        w.df = freedom(a, b, covariance);
        w.p = w.error > 0 ? student_two_sided(difference / w.error, w.df) : difference == 0;
        t = student_quantile(alpha / 2, w.df);
        w.less = difference - t * w.error;
        w.more = difference + t * w.error;
        find_ratio(a, b, covariance, t, &w);
        return w;
}

double welch_smallest(const struct run_group *a, const struct run_group *b, double covariance, double alpha)
{
        double variance, df;

        if (a->n < 2 || b->n < 2)
                return INFINITY;
        variance = variance_of(a, b, covariance);
        df = freedom(a, b, covariance);
        if (variance <= 0)
                return 0;
        return (student_quantile(alpha / 2, df) + student_quantile(1 - WELCH_POWER, df)) * sqrt(variance);
}

/* As a share of A. */
static double smallest_change(const struct run_group *a, const struct run_group *b, double covariance,
                              double alpha)
{
        return a->mean > 0 ? welch_smallest(a, b, covariance, alpha) / a->mean : INFINITY;
}

/* The limit above which the variance of a single run is with a probability of 20 %, divided by the
 * estimate, by Wilson and Hilferty's approximation of the chi-square distribution. */
static double variance_factor(double df)
{
        const double z = -0.8416, spread = 2 / (9 * df);
        double root = 1 - spread + z * sqrt(spread);

        return root > 0.1 ? 1 / (root * root * root) : 1000;
}

/* The group as it would be with `n` runs and a variance that is `factor` times as large. */
static struct run_group widened(const struct run_group *group, size_t n, double factor)
{
        struct run_group wide = *group;

        if (group->df > 0)
                wide.df = group->df + (double)n - (double)group->n;
        wide.n = n;
        wide.variance *= factor;
        return wide;
}

/* The smallest change that `n` runs show if runs vary as much as they may. Only groups of the same size have
 * a covariance. */
static double smallest_of(const struct run_group *a, const struct run_group *b,
                          const struct welch_wanted *wanted, size_t n)
{
        double factor = variance_factor(freedom(a, b, wanted->covariance));
        struct run_group wide_a = widened(a, wanted->a_is_fixed ? a->n : n, factor),
                         wide_b = widened(b, n, factor);

        return smallest_change(&wide_a, &wide_b, wanted->covariance * factor * (double)b->n / (double)n,
                               wanted->alpha);
}

size_t welch_runs_for(const struct run_group *a, const struct run_group *b, const struct welch_wanted *wanted)
{
        size_t have = a->n < b->n && !wanted->a_is_fixed ? a->n : b->n, low = have, high = have;

        if (a->n < 2 || b->n < 2)
                return 0;
        if (smallest_change(a, b, wanted->covariance, wanted->alpha) <= wanted->change)
                return have;
        while (high < wanted->max && smallest_of(a, b, wanted, high) > wanted->change) {
                low = high;
                high *= 2;
        }
        if (high > wanted->max)
                high = wanted->max;
        if (smallest_of(a, b, wanted, high) > wanted->change)
                return 0;
        while (high - low > 1) {
                size_t middle = low + (high - low) / 2;

                if (smallest_of(a, b, wanted, middle) > wanted->change)
                        low = middle;
                else
                        high = middle;
        }
        return high > have ? high : have + 1;
}
