/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `stat`; the program to run is in command_line.args. */
#ifndef CMD_STAT_OPTIONS_H
#define CMD_STAT_OPTIONS_H

#include "option_groups.h"
#include "stat_output.h"

struct counting_options {
        uint64_t detail; /* how often -d was given */
        uint64_t n_runs; /* number of runs of the command */
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

extern const struct command cmd_stat_command;

#endif
