/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over a session: what is only needed until the results are made. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "map.h"
#include "report.h"
#include "report_python.h"
#include "stack_marks.h"
#include "stack_unwind.h"

struct report_pass {
        struct report_request request; /* its filter has times by the session's clock */
        struct report *report;         /* the results so far */
        struct report_session *session;
        struct stack_marks marks; /* of stacks that were unwound while recording */
        bool is_by_stacks;        /* the profile gets its places from them */
        struct stack_unwind *unwind;
        struct report_python python;
        struct map seen_pids;
        int32_t *pids; /* sampled processes */
        size_t n_pids, cap_pids;
        bool misses_pids; /* there was no memory for them */
        uint64_t n_lost_records, n_lost_samples;
        unsigned kernel_frames; /* that the kernel takes */
        uint64_t n_deep_chains; /* cut where it takes no more */
        uint64_t n_memory_cuts; /* chains that there was no memory for */
        struct map cut_modules; /* where cut stacks end, to their number */
};

static inline bool report_wants(const struct report_pass *pass, enum report_result result)
{
        return pass->request.results & result;
}

/* Reads all records. */
bool report_read(struct report_pass *pass, struct err *err);

/* --- report_cut.c: which stacks are cut, and why --- */

void report_begin_cut(struct report_pass *pass);

/* After the last sample: judges the stacks, and puts those that are cut below their mark. */
void report_judge_stacks(struct report_pass *pass);

void report_fill_cut(struct report_pass *pass);

/* --- report_results.c: what is made of that --- */

void report_make_results(struct report_pass *pass);

#endif
