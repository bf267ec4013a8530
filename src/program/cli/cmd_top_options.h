/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `top`; the program to run is in command_line.args. */
#ifndef CMD_TOP_OPTIONS_H
#define CMD_TOP_OPTIONS_H

#include "color_options.h"
#include "lookup.h"
#include "option_groups.h"
#include "python_options.h"

struct live_options {
        uint64_t freq_hz, rate_hz; /* -F, -r; 0: not given */
        uint64_t interval_ns;      /* 0: default */
        const char *by;            /* "function", "thread", "process", or NULL */
        uint64_t rows;             /* of a table; 0: default */
        const char *engine;        /* or NULL */
        bool nonblocking;
        const char *mode; /* "cpu", "wall", or NULL */
        bool wall;        /* --wall */
        bool idle;        /* --idle: wall time with idle time */
        bool no_stacks;
        bool text; /* --stdio */
        bool no_demangle;
        bool is_default;     /* no effect */
        const char *session; /* or NULL */
};

struct top_options {
        struct general_options general;
        struct output_options output;
        struct event_options event;
        struct target_options target;
        struct live_options live;
        struct python_options python;
        struct lookup_options lookup;
        struct color_options color;
};

extern const struct command cmd_top_command;

#endif
