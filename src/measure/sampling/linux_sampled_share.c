/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes how much of the targets' time the samples cover. An inherited timer or counter restarts in each
 * process, so a process that lives shorter than an interval is never sampled. */
#include <math.h>

#include "linux_internal.h"

/* All time of the targets: the event's time, which includes orphans, or the system's, which includes
 * processes that lost the event; the larger one. */
static double all_ns(const struct sampled *s)
{
        uint64_t system_ns = s->user_ns + s->kernel_ns;

        return (double)(s->running_ns > system_ns ? s->running_ns : system_ns);
}

/* The sum of the periods if nothing were missed; 0 if unknown. */
static double expected(const struct sampled *s)
{
        uint64_t system_ns = s->user_ns + s->kernel_ns;

        if (!s->is_clock)
                return s->every_cpu ? 0 : (double)s->value;
        if (s->every_cpu)
                return (double)s->running_ns;
        if (!s->left_out)
                return all_ns(s);
        if (!system_ns)
                return 0;
        return all_ns(s) * (double)(s->left_out & PERF_ATTR_EXCLUDE_USER ? s->kernel_ns : s->user_ns) /
               (double)system_ns;
}

double sampled_share(const struct sampled *s)
{
        double all = expected(s), got = (double)(s->periods + s->left_out_periods), interval;

        interval = (double)s->period_ns;
        if (!s->is_clock)
                interval = s->n_samples ? (double)s->periods / (double)s->n_samples : 0;
        if (all <= 0 || interval <= 0)
                return -1;
        /* Samples are random: a difference of two standard errors is not significant. */
        return got + 2 * sqrt(all * interval) >= all ? 1 : got / all;
}
