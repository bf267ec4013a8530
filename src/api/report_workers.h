/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that a session is read with: one for each CPU, or the caller's alone.  What they make is put together in the order of
 * the records, so that a report is the same with any number of them. */
#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include "perfdata_batch.h"
#include "report_internal.h"

/* Samples whose chains end at a place, by whether it is before a return address. */
struct chain_end {
        uint64_t n[2];
        uint64_t n_deep; /* with as many frames as the kernel takes */
};

/* What one thread has of its own. */
struct report_worker {
        struct report *report; /* only read, where there are several */
        struct world *world;   /* NULL: a thread too many, which has ended */
        struct profile *profile;
        struct stacks *stacks; /* NULL: nobody asked for them */
        const struct perfdata_event *const *attrs;
        struct sample sample;        /* the last one */
        struct sample_layout layout; /* of its event: */
        uint32_t parsed_event;       /* UINT32_MAX: `sample` is of none */
        struct stack_frame frames[STACKS_MAX_FRAMES + 1];
        size_t next_other; /* in the batch: the next record that changes the world */
        struct map seen_pids;
        int32_t *pids;
        size_t n_pids, cap_pids;
        int32_t last_pid;
        bool misses_pids;          /* as in struct report */
        struct budget_share share; /* for pids and ends */
        uint64_t n_malformed, n_cut_stacks;
        struct places end_places; /* where chains of the kernel end, if there are no stacks */
        struct chain_end *ends;   /* by place */
        size_t n_ends;
};

/* Takes the samples of a chunk; of all chunks of a batch a worker takes some, in their order. */
void report_worker_take(struct report_worker *worker, const struct perfdata_batch *batch, size_t chunk);

/* After the last of them. */
void report_worker_end_batch(struct report_worker *worker, const struct perfdata_batch *batch);

/* --- report_cut.c --- */

/* Without stacks: looks only at where the sample's chain ends. */
void report_see_chain(struct report_worker *worker, uint32_t event, const struct sample *sample);

/* Judges what the worker saw, and frees it. */
void report_judge_chains(struct report *report, struct report_worker *worker);

void report_count_others(struct report *report, const struct perfdata_batch *batch);

/* Reads the session into the report's world, profile and stacks. */
bool report_run_workers(struct report *report, struct err *err);

#endif
