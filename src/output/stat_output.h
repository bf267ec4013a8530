/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the counts of `stat` go: tables, rows, one JSON document, JSON lines, CSV files, a page.  Each is written as the counts
 * come, as far as its form allows. */
#ifndef STAT_OUTPUT_H
#define STAT_OUTPUT_H

#include "attributes.h"
#include "count_run.h"
#include "err.h"
#include "option_groups.h"

struct timeline_options {
        bool timeline;
        uint64_t interval_ns;   /* the pause between two counts */
        uint64_t n_counts;      /* 0: no limit */
        uint64_t every_ms;      /* perf's -I; 0: not given */
        const char *output_csv; /* or NULL */
        const char *plot;       /* or NULL */
        bool json_lines;
};

/* Other forms of the text than tables. */
struct row_options {
        const char *separator; /* perf's -x; or NULL */
        bool no_aggr;
        bool big_num; /* perf's default, and ours */
        bool no_big_num;
};

struct stat_output_request {
        const struct general_options *general;
        const struct output_options *output;
        const struct timeline_options *forms; /* of the timeline; NULL: a session is shown again */
        const struct row_options *rows;       /* NULL: tables */
        const char *vendor;                   /* of the machine; NULL */
        const char *subject;                  /* whose counts these are */
        const char *title;                    /* of the page */
        bool all_cpus;
        bool may_draw;       /* progress as it comes */
        bool timeline;       /* or several counts, which make it one */
        uint64_t timeout_ns; /* of one count */
        uint64_t interval_ns;
        unsigned n_runs;
};

struct stat_output;

/* NULL when a file that is to be written can't be: better told before anything is measured. */
struct stat_output *stat_output_new(const struct stat_output_request *request, struct err *err);
void stat_output_free(struct stat_output *output);
AUTO_DEFINE(stat_output)

/* For count_run_request: `ctx` is the stat_output. */
void stat_output_phase(void *ctx, bool counting, bool begins);
bool stat_output_shot(void *ctx, const struct count_shot *shot, struct err *err);

/* Writes what could only be written at the end.  *ret_poor: some count was poor. */
bool stat_output_finish(struct stat_output *output, const struct count_run_facts *facts, bool *ret_poor,
                        struct err *err);

#endif
