/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_branches.h"

#include <string.h>

#include "text_number.h"
#include "unwind_lbr.h"

enum { MAX_BRANCHES = 256, USUAL_DEPTH = 32 };

bool stack_branches_can(const struct perf_attr *attr)
{
        return attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
               attr->branch_sample_type & PERF_BRANCH_CALL_STACK;
}

bool stack_branches_only(const struct perf_attr *attr)
{
        const uint64_t stacks = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;

        return attr->sample_type & PERF_SAMPLE_BRANCH_STACK && !(attr->sample_type & stacks) &&
               !stack_branches_can(attr);
}

static const char *take_str(struct cursor *c)
{
        uint32_t size = cursor_u32(c);
        struct cursor text = cursor_sub(c, cursor_pos(c), size);

        cursor_skip(c, size);
        return c->failed ? NULL : cursor_str_at(&text, 0);
}

/* n, then n pairs of a name and a value */
size_t stack_branches_depth(const struct perfdata_reader *reader)
{
        struct cursor c = perfdata_feature(reader, FEATURE_CPU_PMU_CAPS);
        uint32_t n = cursor_u32(&c);

        for (uint32_t i = 0; i < n && !c.failed; i++) {
                const char *name = take_str(&c), *value = take_str(&c);
                uint64_t depth;

                if (name && value && !strcmp(name, "branches") && text_to_u64(value, 10, &depth) && depth &&
                    depth <= MAX_BRANCHES)
                        return (size_t)depth;
        }
        return USUAL_DEPTH;
}

static size_t take_branches(const struct sample *sample, struct unwind_branch *branches)
{
        struct branch branch;
        size_t n = 0;

        while (n < MAX_BRANCHES && sample_branch(sample, n, &branch))
                branches[n++] = (struct unwind_branch){branch.from, branch.to};
        return n;
}

size_t stack_branches_join(const struct sample *sample, size_t depth, struct stack_frame *frames, size_t n,
                           uint64_t *by_way, bool *ret_cut)
{
        struct unwind_branch branches[MAX_BRANCHES];
        struct unwind_frame joined[STACKS_MAX_FRAMES];
        uint64_t chain[STACKS_MAX_FRAMES];
        struct unwind_walked walked;
        struct unwind_lbr lbr = {.branches = branches,
                                 .n_branches = take_branches(sample, branches),
                                 .depth = depth,
                                 .chain = chain};
        size_t n_kernel = 0;

        if (!lbr.n_branches || !branches[0].from)
                return n;
        while (n_kernel < n && frames[n_kernel].misc != PERF_MISC_USER)
                n_kernel++;
        for (size_t i = n_kernel; i < n; i++)
                chain[lbr.n_chain++] = frames[i].addr;
        if (!lbr.n_chain && (sample->misc & PERF_MISC_CPUMODE_MASK) == PERF_MISC_USER && sample->ip)
                chain[lbr.n_chain++] = sample->ip;
        unwind_lbr_join(&lbr, joined, STACKS_MAX_FRAMES - n_kernel, &walked);
        for (size_t i = 0; i < walked.n_frames; i++)
                frames[n_kernel + i] =
                        (struct stack_frame){joined[i].pc, PERF_MISC_USER, !joined[i].is_exact};
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                by_way[i] += walked.n_by_way[i];
        *ret_cut |= !unwind_end_is_whole(walked.end);
        return n_kernel + walked.n_frames;
}
