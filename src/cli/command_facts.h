/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the commands that print facts about wperf, the machine and its events. */
#ifndef COMMAND_FACTS_H
#define COMMAND_FACTS_H

#include "option_groups.h"

struct test_choice {
        bool hardware;
        uint64_t loop_operations; /* of each loop of --hardware; 0 for the default */
};

struct test_options {
        struct test_choice choice;
        struct general_options general;
        struct output_options output;
        struct event_options event;
        struct metric_options metric;
        struct extra_options extra;
        struct machine_options machine;
};

/* version and help */
struct version_options {
        struct general_options general;
        struct output_options output;
};

struct detect_options {
        struct general_options general;
        struct output_options output;
        struct machine_options machine;
};

/* list and man */
struct list_options {
        struct general_options general;
        struct output_options output;
        struct extra_options extra;
        struct machine_options machine;
};

extern const struct command command_test;
extern const struct command command_version;
extern const struct command command_list;
extern const struct command command_man;
extern const struct command command_detect;
extern const struct command command_help;

/* Hidden commands: print how a line is parsed, and texts for installation. */
extern const struct command command_explain;
extern const struct command command_man_page;
extern const struct command command_completion;
extern const struct command command_names;
extern const struct command command_complete;
extern const struct command command_hardware_loops; /* the command that test --hardware samples */

#endif
