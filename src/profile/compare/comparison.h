/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares two groups of runs, A and B.  Runs are the unit of all statistics, not samples: samples of one
 * run depend on each other, and differ less than samples of another run do. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "row_noise.h"
#include "run_values.h"
#include "welch.h"

enum compared_verdict {
        COMPARED_NOT_MEASURED, /* fewer than two runs in a group: nothing is known about the change from run
                                  to run */
        COMPARED_ONE_SIDE,     /* the other group does not have the name: in a list of its own */
        COMPARED_FEW_SAMPLES,  /* fewer than COMPARISON_MIN_SAMPLES in a run: not tested */
        COMPARED_UNCLEAR,      /* a difference may exist, but is not larger than chance makes */
        COMPARED_MORE,         /* B is larger */
        COMPARED_LESS,
};

enum { COMPARISON_MIN_SAMPLES = 5, COMPARISON_MAX_RUNS = 10000 };

/* Chances, as shares of 1. */
#define COMPARISON_DISCOVERIES 0.05 /* false ones, among all rows that are said to differ */

/* One quantity in both groups.  Verdict and intervals come from one procedure (discoveries.h): the
 * intervals exclude no change exactly if the verdict is that there is one. */
struct compared {
        struct run_group a, b;
        double covariance; /* of the means; 0: runs are not pairs */
        struct welch welch;
        double q;          /* of discoveries.h, among all tested rows */
        double alpha;      /* of a test that is the first discovery among those that are tested together */
        double smallest;   /* the smallest difference B - A that these runs find; infinite: none */
        size_t n_together; /* quantities that were tested together */
        const char
                *doubt; /* why the difference may not come from the program; NULL: nothing speaks for that */
        enum compared_verdict verdict;
};

/* B / A - 1; NAN if A is 0. */
double comparison_change(const struct compared *compared);

/* `smallest` as a share of A; infinite if A is 0 or nothing is found. */
double comparison_smallest_change(const struct compared *compared);

/* The difference would be shown if it were the only one that is looked at. */
bool comparison_is_lost_among_many(const struct compared *compared);

struct compared_row {
        const char *name; /* without arguments where these do not distinguish it */
        const char *full_name, *module;
        double samples_a, samples_b; /* mean number in a run */
        struct compared amount, share;
        bool is_inlined; /* of a row that one group lacks: that group has the function inlined */
};

enum compared_unit { COMPARED_NS, COMPARED_COUNT, COMPARED_RATIO, COMPARED_SHARE };

/* A quantity of whole runs: elapsed time, an event, a ratio of events. */
struct compared_total {
        const char *name; /* "CPU time" */
        const char *key;  /* "cpu"; an event's name */
        enum compared_unit unit;
        struct compared value;
};

enum comparison_measure { MEASURE_TIME, MEASURE_SHARE, N_MEASURES };

struct comparison_request {
        const struct run_values *values; /* finished; outlives the comparison */
        uint32_t event;
        enum comparison_measure measure; /* which test decides the verdicts of rows */
        const char *total;               /* the key of the only total that is compared; NULL: all */
};

struct comparison {
        enum comparison_measure measure;
        struct row_noise noise[N_MEASURES]; /* of rows, by measure */
        const char *event;
        bool is_time; /* amounts are nanoseconds */
        size_t n_a, n_b;
        size_t *partners;          /* of run_pairs.h; NULL: the runs are not pairs */
        struct compared_row *rows; /* names that both groups have; the largest difference first */
        size_t n_rows, cap_rows;
        size_t n_tested;
        struct compared_row *only_a, *only_b; /* names that only one group has; most samples first */
        size_t n_only_a, cap_only_a, n_only_b, cap_only_b;
        struct compared_total *totals;
        size_t n_totals, cap_totals;
};

/* The rows of one event, and the totals of the runs. */
struct comparison *comparison_new(const struct comparison_request *request);
void comparison_free(struct comparison *comparison);
AUTO_DEFINE(comparison)

/* The value of a row that decides its verdict. */
const struct compared *comparison_value(const struct comparison *comparison, const struct compared_row *row);

/* Makes all verdicts unclear for this reason, which must outlive the comparison. */
void comparison_doubt(struct comparison *comparison, const char *reason);

/* The share of the time of both sides, from 0 to 1, that is in names that both have. */
double comparison_common_share(const struct comparison *comparison);

/* A total by its key; NULL: not known. */
const struct compared_total *comparison_total(const struct comparison *comparison, const char *key);

/* Compares the amounts, or shares, of all names that `is_wanted` accepts, added up in each run; without a
 * verdict and intervals.  *ret_samples is the mean number of their samples in a run. */
typedef bool comparison_wanted_fn(const void *ctx, const struct run_name *name);
struct comparison_sum_request {
        const struct run_values *values;
        uint32_t event;
        const struct row_noise *noise; /* of both measures */
        enum comparison_measure measure;
        comparison_wanted_fn *is_wanted;
        const void *ctx;
};
struct compared comparison_sum(const struct comparison_sum_request *request, double *ret_samples);

#endif
