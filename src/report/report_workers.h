/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that a session is read with: one for each CPU, or the caller's alone.  What they make is put together in the order of
 * the records, so that a report is the same with any number of them. */
#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include "perfdata_batch.h"
#include "report_internal.h"

/* What a chain's end is besides its place: a set of these. */
enum {
        CHAIN_END_RETURN = 1, /* the place is before a return address */
        CHAIN_END_DEEP = 2,   /* there are as many frames as the kernel takes */
        CHAIN_END_CUT = 4,    /* whoever unwound it said that it is cut */
        CHAIN_END_KINDS = 8,
};

enum { RECENT_PIDS = 64 };

/* What one thread has of its own. */
struct report_worker {
        struct report_pass *pass; /* only read, where there are several */
        struct world *world;      /* NULL: a thread too many, which has ended */
        bool has_code;            /* world_has_code */
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
        uint64_t recent_pids[RECENT_PIDS]; /* pid + 1; 0: none */
        bool misses_pids;                  /* as in struct report_pass */
        struct budget_share share;         /* for pids */
        uint64_t n_malformed, n_cut_stacks;
        /* Where chains of the kernel end, if there are no stacks: the kind stands for the event.  NULL: none. */
        struct profile *ends;
        struct profile_address last_end;    /* of `weight` chains, which are not in `ends` yet */
        uint64_t n_strays[CHAIN_END_KINDS]; /* that end in no map: of code without frame pointers most do */
};

/* Takes the samples of a chunk; of all chunks of a batch a worker takes some, in their order. */
void report_worker_take(struct report_worker *worker, const struct perfdata_batch *batch, size_t chunk);

/* After the last of them. */
void report_worker_end_batch(struct report_worker *worker, const struct perfdata_batch *batch);

/* --- report_cut.c --- */

/* Without stacks: looks only at where the sample's chain ends. */
void report_see_chain(struct report_worker *worker, uint32_t event, const struct sample *sample);

/* The same of a stack that is known to be cut. */
void report_see_cut(struct report_worker *worker, const struct sample *sample);

/* Before the world changes. */
void report_catch_up_chains(struct report_worker *worker);

/* Judges what the worker saw, and frees it. */
void report_judge_chains(struct report_pass *pass, struct report_worker *worker);

void report_count_others(struct report_pass *pass, const struct perfdata_batch *batch);

/* Reads the session into the report's world, profile and stacks. */
bool report_run_workers(struct report_pass *pass, struct err *err);

#endif
