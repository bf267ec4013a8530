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
        double variance; /* of a single run */
        double df;       /* degrees of freedom with which `variance` is known; 0: n - 1 */
        double sampled;  /* the part of `variance` that sampling alone gives */
};

/* With the variance from run to run.  `sampled` is a variance that is known without comparing runs; it is
 * that of a single run. */
struct run_group welch_group_of(const double *values, size_t n, double sampled);

struct welch {
        bool is_known;     /* both groups have two runs or more */
        double error;      /* standard error of the difference B - A */
        double df;         /* degrees of freedom */
        double p;          /* probability of such a difference, or a larger one, by chance */
        double low, high;  /* interval of B / A - 1; an infinite end is not bounded */
        double less, more; /* interval of B - A */
};

/* `alpha` is what the intervals may miss: 0.05 for those of 95 %.  `covariance` is that of the means: 0 if
 * the runs are not pairs.  An interval excludes 0 exactly if p < alpha. */
struct welch welch_compare(const struct run_group *a, const struct run_group *b, double covariance,
                           double alpha);

/* The probability with which runs show a change that is as large as welch_smallest() says. */
#define WELCH_POWER 0.90

/* The smallest difference B - A that a two-sided test at `alpha` shows with the probability WELCH_POWER.
 * `covariance` as above.  Infinite for fewer than two runs in a group. */
double welch_smallest(const struct run_group *a, const struct run_group *b, double covariance, double alpha);

/* A change that is to be shown. */
struct welch_wanted {
        double change;            /* of B / A - 1 */
        double alpha, covariance; /* as above */
        size_t max;               /* runs of a group */
        bool a_is_fixed;          /* only B gets more runs */
};

/* The number of runs that each group needs, or that B needs; that of the smaller group, or of B, if the
 * present runs show the change.  Few runs do not say well how much runs vary, so it allows for more variance
 * than they have.  0: more than `max`, or a group has fewer than two runs. */
size_t welch_runs_for(const struct run_group *a, const struct run_group *b,
                      const struct welch_wanted *wanted);

#endif
