/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_stats.h"

#include <math.h>

void count_stats_add(struct count_stats *stats, double value)
{
        double delta = value - stats->mean;

        stats->n++;
        stats->mean += delta / (double)stats->n;
        stats->m2 += delta * (value - stats->mean);
}

double count_stats_deviation(const struct count_stats *stats)
{
        return stats->n < 2 ? 0 : sqrt(stats->m2 / (double)(stats->n - 1));
}

double count_stats_percent(const struct count_stats *stats)
{
        double deviation = count_stats_deviation(stats);

        return deviation > 0 && stats->mean > 0 ? 100 * deviation / stats->mean : 0;
}
