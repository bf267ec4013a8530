/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CMD_STACK_OPTIONS_H
#define CMD_STACK_OPTIONS_H

#include "lookup.h"
#include "option_groups.h"
#include "options.h"
#include "python_options.h"

struct stack_options {
        struct target_options target; /* only pids, bare_pids, comm and all_cpus */
        const char *threads;          /* names or numbers with commas, or NULL */
        uint64_t repeats;             /* 0: once */
        uint64_t interval_ns;         /* 0: default */
        struct python_options python;
        bool nonblocking;
        bool no_lines;
        bool no_demangle;
        bool is_default; /* no effect */
        struct lookup_options lookup;
        struct output_options output;
        struct general_options general;
};

extern const struct command cmd_stack_command;

#endif
