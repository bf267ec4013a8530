/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that read a session: one for each CPU, or only the caller's.  Their results are merged in the
 * order of the records, so that a report does not depend on the number of threads. */
#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include "group_reads.h"
#include "perfdata_batch.h"
#include "report_internal.h"

/* Properties of the end of a chain besides its place; a set of these. */
enum {
        CHAIN_END_RETURN = 1, /* the place is before a return address */
        CHAIN_END_DEEP = 2,   /* the chain has as many frames as the kernel's limit */
        CHAIN_END_CUT = 4,    /* the unwinder reported that the stack is cut */
        CHAIN_END_KINDS = 8,
};

enum { RECENT_PIDS = 64 };

/* Data of one thread. */
struct report_worker {
        struct report_pass *pass; /* read-only if there are several workers */
        struct world *world;      /* NULL: the thread was ended to save memory */
        bool has_code;            /* world_has_code */
        struct profile *profile;
        struct stacks *stacks; /* NULL: not requested */
        const struct perfdata_event *const *attrs;
        size_t n_attrs;
        struct group_reads groups;   /* of sessions that one thread reads */
        struct sample sample;        /* the last one */
        struct sample_layout layout; /* layout of its event: */
        uint32_t parsed_event;       /* UINT32_MAX: `sample` is of none */
        struct stack_frame frames[STACKS_ROOM];
        size_t next_other; /* index in the batch of the next record that changes the world */
        struct map seen_pids;
        int32_t *pids;
        size_t n_pids, cap_pids;
        uint64_t recent_pids[RECENT_PIDS]; /* pid + 1; 0: none */
        bool misses_pids;                  /* as in struct report_pass */
        struct budget_share share;         /* for pids */
        uint64_t n_malformed, n_cut_stacks;
        /* Frames of states: the innermost one, and one instead of those of the sample; 0: none. */
        unsigned state, no_stack;
        const struct stack_frame *given; /* frames instead of those of the sample; NULL: its own */
        size_t n_given;
        bool is_part;      /* the sample was counted with another part of its weight, or there is none */
        bool is_next;      /* as in struct listed_sample */
        uint64_t begin_ns; /* when the time began for which the sample stands; 0: not known */
        /* Places where chains of the kernel end, if there are no stacks; an event's field is the kind of
         * end.  May be NULL. */
        struct profile *ends;
        struct profile_address last_end; /* with the weight of chains that are not in `ends` yet */
        /* chains that end outside all mappings, as is usual for code without frame pointers */
        uint64_t n_strays[CHAIN_END_KINDS];
};

/* Takes the samples of a chunk.  A worker takes some chunks of each batch, in their order. */
void report_worker_take(struct report_worker *worker, const struct perfdata_batch *batch, size_t chunk);

/* To be called after the last chunk of a batch. */
void report_worker_end_batch(struct report_worker *worker, const struct perfdata_batch *batch);

/* Whether the filter accepts the worker's sample. */
bool report_accepts(struct report_worker *worker);

/* Takes the worker's sample, if the filter accepts it. `attr` says what it has; NULL: nothing. */
void report_take_event(struct report_worker *worker, const struct perf_attr *attr, uint32_t event,
                       uint64_t weight, uint64_t number);

/* --- report_cut.c --- */

/* Without stacks: looks only at the end of the sample's chain. */
void report_see_chain(struct report_worker *worker, const struct perf_attr *attr,
                      const struct sample *sample);

/* The same for a stack that is known to be cut. */
void report_see_cut(struct report_worker *worker, const struct sample *sample);

/* To be called before the world changes. */
void report_catch_up_chains(struct report_worker *worker);

/* Judges the ends that the worker saw, and frees them. */
void report_judge_chains(struct report_pass *pass, struct report_worker *worker);

void report_count_others(struct report_pass *pass, const struct perfdata_batch *batch);

/* Reads the session into the report's world, profile and stacks. */
bool report_run_workers(struct report_pass *pass, struct err *err);

#endif
