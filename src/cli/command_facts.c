/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that tell facts about wperf, the machine and its events. */
#include "command_facts.h"

#include "cmd.h"

static const struct command_group test_groups[] = {
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
         "how a Neoverse N1 would count these events, without counting"},
        {0},
};

const struct command command_test = {
        .name = "test",
        .summary = "show what this machine and this program can do",
        .about = "Prints what is known of the machine, and measures nothing. With -e, -m or --config, the "
                 "rows ioctl_events show which events would be counted together. Events with an interval, "
                 "as for record, are shown as they would be sampled.",
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

const struct command command_version = {
        .name = "version",
        .aliases = "--version",
        .summary = "show the versions of wperf and of what it measures with",
        .groups = version_groups,
        .options_size = sizeof(struct version_options),
        .run = cmd_version,
};

static const struct command_group list_groups[] = {
        {&option_group_output, offsetof(struct list_options, output)},
        {&option_group_extra, offsetof(struct list_options, extra)},
        {&option_group_machine, offsetof(struct list_options, machine)},
        {&option_group_general, offsetof(struct list_options, general)},
        {0},
};

static const struct example list_examples[] = {
        {"wperf list -v cache", "what has 'cache' in its name, with descriptions"},
        {"wperf list --cpu-model neoverse-v2 'stall_*'", "what a Neoverse V2 has"},
        {0},
};

const struct command command_list = {
        .name = "list",
        .aliases = "-l",
        .summary = "list events and metrics",
        .args_usage = "[PATTERN]...",
        .about =
                "Lists events, metrics and groups of metrics, all or those that a PATTERN names: a part of "
                "the name, or all of it with * and ?, in any case; hw, sw, pmu, metric and metricgroup stand "
                "for all of a kind. With -v, descriptions, formulas and units, and which events this "
                "machine's PMU does not have.",
        .groups = list_groups,
        .examples = list_examples,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
        .args_names = "all",
        .run = cmd_list,
};

static const struct example man_examples[] = {
        {"wperf man ld_spec,l1d_cache_mpki", "an event and a metric of this machine"},
        {"wperf man neoverse-v2/retiring", "a metric of another CPU"},
        {0},
};

const struct command command_man = {
        .name = "man",
        .summary = "explain an event, a metric or a group of metrics",
        .args_usage = "[CPU/]NAME[,[CPU/]NAME]...",
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

const struct command command_detect = {
        .name = "detect",
        .summary = "list the devices that can measure",
        .groups = detect_groups,
        .options_size = sizeof(struct detect_options),
        .run = cmd_detect,
};

static const struct command_group help_groups[] = {
        {&option_group_general, offsetof(struct version_options, general)},
        {0},
};

const struct command command_help = {
        .name = "help",
        .aliases = "--help -h",
        .summary = "show how wperf or one of its commands is used",
        .args_usage = "[COMMAND]",
        .groups = help_groups,
        .options_size = sizeof(struct version_options),
        .args = ARGS_OWN,
        .args_names = "commands",
        .run = cmd_help,
};

const struct command command_explain = {
        .name = "--explain",
        .summary = "show how a command line is understood, without running it",
        .args_usage = "LINE...",
        .args = ARGS_RAW,
        .hidden = true,
        .run = cmd_explain,
};

const struct command command_man_page = {
        .name = "--man",
        .summary = "print a manual page of wperf or of one of its commands",
        .args_usage = "[COMMAND]",
        .groups = help_groups,
        .options_size = sizeof(struct version_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_man_page,
};

const struct command command_completion = {
        .name = "--completion",
        .summary = "print the completion for a shell",
        .args_usage = "bash|zsh|fish",
        .groups = help_groups,
        .options_size = sizeof(struct version_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_completion,
};

const struct command command_names = {
        .name = "--names",
        .summary = "print names for the completion, one a line",
        .args_usage = "events|metrics|models|all",
        .groups = list_groups,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_names,
};

const struct command command_complete = {
        .name = "--complete",
        .summary = "print what the last word of an unfinished line may become, for the scripts of the shells",
        .args_usage = "WORD...",
        .args = ARGS_RAW,
        .hidden = true,
        .run = cmd_complete,
};
