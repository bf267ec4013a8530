/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of the quality line, and the names of causes in JSON. */
#include "quality_view.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "text_number.h"
#include "text_printable.h"

static const double SAMPLED_SHARE_WORTH_A_WORD = 0.95;
static const double OFF_SHARE_WORTH_A_WORD = 0.005;

enum { MAX_CUT_REASONS = 3 }; /* in the line; JSON has all */

static const struct {
        const char *key, *text;
} cuts[QUALITY_N_CUTS] = {
        [QUALITY_CUT_COPY] = {"short_copy", "too little of the stack was copied"},
        [QUALITY_CUT_DEPTH] = {"too_deep", NULL},
        [QUALITY_CUT_FAR] = {"other_stack", "the callers are on another stack, which was not copied"},
        [QUALITY_CUT_FILE] = {"no_file", "the file of a module can't be read"},
        [QUALITY_CUT_32BIT] = {"code_32_bit", "32-bit code is not unwound"},
        [QUALITY_CUT_CODE] = {"no_rule", "code without call-frame information"},
        [QUALITY_CUT_CHAIN] = {"frame_pointers",
                               "the chain of frame pointers ends: record with -g to unwind"},
        [QUALITY_CUT_MEMORY] = {"no_memory", "not enough memory for their callers"},
        [QUALITY_CUT_MALFORMED_CFI] = {"malformed_cfi", "malformed call-frame information"},
        [QUALITY_CUT_MALFORMED_PE] = {"malformed_pe", "malformed Windows unwind information"},
        [QUALITY_CUT_UNSUPPORTED_PE] = {"unsupported_pe",
                                        "Windows unwind information that wperf does not support"},
        [QUALITY_CUT_NO_REGISTER] = {"no_register", "unwinding needs a register that is not known"},
        [QUALITY_CUT_UNREADABLE] = {"unreadable", "unwinding needs memory outside the stack"},
        [QUALITY_CUT_NO_CODE] = {"no_code", "a return address does not point to code"},
        [QUALITY_CUT_NO_MODULE] = {"no_module", "an address is outside all mapped modules"},
        [QUALITY_CUT_ENDLESS] = {"endless", "the stack pointer moved backwards or did not move"},
        [QUALITY_CUT_NO_START] = {"no_start", "the sample lacks the program counter or the stack pointer"},
        [QUALITY_CUT_OTHER_MACHINE] = {"other_machine", "the file of a module is for another machine"},
        [QUALITY_CUT_LARGE] = {"large_stack", "the stack is larger than the 1 MiB that are copied"},
        [QUALITY_CUT_CROWDED] = {"crowded", "too many stacks waited to be unwound"},
        [QUALITY_CUT_EXEC] = {"exec", "the kernel had freed the stack to execute another program"},
        [QUALITY_CUT_DAMAGED] = {"damaged", "damaged unwind information or stacks"},
        [QUALITY_CUT_UNKNOWN] = {"unknown", "causes that this version of wperf does not know"},
};

const char *quality_cut_key(enum quality_cut why)
{
        assert((size_t)why < N_ELEMENTS(cuts));
        return cuts[why].key;
}

static void add_cut_reason(const struct quality *q, enum quality_cut why, struct buf *out)
{
        if (why == QUALITY_CUT_DEPTH)
                buf_printf(out, "deeper than %u frames", q->max_frames);
        else if (why == QUALITY_CUT_COPY && q->longer_copies)
                buf_printf(out, "%s: %s", cuts[why].text, q->longer_copies);
        else if (why == QUALITY_CUT_COPY)
                buf_add_str(out, "the stack is larger than the largest copy");
        else
                buf_add_str(out, cuts[why].text);
        if (why == QUALITY_CUT_CROWDED)
                buf_printf(out, ": %s", quality_remedy_text(q));
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

/* "853 cut stacks (too little of the stack was copied: --call-graph unwind,65528)".  Several reasons are
 * printed with their numbers, the most frequent first, unless the reasons were counted over other samples,
 * too.  After the third reason the rest is summed up as "other causes". */
static void add_cut(const struct quality *q, struct buf *out)
{
        uint64_t left[QUALITY_N_CUTS], sum = 0, n_left;
        enum quality_cut most;

        buf_printf(out, ", %" PRIu64 " cut stacks", q->n_cut_stacks);
        memcpy(left, q->cut_by, sizeof(left));
        for (enum quality_cut i = 0; i < QUALITY_N_CUTS; i++)
                sum += left[i];
        if (!q->n_cut_stacks || !sum)
                return;
        n_left = sum;
        for (unsigned i = 0; i <= MAX_CUT_REASONS && n_left; i++) {
                uint64_t n = i < MAX_CUT_REASONS ? left[most = most_frequent(left)] : n_left;

                buf_add_str(out, i ? "; " : " (");
                if (n != sum && sum == q->n_cut_stacks)
                        buf_printf(out, "%" PRIu64 ": ", n);
                if (i < MAX_CUT_REASONS)
                        add_cut_reason(q, most, out);
                else
                        buf_add_str(out, "other causes");
                left[most] = 0;
                n_left -= n;
        }
        buf_add_char(out, ')');
}

static void add_if(struct buf *out, uint64_t n, const char *what)
{
        if (n)
                buf_printf(out, ", %" PRIu64 " %s", n, what);
}

static void add_spe(const struct quality_spe *spe, struct buf *out)
{
        double n_buffers = (double)spe->n_buffers;

        if (spe->n_truncated)
                buf_printf(out, ", SPE paused after %.1f %% of its buffers, which were full",
                           100 * (double)spe->n_truncated / n_buffers);
        if (spe->n_collided)
                buf_printf(out, ", samples collided in %.1f %% of the SPE buffers",
                           100 * (double)spe->n_collided / n_buffers);
        add_if(out, spe->n_threadless,
               spe->n_threadless == 1 ? "SPE sample of an unknown thread" : "SPE samples of unknown threads");
        if (spe->n_damaged)
                buf_printf(out, ", %" PRIu64 " SPE sample%s damaged (%" PRIu64 " bytes)", spe->n_damaged,
                           spe->n_damaged == 1 ? "" : "s", spe->damaged_bytes);
        else
                add_if(out, spe->damaged_bytes, "bytes of SPE data not understood");
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
                buf_printf(out, ", not sampled: %s (a setuid program, or a file that wperf can't read)",
                           q->not_sampled);
        if (q->unprivileged && *q->unprivileged)
                buf_printf(
                        out,
                        ", may have run without its privileges: %s (wperf can't read the file; --engine ring keeps them)",
                        q->unprivileged);
        if (q->not_traced && *q->not_traced)
                buf_printf(
                        out,
                        ", not traced, so with native stacks: %s (another program traces it, or the kernel does not "
                        "allow it, as with kernel.yama.ptrace_scope 1)",
                        q->not_traced);
}

/* ", python: 2,310 of 2,318 merged, 8 native (3 in start-up, 5 generator at exit)" */
static void add_python(const struct quality_python *python, struct buf *out)
{
        if (!python->n_stacks)
                return;
        buf_add_str(out, ", python: ");
        text_add_thousands(out, python->n_merged);
        buf_add_str(out, " of ");
        text_add_thousands(out, python->n_stacks);
        buf_add_str(out, python->is_approximate ? " merged (approximate)" : " merged");
        if (python->n_merged == python->n_stacks)
                return;
        buf_add_str(out, ", ");
        text_add_thousands(out, python->n_stacks - python->n_merged);
        buf_add_str(out, " native");
        for (size_t i = 0; i < python->n_reasons; i++) {
                buf_add_str(out, i ? ", " : " (");
                text_add_thousands(out, python->reasons[i].count);
                buf_add_char(out, ' ');
                text_add_printable(out, python->reasons[i].text);
        }
        buf_add_str(out, python->n_reasons ? ")" : "");
}

static void add_lost(const struct quality *q, struct buf *out)
{
        buf_printf(out, ", %s%" PRIu64 " lost", q->lost_is_estimate && q->n_lost ? "about " : "", q->n_lost);
        if (q->n_lost)
                buf_printf(out, " (%.2f %%)", quality_lost_percent(q));
}

/* Numbers that tell nothing are left out if `is_brief`. */
static void add_samples(const struct quality *q, bool is_brief, struct buf *out)
{
        buf_printf(out, "%" PRIu64 " samples", q->n_samples);
        if (q->n_lost || !is_brief)
                add_lost(q, out);
        if (q->n_throttled || !is_brief)
                buf_printf(out, ", %" PRIu64 " throttled", q->n_throttled);
        if (q->n_unresolved || !is_brief)
                buf_printf(out, ", %" PRIu64 " unresolved", q->n_unresolved);
        if (q->n_unresolved && !is_brief)
                buf_printf(out, " (%.2f %%)", quality_percent(q, q->n_unresolved));
        if (q->not_unwound)
                buf_add_str(out, ", stacks not unwound (wperf report -g unwinds them)");
        else if (q->n_cut_stacks || !is_brief)
                add_cut(q, out);
        if (q->n_unjudged)
                buf_printf(out,
                           ", %" PRIu64 " stacks not checked for cuts (they end in files that can't be read)",
                           q->n_unjudged);
}

static void add_kernel(const struct quality *q, struct buf *out)
{
        if (quality_kernel_matters(q))
                buf_printf(out, ", %.0f %% of the CPU time was in the kernel%s", 100 * q->kernel_share,
                           quality_kernel_advice(q));
}

static void add_shares(const struct quality *q, struct buf *out)
{
        add_sampled(q, out);
        if (q->counted_share < 1)
                buf_printf(out, ", counted %.0f %% of the time", 100 * q->counted_share);
        if (q->off_share >= OFF_SHARE_WORTH_A_WORD)
                buf_printf(out, ", events off %.0f %% of the time", 100 * q->off_share);
}

static void add_rest(const struct quality *q, struct buf *out)
{
        add_if(out, q->cut_bytes, "bytes missing or incomplete at the end of the file");
        if (q->unfinished)
                buf_add_str(out, ", the recorder did not finish the file");
        add_if(out, q->overblown_bytes,
               "bytes of compressed records not read (they decompress to more than 4096 times their size)");
        add_if(out, q->n_malformed, "malformed records");
        add_if(out, q->n_unknown_records, "records of unknown type");
        add_if(out, q->n_unknown_events, "samples of unknown events");
        add_if(out, q->n_out_of_order, "records out of order");
        if (q->doubts && *q->doubts)
                buf_printf(out, ", %s", q->doubts);
        if (q->aux_bytes)
                buf_printf(out, ", %" PRIu64 " bytes of %s trace not decoded (perf script decodes them)",
                           q->aux_bytes, q->aux_kind);
        add_spe(&q->spe, out);
        if (budget_is_short(q->budget)) {
                buf_add_str(out, ", left out for lack of memory: ");
                budget_add_text(q->budget, out);
                buf_printf(out, " (raise the limit with --max-memory %" PRIu64 ")",
                           2 * (budget_limit(q->budget) >> 20));
        }
        if (budget_has_given_up(q->budget)) {
                buf_add_str(out, ", given up because they take too much work to read: ");
                budget_add_given_up(q->budget, out);
        }
        if (q->n_not_kept)
                buf_printf(out, ", %" PRIu64 " mapped files could not be kept open (%s)", q->n_not_kept,
                           q->not_kept);
}

void quality_add_text(const struct quality *q, struct buf *out)
{
        buf_add_str(out, "quality: ");
        add_samples(q, false, out);
        add_python(&q->python, out);
        add_shares(q, out);
        add_kernel(q, out);
        add_rest(q, out);
}

/* ", Python 1506/1506" */
static void add_brief_python(const struct quality_python *python, struct buf *out)
{
        if (!python->n_stacks)
                return;
        buf_printf(out, ", Python %" PRIu64 "/%" PRIu64, python->n_merged, python->n_stacks);
        for (size_t i = 0; python->n_merged < python->n_stacks && i < python->n_reasons; i++) {
                buf_printf(out, "%s%" PRIu64 " ", i ? ", " : " (", python->reasons[i].count);
                text_add_printable(out, python->reasons[i].text);
                buf_add_str(out, i + 1 == python->n_reasons ? ")" : "");
        }
}

/* The share of the kernel is in the heading. */
void quality_add_line(const struct quality *q, struct buf *out)
{
        if (quality_is_poor(q)) {
                buf_add_str(out, "quality: poor, ");
                quality_add_reasons(q, out);
                buf_add_str(out, "; ");
        } else {
                buf_add_str(out, "quality: good, ");
        }
        add_samples(q, true, out);
        add_brief_python(&q->python, out);
        add_shares(q, out);
        add_rest(q, out);
}

void quality_add_poor(const struct quality *quality, struct buf *out)
{
        if (!quality_is_poor(quality))
                return;
        buf_add_str(out, "poor: ");
        quality_add_reasons(quality, out);
        buf_add_char(out, '\n');
}
