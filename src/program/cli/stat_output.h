/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the counts of `stat` as tables, rows, one JSON document, JSON lines, CSV files or a page with
 * charts; each as early as its format allows. */
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
        uint64_t every_ms;      /* perf's -I; 0: not used */
        const char *output_csv; /* or NULL */
        const char *plot;       /* or NULL */
        bool json_lines;
};

/* Forms of text other than tables. */
struct row_options {
        const char *separator; /* perf's -x; or NULL */
        bool no_aggr;
        bool big_num; /* the default of perf and wperf */
        bool no_big_num;
};

struct stat_output_request {
        const struct general_options *general;
        const struct output_options *output;
        const struct timeline_options *forms; /* for the timeline; NULL: a session is printed again */
        const struct row_options *rows;       /* NULL: tables */
        const char *vendor;                   /* of the machine; or NULL */
        const char *subject;                  /* the command, process or CPUs of the counts */
        const char *note;                     /* one sentence about the processes; "" for none */
        const char *title;                    /* title of the page */
        const char *command;                  /* wperf's command line */
        bool all_cpus;
        bool may_draw;       /* progress may be drawn */
        bool timeline;       /* this is a timeline, also because there are several counts */
        uint64_t timeout_ns; /* duration of one count */
        uint64_t interval_ns;
        unsigned n_runs;
};

struct stat_output;

/* NULL if a file cannot be written, so that the error comes before anything is measured. */
struct stat_output *stat_output_new(const struct stat_output_request *request, struct err *err);
void stat_output_free(struct stat_output *output);
AUTO_DEFINE(stat_output)

/* For count_run_request: `ctx` is the stat_output. */
void stat_output_phase(void *ctx, bool counting, bool begins);
bool stat_output_add(void *ctx, const struct count_result *result, struct err *err);

/* Writes the forms that can only be written at the end.  *ret_poor: the quality of some count was poor. */
bool stat_output_finish(struct stat_output *output, const struct count_run_facts *facts, bool *ret_poor,
                        struct err *err);

#endif
