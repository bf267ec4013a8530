/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command line says to the commands that read a session: `report`, `dump` and `annotate`. */
#ifndef REPORT_OPTIONS_H
#define REPORT_OPTIONS_H

#include "option_groups.h"

struct choice_options {
        const char *sort; /* comma-separated keys, or NULL */
        struct number_list pids;
        const char *comms;   /* comma-separated, or NULL */
        const char *modules; /* comma-separated, or NULL */
        const char *time;    /* "A,B" in seconds, or NULL */
        bool csv;
        bool inlines, no_inlines;
        bool no_demangle;
        bool stdio; /* accepted: the report is always text */
        bool call_graph;
};

struct report_options {
        struct general_options general;
        struct input_options input;
        struct output_options output;
        struct choice_options choice;
        struct display_options display;
};

struct dump_options {
        struct general_options general;
        struct input_options input;
        struct output_options output;
};

struct annotate_options {
        struct general_options general;
        struct input_options input;
        struct output_options output;
        const char *style; /* "intel", "att", or NULL */
};

extern const struct command command_report;
extern const struct command command_dump;
extern const struct command command_annotate;

#endif
