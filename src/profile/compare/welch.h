/* SPDX-License-Identifier: BSD-3-Clause */
/* Welch's test: whether the means of two groups of runs differ, when the groups may vary differently from
 * run to run. */
#ifndef WELCH_H
#define WELCH_H

#include <stdbool.h>
#include <stddef.h>

/* The values of one group, a value for each run. */
struct run_group {
        size_t n;
        double mean;
        double variance; /* of a single run; with one run that which is known without other runs, else 0 */
};

/* `floor` is a variance that is known without comparing runs, such as that of sampling; the group's is
 * never smaller. */
struct run_group welch_group_of(const double *values, size_t n, double floor);

struct welch {
        bool is_known;    /* both groups have two runs or more */
        double error;     /* standard error of the difference B - A */
        double df;        /* degrees of freedom */
        double p;         /* probability of such a difference, or a larger one, by chance */
        double low, high; /* interval of B / A - 1 at the requested level; infinite ends are not bounded */
};

/* `level` is that of the interval: 0.95. */
struct welch welch_compare(const struct run_group *a, const struct run_group *b, double level);

/* How far B / A - 1 is from `change` in standard errors, and the probability of such a distance or a larger
 * one in the same direction, if B / A - 1 were `change`.  Both groups need two runs. */
struct welch_distance {
        double t, p; /* t > 0: B is larger */
};
struct welch_distance welch_distance(const struct run_group *a, const struct run_group *b, double change);

/* The smallest change of B / A - 1 that a two-sided test at `alpha` shows with the probability `power`,
 * with `n` runs in each group. Infinite for fewer than two runs, or if A is 0. */
double welch_smallest_change(const struct run_group *a, const struct run_group *b, size_t n_a, size_t n_b,
                             double alpha, double power);

/* The number of runs that each group needs to show `change`; that of the smaller group if the present runs
 * show it.  Few runs do not say well how much runs vary, so it allows for more variance than they have.  0:
 * more than `max`, or a group has fewer than two runs. */
size_t welch_runs_for(const struct run_group *a, const struct run_group *b, double change, double alpha,
                      double power, size_t max);

#endif
