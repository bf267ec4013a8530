/* SPDX-License-Identifier: BSD-3-Clause */
#include "quality.h"

#include <inttypes.h>
#include <string.h>

static const double SAMPLED_SHARE_WORTH_A_WORD = 0.95;
static const double KERNEL_SHARE_WORTH_A_WORD = 0.05;
static const double OFF_SHARE_WORTH_A_WORD = 0.005;

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

static void add_cut_reason(const struct quality *q, enum quality_cut why, struct buf *out)
{
        static const char *const texts[QUALITY_N_CUTS] = {
                [QUALITY_CUT_COPY] = "too little of the stack was copied",
                [QUALITY_CUT_FAR] = "the callers are on a stack that was not copied",
                [QUALITY_CUT_FILE] = "the file of a module can't be read",
                [QUALITY_CUT_32BIT] = "32-bit code is not unwound",
                [QUALITY_CUT_CODE] = "code without call-frame information",
                [QUALITY_CUT_CHAIN] = "frame pointers lead no further: record with -g to unwind",
                [QUALITY_CUT_MEMORY] = "no memory for their callers",
        };

        if (why == QUALITY_CUT_DEPTH)
                buf_printf(out, "deeper than %u frames", q->max_frames);
        else if (why == QUALITY_CUT_COPY && q->longer_copies)
                buf_printf(out, "%s: %s", texts[why], q->longer_copies);
        else if (why == QUALITY_CUT_COPY)
                buf_add_str(out, "the stack is larger than the largest copy");
        else
                buf_add_str(out, texts[why]);
}

static enum quality_cut most_frequent(const uint64_t *cut_by)
{
        enum quality_cut most = 0;

        for (enum quality_cut i = 0; i < QUALITY_N_CUTS; i++) {
                if (cut_by[i] > cut_by[most])
                        most = i;
        }
        return most;
}

/* "853 cut stacks (too little of the stack was copied: --call-graph unwind,65528)"; where there is more than one reason each has
 * its number, the most frequent first, unless they were counted in other samples too. */
static void add_cut(const struct quality *q, struct buf *out)
{
        uint64_t left[QUALITY_N_CUTS], sum = 0;
        enum quality_cut most;
        const char *before = " (";

        buf_printf(out, ", %" PRIu64 " cut stacks", q->n_cut_stacks);
        memcpy(left, q->cut_by, sizeof(left));
        for (enum quality_cut i = 0; i < QUALITY_N_CUTS; i++)
                sum += left[i];
        if (!q->n_cut_stacks || !sum)
                return;
        while (left[most = most_frequent(left)]) {
                buf_add_str(out, before);
                if (left[most] != sum && sum == q->n_cut_stacks)
                        buf_printf(out, "%" PRIu64 ": ", left[most]);
                add_cut_reason(q, most, out);
                left[most] = 0;
                before = "; ";
        }
        buf_add_char(out, ')');
}

static void add_if(struct buf *out, uint64_t n, const char *what)
{
        if (n)
                buf_printf(out, ", %" PRIu64 " %s", n, what);
}

static void add_sampled(const struct quality *q, struct buf *out)
{
        double percent = 100 * q->sampled_share;

        if (q->knows_sampled && q->sampled_share < SAMPLED_SHARE_WORTH_A_WORD)
                buf_printf(out,
                           percent < 1 ? ", %.1f %% of the %s%s sampled" : ", %.0f %% of the %s%s sampled",
                           percent, q->sampled_event ? q->sampled_event : "CPU time",
                           q->sampled_event ? " events were" : " was");
        if (q->not_sampled && *q->not_sampled)
                buf_printf(out, ", not sampled: %s (setuid, or not readable)", q->not_sampled);
}

void quality_add_text(const struct quality *q, struct buf *out)
{
        buf_printf(out, "quality: %" PRIu64 " samples, %" PRIu64 " lost", q->n_samples, q->n_lost);
        if (q->n_lost)
                buf_printf(out, " (%.2f %%)", quality_lost_percent(q));
        buf_printf(out, ", %" PRIu64 " throttled, %" PRIu64 " unresolved", q->n_throttled, q->n_unresolved);
        if (q->n_unresolved)
                buf_printf(out, " (%.2f %%)", quality_percent(q, q->n_unresolved));
        if (q->not_unwound)
                buf_add_str(out, ", stacks not unwound (report -g does)");
        else
                add_cut(q, out);
        if (q->n_unjudged)
                buf_printf(out, ", %" PRIu64 " stacks not judged (they end in files that can't be read)",
                           q->n_unjudged);
        add_sampled(q, out);
        if (q->counted_share < 1)
                buf_printf(out, ", counted %.0f %% of the time", 100 * q->counted_share);
        if (q->off_share >= OFF_SHARE_WORTH_A_WORD)
                buf_printf(out, ", events off %.0f %% of the time", 100 * q->off_share);
        if (quality_kernel_matters(q))
                buf_printf(out, ", %.0f %% of the CPU time was in the kernel; add -k", 100 * q->kernel_share);
        add_if(out, q->cut_bytes, "bytes of the file cut");
        if (q->unfinished)
                buf_add_str(out, ", the recorder did not finish the file");
        add_if(out, q->overblown_bytes,
               "bytes of compressed records left out (they unpack to more than 4096 times their size)");
        add_if(out, q->n_malformed, "malformed records");
        add_if(out, q->n_unknown_records, "records of unknown type");
        add_if(out, q->n_unknown_events, "samples of unknown events");
        add_if(out, q->n_out_of_order, "records out of order");
        if (q->doubts && *q->doubts)
                buf_printf(out, ", %s", q->doubts);
        if (q->aux_bytes)
                buf_printf(out, ", %" PRIu64 " bytes of %s trace not decoded; see perf script", q->aux_bytes,
                           q->aux_kind);
        if (budget_is_short(q->budget)) {
                buf_add_str(out, ", left out for want of memory: ");
                budget_add_text(q->budget, out);
                buf_printf(out, " (--max-memory %" PRIu64 ")", 2 * (budget_limit(q->budget) >> 20));
        }
        if (q->n_not_kept)
                buf_printf(out, ", %" PRIu64 " mapped files gone (%s)", q->n_not_kept, q->not_kept);
}
