/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that several commands share, and the structs that they fill. */
#ifndef OPTION_GROUPS_H
#define OPTION_GROUPS_H

#include "options.h"

struct general_options {
        bool help;
        bool verbose;
        bool quiet;
        bool force_lock;       /* no effect: there is no driver lock on Linux */
        const char *cpu_model; /* a model of the catalogue instead of this machine; NULL: this machine */
};
/* Names of programs as PIDs, for options that take PIDs. */
extern const struct misreading option_group_pid_misreading;

extern const struct option_group option_group_general;

/* Where the command's document goes. */
struct output_options {
        bool json_extended;
        bool json;                 /* also set by json_extended */
        const char *output;        /* or NULL */
        const char *output_prefix; /* a folder for output files, or NULL */
};
extern const struct option_group option_group_output;

/* Which events are measured. */
struct event_options {
        const char *events; /* the -e texts joined by commas, or NULL */
        bool kernel;
};
extern const struct option_group option_group_event;

/* Names beyond the built-in ones. */
struct extra_options {
        const char *extra_events; /* a file or name:0xNN,..., or NULL */
        const char *metrics_file; /* or NULL */
};
extern const struct option_group option_group_extra;

/* Files that describe another machine, in addition to general_options.cpu_model. */
struct machine_options {
        const char *sysfs; /* a folder that replaces "/", or NULL */
};
extern const struct option_group option_group_machine;

/* Which processes and CPUs are measured, and how long. */
struct target_options {
        struct cpu_list cpus;
        struct number_list pids;
        struct number_list bare_pids; /* words of digits */
        const char *comm;             /* names, separated by commas, or NULL */
        bool subprocesses;
        const char *cgroup; /* or NULL */
        bool all_cpus;
        uint64_t timeout_ns;     /* 0: until the program ends or Ctrl-C */
        const char *pe_file;     /* or NULL */
        const char *image_name;  /* or NULL: the base name of pe_file */
        const char *pdb_file;    /* or NULL */
        uint64_t spawn_delay_ms; /* UINT64_MAX: -1 */
        const char *control;     /* "fifo:CTL,ACK", "fd:CTL,ACK", or NULL */
        bool output_to_stderr; /* the command's standard output goes to standard error; no option of the user
                                */
};
extern const struct option_group option_group_target;

/* How results of sampling are shown. */
struct display_options {
        uint64_t rows; /* in each table; 0: default */
        bool long_names;
        const char *symbol; /* a pattern for text_match_symbol, or NULL */
        bool annotate;
        bool disassemble;
        bool strict;
};
extern const struct option_group option_group_display;

enum { DISPLAY_ROWS_DEFAULT = 50, DISPLAY_PYTHON_ROWS_DEFAULT = 10 };

/* Which session is read. */
struct input_options {
        const char *input; /* or NULL: wperf.data, else perf.data */
        bool force;
};
extern const struct option_group option_group_input;

/* Metrics, and settings for counting. */
struct metric_options {
        const char *metrics; /* joined by commas, or NULL */
        const char *config;  /* key=value,..., or NULL */
};
extern const struct option_group option_group_metric;

#endif
