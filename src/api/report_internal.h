/* SPDX-License-Identifier: BSD-3-Clause */
/* What report.h's files share. */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "map.h"
#include "module_source.h"
#include "pe_images.h"
#include "report.h"
#include "stack_marks.h"
#include "stack_unwind.h"

struct report {
        struct report_request request;
        struct resolver_sources sources; /* the request's */
        struct budget own_budget;        /* where the request has none */
        struct budget session_budget;    /* of the session file */
        struct budget *tree_budget;      /* the same, for trees that are made later */
        struct session_input *input;
        struct perfdata_reader *reader; /* the input's */
        struct world *world;
        struct pe_images *images;
        struct profile *profile;
        struct stacks *stacks;       /* NULL: nobody asked for them */
        struct sample_list *samples; /* likewise */
        struct branches *branches;   /* likewise */
        struct branch_rows *branch_rows;
        struct stack_marks marks; /* of stacks that were unwound while recording */
        bool is_by_stacks;        /* the profile gets its places from them */
        struct stack_unwind *unwind;
        struct stack_archive_writer *walks; /* NULL: they are not to be packed */
        struct buf ends;                    /* FEATURE_WPERF_ENDS, as it is to be packed */
        struct session_archive archive;
        struct module_source *modules;
        struct hot *hot;
        struct quality quality;
        struct buf doubts;      /* of the quality */
        struct buf session_dir; /* empty: it is not asked for files */
        struct buf run_text;
        struct run_info run_info;
        bool has_run_info;
        struct map seen_pids;
        int32_t *pids; /* sampled processes */
        size_t n_pids, cap_pids;
        bool misses_pids; /* there was no memory for them */
        uint64_t n_lost_records, n_lost_samples;
        unsigned kernel_frames; /* that the kernel takes */
        uint64_t n_deep_chains; /* cut where it takes no more */
        uint64_t n_memory_cuts; /* chains that there was no memory for */
        bool has_image;
        struct report_image image;
};

/* simpleperf has a perf map's names in the session, and no map of the memory that they are in.  For each world, before its
 * first record. */
void report_name_unmapped(const struct report *report, struct world *world);

/* --- report_cut.c: which stacks are cut, and why --- */

void report_begin_cut(struct report *report);

/* After the last sample: judges the stacks, and puts those that are cut below their mark. */
void report_judge_stacks(struct report *report);

void report_fill_cut(struct report *report);

/* Reads all records. */
bool report_read(struct report *report, struct err *err);

#endif
