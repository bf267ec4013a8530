/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `stat`. */
#include "cmd_stat_options.h"

#include "cmd.h"

static const struct option timeline_options[] = {
        {
                .name = "timeline",
                .letter = 't',
                .offset = offsetof(struct timeline_options, timeline),
                .help = "count repeatedly: print a row of counts for each interval",
        },
        {
                .name = "interval",
                .letter = 'i',
                .kind = OPTION_DURATION,
                .max = 1,
                .arg = "DURATION",
                .offset = offsetof(struct timeline_options, interval_ns),
                .help = "wait DURATION between two counts of a timeline; 0 means no wait; default 60 s",
        },
        {
                .name = "count",
                .aliases = "interval-count",
                .letter = 'n',
                .kind = OPTION_U64,
                .arg = "N",
                .max = UINT32_MAX,
                .offset = offsetof(struct timeline_options, n_counts),
                .help = "count N times; default 0, which means until Ctrl-C",
        },
        {
                .name = "interval-print",
                .brief = "print counts every MS milliseconds (stat)",
                .letter = 'I',
                .kind = OPTION_U64,
                .arg = "MS",
                .min = 1,
                .max = 86400000,
                .offset = offsetof(struct timeline_options, every_ms),
                .help = "print a row for each event every MS milliseconds, without a wait between counts, "
                        "until the command ends or --timeout expires",
        },
        {
                .name = "output-csv",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct timeline_options, output_csv),
                .help = "write the timeline to FILE as CSV; in the name, {timestamp}, {class} and {core} are "
                        "replaced by the start time, the kind of events and the CPU",
        },
        {
                .name = "json-lines",
                .offset = offsetof(struct timeline_options, json_lines),
                .help = "print each count of a timeline as one line of JSON, as soon as it is measured",
        },
        {
                .name = "plot",
                .aliases = "html",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct timeline_options, plot),
                .help = "write the timeline to FILE as an HTML page with a line for each event and metric",
        },
        {0},
};

static const struct option_group timeline_group = {"Timeline", timeline_options};

static const struct option row_options[] = {
        {
                .name = "field-separator",
                .letter = 'x',
                .kind = OPTION_STRING,
                .arg = "SEPARATOR",
                .offset = offsetof(struct row_options, separator),
                .help = "print a line for each event, with the fields of perf stat -x separated by "
                        "SEPARATOR, to standard error or to the file of -o; \\t means a tab",
        },
        {
                .name = "no-aggr",
                .letter = 'A',
                .offset = offsetof(struct row_options, no_aggr),
                .help = "with -I and -x, print a row for each CPU instead of the sum of all CPUs",
        },
        {
                .name = "no-big-num",
                .offset = offsetof(struct row_options, no_big_num),
                .help = "print numbers without thousands separators",
        },
        {
                .name = "big-num",
                .letter = 'B',
                .hidden = true,
                .offset = offsetof(struct row_options, big_num),
                .help = "print numbers with thousands separators (default)",
        },
        {0},
};

static const struct option_group row_group = {"Rows", row_options};

static const struct option counting_options[] = {
        {
                .name = "detailed",
                .letter = 'd',
                .kind = OPTION_TIMES,
                .offset = offsetof(struct counting_options, detail),
                .help = "also count events of the L1 data cache and the last-level cache; -dd adds the L1 "
                        "instruction cache and the TLBs, -ddd adds prefetches",
        },
        {
                .name = "repeat",
                .brief = "run the command N times (stat)",
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
                .help = "count events of memory controllers (DMC) on controller N only; default all",
        },
        {
                .name = "session",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct counting_options, session),
                .help = "also write the counts to the session FILE, which 'wperf report -i FILE' prints",
        },
        {
                .name = "dry-run",
                .offset = offsetof(struct counting_options, dry_run),
                .help = "print which events would be counted, and how; count nothing",
        },
        {
                .name = "strict",
                .offset = offsetof(struct counting_options, strict),
                .help = "exit with status 3 if the quality of the measurement is poor",
        },
        {0},
};

static const struct option_group counting_group = {"Counting", counting_options};

static const struct command_group groups[] = {
        {&option_group_event, offsetof(struct stat_options, event)},
        {&option_group_metric, offsetof(struct stat_options, metric)},
        {&counting_group, offsetof(struct stat_options, counting)},
        {&timeline_group, offsetof(struct stat_options, timeline)},
        {&row_group, offsetof(struct stat_options, rows)},
        {&option_group_target, offsetof(struct stat_options, target)},
        {&option_group_output, offsetof(struct stat_options, output)},
        {&option_group_extra, offsetof(struct stat_options, extra)},
        {&option_group_machine, offsetof(struct stat_options, machine)},
        {&option_group_general, offsetof(struct stat_options, general)},
        {0},
};

static const struct stat_options defaults = {
        .timeline.interval_ns = 60000000000,
        .counting.dmc = UINT64_MAX,
};

static const struct absent_option absent[] = {
        {"per-core per-socket per-die per-node per-cache per-cluster percore-show-thread",
         "counts are shown for each CPU and as a sum; choose CPUs with -c 0-3"},
        {"per-thread tid", "the threads of a process are counted together; write -p PID"},
        {"no-inherit", "threads and children of a command are always counted"},
        {"append", "write -x, -o - >> FILE to add to a file"},
        {"log-fd", "write -x, -o /dev/fd/N"},
        {"j json-output", "write --json, or --json-lines for one line of JSON per count of a timeline"},
        {"M metrics-list", "write -m METRICS; 'wperf list' shows their names"},
        {"topdown td-level T "
         "transaction smi-cost "
         "iostat",
         "write -m METRICS; 'wperf list' shows their names"},
        {"metric-only metric-no-group metric-no-merge no-merge hybrid-merge",
         "metrics are printed after the events they need"},
        {"null", "write -e task-clock to measure only times"},
        {"S sync pre post table", "run a script that does this: wperf stat -- sh -c '...; ./program; ...'"},
        {"for-each-cgroup", "count one control group in each run: --cgroup GROUP"},
        {"all-user", "write the modifier :u behind the events"},
        {"all-kernel", "write the modifier :k behind the events"},
        {"no-scale scale", "values of events that shared a counter are shown both as they are and scaled"},
        {"summary no-csv-summary interval-clear",
         "write --session FILE; 'wperf report -i FILE' prints the counts again"},
        {"cputype", "write PMU/EVENT/ to count on the cores of one kind"},
        {0},
};

static const struct option_text texts[] = {
        {"output", "write the JSON document to FILE; with -t or -x, the CSV"},
        {0},
};

static const struct example examples[] = {
        {"wperf stat -- ./program",
         "count what a program uses: time, switches, faults, and cycles where they can be counted"},
        {"wperf stat -e cycles,instructions -- ./program", "count two events while a program runs"},
        {"wperf stat -m imix -c 1 sleep 3", "count the mix of instructions on CPU 1 for three seconds"},
        {0},
};

const struct command cmd_stat_command = {
        .name = "stat",
        .summary = "count events and metrics",
        .args_usage = "[[--] COMMAND [ARG]...]",
        .about =
                "Counts events and prints their numbers: while COMMAND runs, or in running processes (-p), on "
                "CPUs (-c) or on the whole machine (-a) until --timeout expires or you type Ctrl-C. "
                "A file NAME.py as COMMAND runs as python3 NAME.py, unless it is executable and begins with #!. "
                "With -m, also prints metrics that are computed from the counts. With -t or -I, counts again "
                "and again and prints a row for each interval.",
        .groups = groups,
        .examples = examples,
        .absent = absent,
        .texts = texts,
        .common =
                "event metrics detailed repeat timeout pid all-cpus cpu interval-print kernel output json help",
        .options_size = sizeof(struct stat_options),
        .defaults = &defaults,
        .args = ARGS_COMMAND,
        .run = cmd_stat,
};
