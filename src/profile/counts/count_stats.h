/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean and standard deviation over repeated measurements. */
#ifndef COUNT_STATS_H
#define COUNT_STATS_H

#include <stdint.h>

/* Zero-initialize before use. Uses Welford's algorithm: a single pass, and no large sums of squares. */
struct count_stats {
        uint64_t n;
        double mean, m2;
};

void count_stats_add(struct count_stats *stats, double value);

/* The sample standard deviation (divisor n - 1); 0 for fewer than two values. */
double count_stats_deviation(const struct count_stats *stats);

/* The standard deviation in percent of the mean; 0 unless the mean is positive. */
double count_stats_percent(const struct count_stats *stats);

#endif
