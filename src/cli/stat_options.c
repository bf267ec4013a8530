/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `stat`. */
#include "stat_options.h"

static const struct option timeline_options[] = {
        {
                .name = "timeline",
                .letter = 't',
                .offset = offsetof(struct timeline_options, timeline),
                .help = "count again and again",
        },
        {
                .name = "interval",
                .letter = 'i',
                .kind = OPTION_DURATION,
                .max = 1,
                .arg = "DURATION",
                .offset = offsetof(struct timeline_options, interval_ns),
                .help = "pause so long between two counts of a timeline; 0 is allowed, 60 s unless given",
        },
        {
                .name = "count",
                .letter = 'n',
                .kind = OPTION_U64,
                .arg = "N",
                .max = UINT32_MAX,
                .offset = offsetof(struct timeline_options, n_counts),
                .help = "count N times; 0, as when it is not given, is until Ctrl-C",
        },
        {
                .name = "output-csv",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct timeline_options, output_csv),
                .help = "the timeline's file; {timestamp}, {class} and {core} are filled in",
        },
        {
                .name = "dmc",
                .kind = OPTION_U64,
                .arg = "N",
                .max = 255,
                .offset = offsetof(struct timeline_options, dmc),
                .help = "count on this memory controller only",
        },
        {
                .name = "strict",
                .offset = offsetof(struct timeline_options, strict),
                .help = "exit with 3 when the quality of the measurement is poor",
        },
        {0},
};

static const struct option_group timeline_group = {"Counting", timeline_options};

static const struct command_group groups[] = {
        {&event_group, offsetof(struct stat_options, event)},
        {&metric_group, offsetof(struct stat_options, metric)},
        {&timeline_group, offsetof(struct stat_options, timeline)},
        {&target_group, offsetof(struct stat_options, target)},
        {&output_group, offsetof(struct stat_options, output)},
        {&extra_group, offsetof(struct stat_options, extra)},
        {&general_group, offsetof(struct stat_options, general)},
        {0},
};

static const struct stat_options defaults = {
        .timeline.interval_ns = 60000000000,
        .timeline.dmc = UINT64_MAX,
};

static const struct example examples[] = {
        {"wperf stat -m imix -c 1 sleep 3", "count the mix of instructions on CPU 1 for three seconds"},
        {"wperf stat -e cycles,instructions -- ./program", "count two events while a program runs"},
        {0},
};

const struct command command_stat = {
        .name = "stat",
        .summary = "count events and metrics",
        .args_usage = "[[--] COMMAND [ARG]...]",
        .groups = groups,
        .examples = examples,
        .options_size = sizeof(struct stat_options),
        .defaults = &defaults,
        .args = ARGS_COMMAND,
};
