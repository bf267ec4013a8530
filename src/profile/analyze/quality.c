/* SPDX-License-Identifier: BSD-3-Clause */
#include "quality.h"

static const double KERNEL_SHARE_WORTH_A_WORD = 0.05;

double quality_percent(const struct quality *quality, uint64_t n)
{
        return quality->n_samples ? 100.0 * (double)n / (double)quality->n_samples : 0;
}

double quality_lost_percent(const struct quality *quality)
{
        uint64_t generated = quality->n_samples + quality->n_lost;

        return generated ? 100.0 * (double)quality->n_lost / (double)generated : 0;
}

bool quality_kernel_matters(const struct quality *quality)
{
        return quality->kernel_share >= KERNEL_SHARE_WORTH_A_WORD;
}

const char *quality_kernel_advice(const struct quality *quality)
{
        return quality->kernel_is_denied ? "; to sample it, -k needs root or CAP_PERFMON" : "; add -k";
}

const char *quality_remedy_text(const struct quality *quality)
{
        static const char *const remedies[] = {
                [QUALITY_LOWER_RATE] = "lower the rate with -F",
                [QUALITY_LONGER_INTERVAL] = "sample with a longer interval (-e EVENT:INTERVAL)",
                [QUALITY_MORE_BUFFERS] = "record with more buffers",
                [QUALITY_MORE_ROOM] = "the disk was full",
        };

        return remedies[quality->remedy];
}
