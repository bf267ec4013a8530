/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `stat`. */
#include "stat_options.h"

#include "cmd.h"

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
                .name = "interval-print",
                .letter = 'I',
                .kind = OPTION_U64,
                .arg = "MS",
                .min = 1,
                .max = 86400000,
                .offset = offsetof(struct timeline_options, every_ms),
                .help = "a timeline without pauses, a count every MS milliseconds: -t -i 0 --timeout MSms",
        },
        {
                .name = "output-csv",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct timeline_options, output_csv),
                .help = "the timeline's file; {timestamp}, {class} and {core} are filled in",
        },
        {
                .name = "json-lines",
                .offset = offsetof(struct timeline_options, json_lines),
                .help = "print each count of a timeline as one line of JSON as soon as it is measured",
        },
        {
                .name = "plot",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct timeline_options, plot),
                .help = "write the timeline as a page with a line for each event and metric",
        },
        {0},
};

static const struct option_group timeline_group = {"Timeline", timeline_options};

static const struct option counting_options[] = {
        {
                .name = "repeat",
                .letter = 'r',
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = 1000000,
                .offset = offsetof(struct counting_options, n_runs),
                .help = "run the command N times and show means and standard deviations",
        },
        {
                .name = "dmc",
                .kind = OPTION_U64,
                .arg = "N",
                .max = 255,
                .offset = offsetof(struct counting_options, dmc),
                .help = "count on this memory controller only",
        },
        {
                .name = "session",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct counting_options, session),
                .help = "keep the counts in the session FILE, which report prints again",
        },
        {
                .name = "dry-run",
                .offset = offsetof(struct counting_options, dry_run),
                .help = "print what would be asked of the kernel, without opening anything",
        },
        {
                .name = "strict",
                .offset = offsetof(struct counting_options, strict),
                .help = "exit with 3 when the quality of the measurement is poor",
        },
        {0},
};

static const struct option_group counting_group = {"Counting", counting_options};

static const struct command_group groups[] = {
        {&event_group, offsetof(struct stat_options, event)},
        {&metric_group, offsetof(struct stat_options, metric)},
        {&counting_group, offsetof(struct stat_options, counting)},
        {&timeline_group, offsetof(struct stat_options, timeline)},
        {&target_group, offsetof(struct stat_options, target)},
        {&output_group, offsetof(struct stat_options, output)},
        {&extra_group, offsetof(struct stat_options, extra)},
        {&machine_group, offsetof(struct stat_options, machine)},
        {&general_group, offsetof(struct stat_options, general)},
        {0},
};

static const struct stat_options defaults = {
        .timeline.interval_ns = 60000000000,
        .counting.dmc = UINT64_MAX,
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
        .run = cmd_stat,
};
