/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of what the targets did the samples stand for.  A timer or counter that a process inherits begins anew in it:
 * what lives shorter than an interval is never hit. */
#include <math.h>

#include "linux_internal.h"

/* All of their time: the event's own, which knows orphans too, or the system's, which knows those that lost the event. */
static double all_ns(const struct sampled *s)
{
        uint64_t system_ns = s->user_ns + s->kernel_ns;

        return (double)(s->running_ns > system_ns ? s->running_ns : system_ns);
}

/* What would be the sum of the periods if nothing were missed; 0: not known. */
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
        /* Samples come at random: two standard errors more or less say nothing. */
        return got + 2 * sqrt(all * interval) >= all ? 1 : got / all;
}
