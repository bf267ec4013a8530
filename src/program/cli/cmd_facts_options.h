/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the commands that print facts about wperf, the machine and its events. */
#ifndef CMD_FACTS_OPTIONS_H
#define CMD_FACTS_OPTIONS_H

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

/* version and doctor */
struct version_options {
        struct general_options general;
        struct output_options output;
};

struct help_choice {
        bool all;
};

/* help, and the hidden commands that print texts */
struct help_options {
        struct help_choice choice;
        struct general_options general;
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

extern const struct command cmd_test_command;
extern const struct command cmd_version_command;
extern const struct command cmd_list_command;
extern const struct command cmd_man_command;
extern const struct command cmd_detect_command;
extern const struct command cmd_doctor_command;
extern const struct command cmd_help_command;

/* Hidden commands: print how a line is parsed, and texts for installation. */
extern const struct command cmd_explain_command;
extern const struct command cmd_man_page_command;
extern const struct command cmd_completion_command;
extern const struct command cmd_names_command;
extern const struct command cmd_complete_command;
extern const struct command cmd_hardware_loops_command; /* the command that test --hardware samples */

#endif
