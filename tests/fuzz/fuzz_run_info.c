/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section that says how a run was made and ended: what was read is the same when it is
 * written and read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

/* A share is stored in parts of a million, which rounding may change by one. */
static void expect_share(double share, double again)
{
        must(share <= 1 && fabs(share - again) < 1.5e-6);
}

static void expect_texts(const struct run_info *a, const struct run_info *b)
{
        must(!strcmp(a->source_note, b->source_note) && !strcmp(a->sampled_event, b->sampled_event));
        must(!strcmp(a->not_sampled, b->not_sampled) && !strcmp(a->unprivileged, b->unprivileged));
        must(!strcmp(a->not_traced, b->not_traced) && !strcmp(a->not_kept, b->not_kept));
        must(!strcmp(a->python_symbols, b->python_symbols));
}

static void expect_same(const struct run_info *a, const struct run_info *b)
{
        expect_texts(a, b);
        must(a->elapsed_ns == b->elapsed_ns && a->user_ns == b->user_ns && a->kernel_ns == b->kernel_ns);
        must(!a->split_is_unknown == !b->split_is_unknown && !a->kernel_is_denied == !b->kernel_is_denied);
        must(a->recorder_ns == b->recorder_ns && a->off_ns == b->off_ns && a->stack_bytes == b->stack_bytes);
        must(a->n_samples == b->n_samples && a->n_stops == b->n_stops && a->n_repeats == b->n_repeats);
        must(!a->n_stops || a->n_ring_dropped == b->n_ring_dropped);
        must(a->source_cut_bytes == b->source_cut_bytes && a->n_source_malformed == b->n_source_malformed &&
             a->source_is_short == b->source_is_short);
        must(a->n_not_kept == b->n_not_kept && a->has_exit == b->has_exit &&
             a->exit_status == b->exit_status);
        must(a->counted_share >= 0);
        expect_share(a->counted_share, b->counted_share);
        expect_share(a->sampled_share, b->sampled_share);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) out = {0};
        AUTO_RELEASE(buf) again_text = {0};
        struct run_info info, again;

        if (!run_info_read_section(cursor_make(data, size), &text, &info))
                return 0;
        run_info_make(&info, &out);
        must(run_info_read_section(cursor_make(out.data, out.len), &again_text, &again));
        expect_same(&info, &again);
        return 0;
}
