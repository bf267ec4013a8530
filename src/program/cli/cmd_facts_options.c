/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that print facts about wperf, the machine and its events. */
#include "cmd_facts_options.h"

#include "cmd.h"

static const struct option test_options[] = {
        {
                .name = "hardware",
                .kind = OPTION_FLAG,
                .offset = offsetof(struct test_choice, hardware),
                .help = "sample loops whose loads, stores and branches are known with Arm SPE, and compare "
                        "what is seen with what is expected; takes some seconds, and keeps the "
                        "session in wperf-hardware.data; the exit status is 1 if something differs",
        },
        {
                .name = "loop-operations",
                .hidden = true,
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = UINT32_MAX,
                .offset = offsetof(struct test_choice, loop_operations),
                .help = "run each loop of --hardware for about N operations",
        },
        {0},
};

static const struct option_group option_group_test = {"What is tested", test_options};

static const struct command_group test_groups[] = {
        {&option_group_test, offsetof(struct test_options, choice)},
        {&option_group_event, offsetof(struct test_options, event)},
        {&option_group_metric, offsetof(struct test_options, metric)},
        {&option_group_output, offsetof(struct test_options, output)},
        {&option_group_extra, offsetof(struct test_options, extra)},
        {&option_group_machine, offsetof(struct test_options, machine)},
        {&option_group_general, offsetof(struct test_options, general)},
        {0},
};

static const struct example test_examples[] = {
        {"wperf test -e '{inst_spec,vfp_spec},ld_spec' --cpu-model neoverse-n1",
         "show how a Neoverse N1 would count these events"},
        {"wperf test --hardware --json -o hardware.json",
         "check this machine's Arm SPE, and write a report that you can send to the developers"},
        {0},
};

const struct command cmd_test_command = {
        .name = "test",
        .summary = "show what this machine and this program can do",
        .about = "Prints what wperf knows about this machine and its PMUs, and measures nothing, except with "
                 "--hardware. With -e, -m "
                 "or --config, the rows ioctl_events show which events would be counted together. Events "
                 "with an interval are shown as record would sample them.",
        .groups = test_groups,
        .examples = test_examples,
        .options_size = sizeof(struct test_options),
        .run = cmd_test,
};

static const struct command_group version_groups[] = {
        {&option_group_output, offsetof(struct version_options, output)},
        {&option_group_general, offsetof(struct version_options, general)},
        {0},
};

const struct command cmd_version_command = {
        .name = "version",
        .aliases = "--version",
        .summary = "show the versions of wperf and of the kernel or driver",
        .groups = version_groups,
        .options_size = sizeof(struct version_options),
        .run = cmd_version,
};

static const struct example doctor_examples[] = {
        {"wperf doctor", "show what wperf would use here, and what allows more"},
        {0},
};

const struct command cmd_doctor_command = {
        .name = "doctor",
        .summary = "show what wperf would use on this machine, and what allows more",
        .about = "Prints what record would use for a command, for a process that runs, for all processes and "
                 "for the kernel; the settings of the kernel that limit it; and of which functions of Python "
                 "and of libc it knows the names. The last column is the command, or the change, that "
                 "allows more. Measures nothing and changes nothing.",
        .groups = version_groups,
        .examples = doctor_examples,
        .options_size = sizeof(struct version_options),
        .run = cmd_doctor,
};

static const struct command_group list_groups[] = {
        {&option_group_output, offsetof(struct list_options, output)},
        {&option_group_extra, offsetof(struct list_options, extra)},
        {&option_group_machine, offsetof(struct list_options, machine)},
        {&option_group_general, offsetof(struct list_options, general)},
        {0},
};

static const struct absent_option list_absent[] = {
        {"details d", "write -v"},
        {"long-desc", "write -v"},
        {0},
};

static const struct example list_examples[] = {
        {"wperf list -v cache", "list events and metrics with 'cache' in their names, with descriptions"},
        {"wperf list --cpu-model neoverse-v2 'stall_*'", "list the stall events of a Neoverse V2"},
        {0},
};

const struct command cmd_list_command = {
        .name = "list",
        .aliases = "-l",
        .summary = "list events and metrics",
        .args_usage = "[PATTERN]...",
        .about =
                "Lists events, metrics and groups of metrics: all of them, or those whose names match a "
                "PATTERN. A PATTERN is a part of the name, or the whole name with the wildcards * and ?; "
                "case is ignored. The words hw, sw, pmu, metric and metricgroup select all of one kind. With "
                "-v, also shows descriptions, formulas and units, and marks events that the PMU of this "
                "machine does not have.",
        .groups = list_groups,
        .examples = list_examples,
        .absent = list_absent,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
        .args_names = "all",
        .run = cmd_list,
};

static const struct example man_examples[] = {
        {"wperf man ld_spec,l1d_cache_mpki", "explain an event and a metric of this machine"},
        {"wperf man neoverse-v2/retiring", "explain a metric of another CPU"},
        {0},
};

const struct command cmd_man_command = {
        .name = "man",
        .summary = "explain an event, a metric or a group of metrics",
        .args_usage = "[CPU/]NAME[,[CPU/]NAME]...",
        .about =
                "Prints the description, the formula, the unit and the CPUs of each NAME. CPU is a model such as "
                "neoverse-v2; default the CPU of this machine.",
        .groups = list_groups,
        .examples = man_examples,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
        .args_names = "all",
        .run = cmd_man,
};

static const struct command_group detect_groups[] = {
        {&option_group_machine, offsetof(struct detect_options, machine)},
        {&option_group_output, offsetof(struct detect_options, output)},
        {&option_group_general, offsetof(struct detect_options, general)},
        {0},
};

const struct command cmd_detect_command = {
        .name = "detect",
        .summary = "list the PMUs of this machine",
        .about = "Lists the performance monitoring units (PMUs) that the kernel offers, with their types and "
                 "CPUs.",
        .groups = detect_groups,
        .options_size = sizeof(struct detect_options),
        .run = cmd_detect,
};

static const struct option help_options[] = {
        {
                .name = "all",
                .offset = offsetof(struct help_choice, all),
                .help = "show all options of the command, not only the common ones",
        },
        {0},
};

static const struct option_group help_group = {"What is shown", help_options};

static const struct command_group help_groups[] = {
        {&help_group, offsetof(struct help_options, choice)},
        {&option_group_general, offsetof(struct help_options, general)},
        {0},
};

static const struct example help_examples[] = {
        {"wperf help record", "show how record is used, and its common options"},
        {"wperf help record --all", "show all of its options; so does wperf record --all --help"},
        {0},
};

const struct command cmd_help_command = {
        .name = "help",
        .aliases = "--help -h",
        .summary = "show how wperf or one of its commands is used",
        .args_usage = "[COMMAND]",
        .groups = help_groups,
        .examples = help_examples,
        .options_size = sizeof(struct help_options),
        .args = ARGS_OWN,
        .args_names = "commands",
        .run = cmd_help,
};

const struct command cmd_explain_command = {
        .name = "--explain",
        .summary = "show how wperf parses a command line, without running it",
        .args_usage = "LINE...",
        .args = ARGS_RAW,
        .hidden = true,
        .run = cmd_explain,
};

const struct command cmd_man_page_command = {
        .name = "--man",
        .summary = "print a manual page of wperf or of one of its commands",
        .args_usage = "[COMMAND]",
        .groups = help_groups,
        .options_size = sizeof(struct help_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_man_page,
};

const struct command cmd_completion_command = {
        .name = "--completion",
        .summary = "print the completion for a shell",
        .args_usage = "bash|zsh|fish",
        .groups = help_groups,
        .options_size = sizeof(struct help_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_completion,
};

const struct command cmd_names_command = {
        .name = "--names",
        .summary = "print names for the completion, one per line",
        .args_usage = "events|metrics|models|all",
        .groups = list_groups,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_names,
};

const struct command cmd_complete_command = {
        .name = "--complete",
        .summary = "print the possible completions of the last word of a line, for the scripts of the shells",
        .args_usage = "WORD...",
        .args = ARGS_RAW,
        .hidden = true,
        .run = cmd_complete,
};

const struct command cmd_hardware_loops_command = {
        .name = "--hardware-loops",
        .summary = "run the loops that test --hardware samples",
        .args = ARGS_RAW,
        .hidden = true,
        .run = cmd_hardware_loops,
};
