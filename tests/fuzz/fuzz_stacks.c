/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a session whose samples become stacks and edges: call chains, the hardware's record of
 * calls, deferred call chains, branches.  No names are looked up, so no file is opened. */
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "perfdata_reader.h"
#include "stack_branches.h"
#include "stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct counted {
        uint64_t n_samples, n_stacks, n_branches;
};

struct taking {
        struct perfdata_reader *reader;
        struct world *world;
        struct stacks *stacks;     /* NULL: stacks are not made */
        struct branches *branches; /* NULL: samples are only counted */
        size_t depth;
        struct counted counted;
        struct stack_frame frames[STACKS_MAX_FRAMES + 1];
};

static void must(bool holds)
{
        if (!holds)
                abort();
}

static void add_stack(struct taking *t, uint32_t event, const struct sample *sample)
{
        const struct perf_attr *attr = &perfdata_get_event(t->reader, event)->attr;
        bool is_cut = sample_is_deferred(sample, NULL), has_user = false, is_lbr = stack_branches_can(attr);
        uint64_t by_way[UNWIND_N_WAYS] = {0};
        size_t n;

        t->counted.n_stacks++;
        if (!t->branches)
                return;
        if (t->stacks && !is_lbr && !is_cut && stacks_can_add_chain(sample)) {
                stacks_add_chain(t->stacks, t->world, event, sample, 1);
                return;
        }
        n = stack_frames_of_chain(sample, t->frames, &is_cut, &has_user);
        must(n <= STACKS_MAX_FRAMES);
        if (is_lbr)
                n = stack_branches_join(sample, t->depth, t->frames, n, by_way, &is_cut);
        must(n <= STACKS_MAX_FRAMES);
        for (size_t i = 0; i < n; i++)
                must(t->frames[i].misc <= PERF_MISC_CPUMODE_MASK);
        if (!n)
                t->frames[n++] = stack_frame_of_sample(sample);
        if (is_cut)
                n = stack_frames_mark_cut(t->frames, n);
        if (t->stacks)
                stacks_add(t->stacks, t->world, event, sample, t->frames, n, 1, 1);
}

static void take_record(struct taking *t, const struct perfdata_record *record)
{
        struct sample sample;
        struct branch branch;

        if (record->header.type != PERF_RECORD_SAMPLE) {
                if (t->stacks)
                        stacks_catch_up(t->stacks, t->world);
                world_replay(t->world, record);
                return;
        }
        t->counted.n_samples++;
        if (record->event == UINT32_MAX ||
            !sample_parse(&perfdata_get_event(t->reader, record->event)->attr, record->bytes, &sample))
                return;
        add_stack(t, record->event, &sample);
        if (t->branches)
                branches_add(t->branches, t->world, record->event, &sample);
        for (uint64_t i = 0; sample_branch(&sample, i, &branch); i++)
                t->counted.n_branches += branch.from || branch.to;
}

/* No sample is lost or counted twice. */
static void check(struct taking *t)
{
        uint64_t n_stacks = 0, n_branches = 0;

        if (t->stacks)
                stacks_finish(t->stacks, t->world);
        for (size_t i = 0; t->stacks && i < stacks_n_series(t->stacks); i++) {
                const struct stack_series *series = stacks_get_series(t->stacks, i);

                for (size_t end = 0; end < series->n_ends; end++)
                        n_stacks += series->ends[end].count;
        }
        for (uint32_t i = 0; t->stacks && i < stacks_n_nodes(t->stacks); i++) {
                uint32_t parent = stacks_get_node(t->stacks, i)->parent;

                must(parent == STACKS_NONE || parent < i);
        }
        for (size_t i = 0; i < branches_n_edges(t->branches); i++) {
                const struct branch_edge *edge = branches_get_edge(t->branches, i);

                must(edge->n_mispredicted <= edge->n_told && edge->n_told <= edge->count);
                n_branches += edge->count;
        }
        must(n_branches == t->counted.n_branches);
        must(!t->stacks || n_stacks == t->counted.n_stacks);
}

/* A stack's tables are large, so most inputs are tested without stacks. */
static bool wants_stacks(size_t size)
{
        return size % 4 == 0;
}

static bool read_session(const void *bytes, size_t size, bool raw, struct counted *ret)
{
        struct err err = {0};
        AUTO(perfdata_reader) reader = perfdata_open_bytes(bytes, size, "fuzz", &err);
        AUTO(world) world = world_new();
        AUTO(stacks) stacks = raw || !wants_stacks(size) ? NULL : stacks_new(size & 1);
        AUTO(branches) branches = raw ? NULL : branches_new();
        static struct taking t;
        struct perfdata_record record;
        int got;

        if (!reader)
                return false;
        t = (struct taking){reader, world, stacks, branches, stack_branches_depth(reader), {0}, {{0}}};
        while ((got = raw ? perfdata_next_raw(reader, &record, &err)
                          : perfdata_next(reader, &record, &err)) == 1)
                take_record(&t, &record);
        if (!raw)
                check(&t);
        *ret = t.counted;
        return !got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        /* An allocation of the exact size, so that the sanitizer detects reads after the end. */
        uint8_t *copy = malloc(size ? size : 1);
        struct counted in_file, by_time;

        if (!copy)
                return 0;
        if (size)
                memcpy(copy, data, size);
        if (read_session(copy, size, true, &in_file) && read_session(copy, size, false, &by_time))
                must(in_file.n_samples == by_time.n_samples);
        free(copy);
        return 0;
}
