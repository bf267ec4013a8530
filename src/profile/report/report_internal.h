/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of one pass over a session, needed only until the results are made. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "map.h"
#include "report.h"
#include "report_python.h"
#include "stack_marks.h"
#include "stack_unwind.h"

struct report_pass {
        struct report_request request; /* the times of its filter are by the session's clock */
        struct report *report;         /* the results so far */
        struct report_session *session;
        struct stack_marks marks; /* for stacks that were unwound while recording */
        bool is_by_stacks;        /* the profile gets its places from the stacks */
        struct stack_unwind *unwind;
        struct report_python python;
        uint32_t spe_event;  /* the event whose samples stand for equal ones, as many as their period has
                                times */
        uint64_t spe_period; /* this one; 0: each sample stands for itself */
        struct map seen_pids;
        int32_t *pids; /* sampled processes */
        size_t n_pids, cap_pids;
        bool misses_pids; /* not enough memory for all of them */
        uint64_t n_lost_records, n_lost_samples;
        uint64_t n_in_session;  /* samples that the session has */
        unsigned kernel_frames; /* the kernel's limit of frames in a chain */
        uint64_t n_deep_chains; /* number of chains with that many frames */
        uint64_t n_memory_cuts; /* number of chains that were dropped because memory ran out */
        /* With times of states: the event of all samples, the events that they are of, and how far time
         * without samples was taken. */
        uint32_t wall_event, cpu_event, waiting_event;
        size_t next_stackless;
        struct map in_a_row;    /* threads: 1 if no time was left out after the last sample */
        struct map cut_modules; /* modules in which cut stacks end, with the number of stacks */
};

static inline bool report_wants(const struct report_pass *pass, enum report_result result)
{
        return pass->request.results & result;
}

/* Reads all records. */
bool report_read(struct report_pass *pass, struct err *err);

/* --- report_cut.c --- */

void report_begin_cut(struct report_pass *pass);

/* After the last sample: judges the stacks, and moves those that are cut below the node for cut stacks. */
void report_judge_stacks(struct report_pass *pass);

void report_fill_cut(struct report_pass *pass);

/* --- report_results.c --- */

void report_make_results(struct report_pass *pass);

#endif
