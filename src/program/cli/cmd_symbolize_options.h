/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `symbolize`. */
#ifndef CMD_SYMBOLIZE_OPTIONS_H
#define CMD_SYMBOLIZE_OPTIONS_H

#include "lookup.h"
#include "option_groups.h"

struct symbolize_options {
        struct general_options general;
        struct output_options output;
        const char *session; /* or NULL */
        const char *file;    /* or NULL */
        struct lookup_options lookup;
        bool no_demangle, decorated, force;
        bool always; /* no effect: options of addr2line that wperf always applies */
};

extern const struct command cmd_symbolize_command;

#endif
