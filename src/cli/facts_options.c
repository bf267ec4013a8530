/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that tell facts about wperf, the machine and its events. */
#include "facts_options.h"

#include "cmd.h"

static const struct command_group test_groups[] = {
        {&event_group, offsetof(struct test_options, event)},
        {&metric_group, offsetof(struct test_options, metric)},
        {&output_group, offsetof(struct test_options, output)},
        {&extra_group, offsetof(struct test_options, extra)},
        {&general_group, offsetof(struct test_options, general)},
        {0},
};

const struct command command_test = {
        .name = "test",
        .summary = "show what this machine and this program can do",
        .groups = test_groups,
        .options_size = sizeof(struct test_options),
        .run = cmd_test,
};

static const struct command_group version_groups[] = {
        {&output_group, offsetof(struct version_options, output)},
        {&general_group, offsetof(struct version_options, general)},
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
        {&output_group, offsetof(struct list_options, output)},
        {&extra_group, offsetof(struct list_options, extra)},
        {&general_group, offsetof(struct list_options, general)},
        {0},
};

const struct command command_list = {
        .name = "list",
        .aliases = "-l",
        .summary = "list events and metrics",
        .args_usage = "[PATTERN]...",
        .groups = list_groups,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
};

const struct command command_man = {
        .name = "man",
        .summary = "explain an event, a metric or a group of metrics",
        .args_usage = "[CPU/]NAME...",
        .groups = list_groups,
        .options_size = sizeof(struct list_options),
        .args = ARGS_OWN,
};

const struct command command_detect = {
        .name = "detect",
        .summary = "list the devices that can measure",
        .groups = version_groups,
        .options_size = sizeof(struct version_options),
};

static const struct command_group help_groups[] = {
        {&general_group, offsetof(struct version_options, general)},
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
        .args_usage = "bash",
        .groups = help_groups,
        .options_size = sizeof(struct version_options),
        .args = ARGS_OWN,
        .hidden = true,
        .run = cmd_completion,
};
