/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `record` and `sample`; the program to run is in command_line.args. */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include "color_options.h"
#include "export_output.h"
#include "lookup.h"
#include "option_groups.h"

struct sampling_options {
        uint64_t freq_hz, rate_hz; /* -F, -r; 0: not given; UINT64_MAX: the highest */
        bool call_graph;           /* -g */
        bool no_stacks;
        bool branches;               /* -b */
        bool mem;                    /* --mem */
        uint64_t ldlat;              /* cycles; 0: not given */
        const char *call_graph_mode; /* "fp", "dwarf,8192", "lbr", or NULL */
        const char *engine;          /* "ring", "stop", or NULL */
        bool nonblocking;            /* --nonblocking */
        bool wall;                   /* --wall */
        bool idle;                   /* --idle */
        bool gil;                    /* --gil */
        const char *mode;            /* "cpu", "gil", "wall", or NULL */
        bool compress;
        bool tui;
        bool all_children, no_all_children, no_inherit, per_thread;
        const char *format;  /* of the picture, or NULL: by the name of -o */
        uint64_t repeat;     /* number of runs; 0: not given */
        const char *versus;  /* "SESSIONS=COMMAND", or NULL */
        const char *session; /* the session's file, "-" for standard output, or NULL */
        bool dry_run;
        const char *sysfs; /* another machine's /sys for --dry-run, or NULL */
        bool is_default;   /* an option of another profiler for what is the default here */
        bool export_perf_data;
};

struct record_options {
        struct general_options general;
        struct output_options output;
        struct event_options event;
        struct target_options target;
        struct sampling_options sampling;
        struct lookup_options lookup;
        struct display_options display;
        struct color_options color;
        struct page_options page;
};

extern const struct command cmd_record_command;
extern const struct command cmd_sample_command;

#endif
