/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command line says to `stat`; the program to run is in command_line.args. */
#ifndef COMMAND_STAT_H
#define COMMAND_STAT_H

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

struct counting_options {
        uint64_t detail; /* how often -d was given */
        uint64_t n_runs; /* of the command */
        uint64_t dmc;    /* UINT64_MAX: all */
        const char *session;
        bool dry_run;
        bool strict;
};

struct stat_options {
        struct general_options general;
        struct output_options output;
        struct event_options event;
        struct metric_options metric;
        struct extra_options extra;
        struct target_options target;
        struct timeline_options timeline;
        struct row_options rows;
        struct counting_options counting;
        struct machine_options machine;
};

extern const struct command command_stat;

#endif
