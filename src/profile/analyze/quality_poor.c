/* SPDX-License-Identifier: BSD-3-Clause */
/* When a profile is poor, and the messages: each reason has a condition and a sentence. */
#include <inttypes.h>

#include "quality.h"
#include "text.h"
#include "text_printable.h"

static const double POOR_LOST_PERCENT = 0.1;
static const double POOR_UNRESOLVED_PERCENT = 5;
static const double POOR_COUNTED_SHARE = 0.5;
static const double POOR_SAMPLED_SHARE = 0.8;
static const double POOR_TRUNCATED_PERCENT = 1;

static bool is_lossy(const struct quality *q)
{
        return quality_lost_percent(q) > POOR_LOST_PERCENT;
}

static void say_lossy(const struct quality *q, struct buf *out)
{
        buf_printf(out, "%.2f %% of the samples were lost: %s", quality_lost_percent(q),
                   quality_remedy_text(q));
}

bool quality_lacks_names(const struct quality *q)
{
        return quality_percent(q, q->n_unresolved) > POOR_UNRESOLVED_PERCENT;
}

static void say_nameless(const struct quality *q, struct buf *out)
{
        const struct quality_nameless *most = &q->nameless;

        buf_printf(out, "%.0f %% of the samples have no symbol", quality_percent(q, q->n_unresolved));
        if (most->namer != QUALITY_NAMER_UNKNOWN) {
                buf_printf(out, ", %.0f %% in ", quality_percent(q, most->n));
                text_add_printable(out, text_base_name(most->module));
        }
        switch (most->namer) {
        case QUALITY_NAMER_UNKNOWN: buf_add_str(out, ": wperf report -v says why"); break;
        case QUALITY_NAMER_BUILD: buf_add_str(out, ": build it without -s and strip"); break;
        case QUALITY_NAMER_PACKAGE:
                buf_printf(out, ": apt install %s, then wperf report", most->source);
                break;
        case QUALITY_NAMER_SERVER:
                buf_printf(out, ": export DEBUGINFOD_URLS=%s, then wperf report", most->source);
                break;
        case QUALITY_NAMER_NONE:
                buf_add_str(out, ", for which the servers of DEBUGINFOD_URLS gave none");
                break;
        }
}

static bool is_cut(const struct quality *q)
{
        return quality_percent(q, q->n_cut_stacks) > POOR_UNRESOLVED_PERCENT;
}

/* "12 % of the stacks are cut, most of them (80 %) in libfoo.so" */
static void say_cut(const struct quality *q, struct buf *out)
{
        double share = q->n_cut_stacks ? (double)q->n_cut_in_module / (double)q->n_cut_stacks : 0;

        buf_printf(out, "%.0f %% of the stacks are cut", quality_percent(q, q->n_cut_stacks));
        if (!q->cut_module || share <= 0.5)
                return;
        buf_printf(out, ", most of them (%.0f %%) in ", 100 * share);
        text_add_printable(out, q->cut_module);
}

static bool is_seldom_counted(const struct quality *q)
{
        return q->counted_share < POOR_COUNTED_SHARE;
}

static void say_seldom_counted(const struct quality *q, struct buf *out)
{
        buf_printf(out, "an event was counted only %.0f %% of the time: measure fewer events at once",
                   100 * q->counted_share);
}

static bool is_seldom_sampled(const struct quality *q)
{
        return q->knows_sampled && q->sampled_share < POOR_SAMPLED_SHARE;
}

static void say_seldom_sampled(const struct quality *q, struct buf *out)
{
        buf_printf(out, "only %.0f %% of the %s sampled", 100 * q->sampled_share,
                   q->sampled_event ? "events were" : "CPU time was");
}

static bool has_refused(const struct quality *q)
{
        return q->not_sampled && *q->not_sampled;
}

static void say_refused(const struct quality *q, struct buf *out)
{
        buf_printf(out, "the kernel did not allow wperf to sample %s", q->not_sampled);
}

static bool is_damaged(const struct quality *q)
{
        return q->cut_bytes || q->unfinished || q->n_malformed;
}

static void say_damaged(const struct quality *q, struct buf *out)
{
        buf_add_str(out, "the session file is incomplete or damaged");
}

static bool has_trace(const struct quality *q)
{
        return q->aux_bytes;
}

static void say_trace(const struct quality *q, struct buf *out)
{
        buf_printf(out, "the %s trace is not decoded", q->aux_kind);
}

static double share(uint64_t part, uint64_t whole)
{
        return whole ? 100 * (double)part / (double)whole : 0;
}

static bool is_truncated(const struct quality *q)
{
        return share(q->spe.n_truncated, q->spe.n_buffers) > POOR_TRUNCATED_PERCENT;
}

static void say_truncated(const struct quality *q, struct buf *out)
{
        buf_printf(out, "SPE filled %.0f %% of its buffers and paused: sample with a longer interval",
                   share(q->spe.n_truncated, q->spe.n_buffers));
}

static bool is_misunderstood(const struct quality *q)
{
        return share(q->spe.n_damaged, q->n_samples + q->spe.n_damaged) > POOR_LOST_PERCENT;
}

static void say_misunderstood(const struct quality *q, struct buf *out)
{
        buf_printf(out, "%.1f %% of the SPE samples are damaged",
                   share(q->spe.n_damaged, q->n_samples + q->spe.n_damaged));
}

static bool is_overblown(const struct quality *q)
{
        return q->overblown_bytes;
}

static void say_overblown(const struct quality *q, struct buf *out)
{
        buf_add_str(out,
                    "compressed records were not read: they decompress to more than 4096 times their size");
}

static bool lacks_memory(const struct quality *q)
{
        return budget_is_short(q->budget);
}

static void say_memory(const struct quality *q, struct buf *out)
{
        const char *what = "names";

        if (budget_has_left_out(q->budget, BUDGET_STACKS))
                what = "call stacks";
        else if (budget_has_left_out(q->budget, BUDGET_ADDRESSES))
                what = "addresses";
        else if (budget_has_left_out(q->budget, BUDGET_SAMPLES))
                what = "samples of the export";
        buf_printf(out, "not enough memory for all %s: raise the limit with --max-memory %" PRIu64, what,
                   2 * (budget_limit(q->budget) >> 20));
}

static bool takes_too_much_work(const struct quality *q)
{
        return budget_has_given_up(q->budget);
}

static void say_work(const struct quality *q, struct buf *out)
{
        buf_add_str(out, "given up because they take too much work to read: ");
        budget_add_given_up(q->budget, out);
}

static const struct {
        bool (*is_so)(const struct quality *quality);
        void (*say)(const struct quality *quality, struct buf *out);
} reasons[] = {
        {is_lossy, say_lossy},
        {quality_lacks_names, say_nameless},
        {is_cut, say_cut},
        {is_seldom_counted, say_seldom_counted},
        {is_damaged, say_damaged},
        {is_seldom_sampled, say_seldom_sampled},
        {has_refused, say_refused},
        {has_trace, say_trace},
        {is_truncated, say_truncated},
        {is_misunderstood, say_misunderstood},
        {is_overblown, say_overblown},
        {lacks_memory, say_memory},
        {takes_too_much_work, say_work},
};

bool quality_is_poor(const struct quality *quality)
{
        for (size_t i = 0; i < N_ELEMENTS(reasons); i++) {
                if (reasons[i].is_so(quality))
                        return true;
        }
        return false;
}

void quality_add_reasons(const struct quality *quality, struct buf *out)
{
        const char *before = "";

        for (size_t i = 0; i < N_ELEMENTS(reasons); i++) {
                if (!reasons[i].is_so(quality))
                        continue;
                buf_add_str(out, before);
                reasons[i].say(quality, out);
                before = "; ";
        }
}
