/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of `diff` and `check`. */
#include "cmd_diff_options.h"

#include "cmd.h"
#include "comparison.h"

static const struct option comparing_options[] = {
        {
                .name = "by",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "function line stack handler python",
                .offset = offsetof(struct comparing_options, by),
                .help = "compare by WHAT: function, line (of native functions), stack, handler (of a "
                        "bytecode) or python (function); default python if both sides have Python frames, "
                        "else function; JSON and CSV have functions by default",
        },
        {
                .name = "pair",
                .kind = OPTION_LIST,
                .arg = "FILE=FILE",
                .offset = offsetof(struct comparing_options, pair),
                .help = "of Python functions: compare the first FILE, the end of a path in A, with the second one of B, "
                        "because it was renamed; may be given several times; other files are paired by the longest "
                        "common end of their paths",
        },
        {
                .name = "measure",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "time share count",
                .offset = offsetof(struct comparing_options, measure),
                .help = "decide by time (share of the samples times the CPU time of the run) or by share "
                        "alone, which does not depend on the machine's speed; if one function takes longer, "
                        "the shares of all others shrink; count: compare the event of -e, or all events, in "
                        "sessions of wperf stat; default time",
        },
        {
                .name = "event",
                .letter = 'e',
                .kind = OPTION_STRING,
                .arg = "EVENT",
                .names = "events",
                .offset = offsetof(struct comparing_options, event),
                .help = "compare only the samples of EVENT; default all events that both sides have",
        },
        {
                .name = "find",
                .kind = OPTION_STRING,
                .arg = "PERCENT",
                .offset = offsetof(struct comparing_options, find),
                .help = "say how many more runs would show a change of PERCENT",
        },
        {
                .name = "group-by",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct comparing_options, group_by),
                .help = "sum functions into groups by the rules in FILE, one per line: GROUP PATTERN [MODULE]; "
                        "cpython has rules for the interpreter of CPython 3.8 to 3.15",
        },
        {
                .name = "sample-display-row",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = UINT32_MAX,
                .offset = offsetof(struct comparing_options, rows),
                .help = "show at most N rows of an event; default those that differ, and a few more; JSON and CSV have all rows",
        },
        {
                .name = "csv",
                .offset = offsetof(struct comparing_options, csv),
                .help = "print the rows as comma-separated values",
        },
        {
                .name = "stdio",
                .offset = offsetof(struct comparing_options, stdio),
                .help = "print text even on a terminal, instead of opening the browser",
        },
        {0},
};

static const struct option_group comparing_group = {"Comparison", comparing_options};

static const struct command_group diff_groups[] = {
        {&comparing_group, offsetof(struct diff_options, what)},
        {&diff_code_group, offsetof(struct diff_options, code)},
        {&filter_group, offsetof(struct diff_options, filter)},
        {&lookup_group, offsetof(struct diff_options, lookup)},
        {&lookup_windows_group, offsetof(struct diff_options, lookup)},
        {&color_group, offsetof(struct diff_options, color)},
        {&page_group, offsetof(struct diff_options, page)},
        {&option_group_output, offsetof(struct diff_options, output)},
        {&option_group_general, offsetof(struct diff_options, general)},
        {0},
};

static const struct option_text diff_texts[] = {
        {"output",
         "write the JSON document to FILE, or, if FILE ends in .html, a page with the verdicts, or, if it ends in .svg, "
         "a flame graph of the differences"},
        {0},
};

static const struct example diff_examples[] = {
        {"wperf diff a-*.data -- b-*.data", "compare the runs of two programs by function"},
        {"wperf diff before.data after.data", "compare two single runs, without a verdict"},
        {"wperf diff --by python a-*.data -- b-*.data", "compare Python functions"},
        {"wperf diff --find 2% a-*.data -- b-*.data",
         "also say how many more runs would show a change of 2 %"},
        {"wperf diff -o diff.html --open a-*.data -- b-*.data",
         "write a page with the verdicts and a flame graph of the differences, and open it"},
        {"wperf diff -o diff.svg a-*.data -- b-*.data",
         "draw a flame graph of B, coloured by the difference to A"},
        {"wperf diff --code old/python new/python",
         "count the functions whose machine code a change left alone"},
        {"wperf diff --code -s _PyEval_EvalFrameDefault before.data -- after.data",
         "show the changed blocks of the interpreter's loop with their samples"},
        {0},
};

static const struct absent_option diff_absent[] = {
        {"format f", "write -o NAME.html, -o NAME.svg or --json"},
        {0},
};

const struct command cmd_diff_command = {
        .name = "diff",
        .summary = "compare runs before and after a change",
        .args_usage = "A... -- B...",
        .about =
                "Compares the sessions before -- with those after it. Each session is one run. Differences between "
                "runs of the same side decide whether the difference between the sides is more than chance: of the "
                "rows that are said to differ, at most 5 % do so by chance on average. With one run of a side, "
                "differences are shown without a verdict. wperf record --repeat 5 --vs records such runs. "
                "With --code, A and B are two programs or two sessions, and their machine code is compared. On a "
                "terminal, without --code, the comparison opens in the browser.",
        .groups = diff_groups,
        .examples = diff_examples,
        .absent = diff_absent,
        .texts = diff_texts,
        .options_size = sizeof(struct diff_options),
        .args = ARGS_OWN,
        .run = cmd_diff,
};

static const struct option checking_options[] = {
        {
                .name = "run",
                .offset = offsetof(struct checking_options, runs),
                .help = "record the command after -- repeatedly, until the verdict is clear; with --write-baseline 10 times",
        },
        {
                .name = "vs",
                .kind = OPTION_STRING,
                .arg = "COMMAND",
                .offset = offsetof(struct checking_options, versus),
                .help = "with --run: compare with COMMAND, which runs in turn with the other one, instead of a baseline",
        },
        {
                .name = "max-runs",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 2,
                .max = COMPARISON_MAX_RUNS,
                .offset = offsetof(struct checking_options, max_runs),
                .help = "with --run: run each command at most N times; default 30",
        },
        {
                .name = "max-time",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = offsetof(struct checking_options, max_time_ns),
                .help = "with --run: start no run after DURATION, but run each command 5 times; default no limit",
        },
        {
                .name = "measure",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "time share count",
                .offset = offsetof(struct checking_options, measure),
                .help = "check functions by time or by share of the samples; count: check the event of -e in "
                        "sessions of wperf stat, or with --run count it instead of sampling, where this machine can; "
                        "default time",
        },
        {
                .name = "unclear",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "pass fail",
                .offset = offsetof(struct checking_options, unclear),
                .help = "end with status 0 (pass) or 1 (fail) if a limit is unclear, not with 125",
        },
        {
                .name = "baseline",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, baseline),
                .help = "compare with the runs in FILE, which --write-baseline wrote; then all sessions are B",
        },
        {
                .name = "write-baseline",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, write_baseline),
                .help = "write what the sessions measured to FILE as JSON, and check nothing",
        },
        {
                .name = "max-change",
                .aliases = "limit",
                .kind = OPTION_LIST,
                .arg = "LIMITS",
                .offset = offsetof(struct checking_options, max_change),
                .help = "allow these changes, separated by commas: NAME=PERCENT, where NAME is total (CPU time), "
                        "elapsed, user, kernel, event:EVENT, group:GROUP, or a pattern of function names such as "
                        "json_*, whose functions are added up; PERCENT alone is total=PERCENT; default total=5%",
        },
        {
                .name = "markdown",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, markdown),
                .help = "also write a summary for a pull request to FILE",
        },
        {
                .name = "annotations",
                .kind = OPTION_STRING,
                .arg = "SERVICE",
                .values = "github gitlab",
                .offset = offsetof(struct checking_options, annotations),
                .help = "github: print a workflow command for each limit; gitlab: write gl-code-quality-report.json",
        },
        {
                .name = "junit",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, junit),
                .help = "also write the verdicts to FILE as JUnit's XML",
        },
        {
                .name = "html",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, html),
                .help = "also write the page of wperf diff -o FILE.html, unless A is a baseline",
        },
        {
                .name = "event",
                .letter = 'e',
                .kind = OPTION_STRING,
                .arg = "EVENT",
                .names = "events",
                .offset = offsetof(struct checking_options, event),
                .help = "check functions and groups by the samples of EVENT; default the first with samples",
        },
        {
                .name = "group-by",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct checking_options, group_by),
                .help = "define the groups of --max-change group:GROUP=PERCENT, as in wperf diff; cpython has "
                        "rules for CPython",
        },
        {0},
};

static const struct option_group checking_group = {"Check", checking_options};

static const struct command_group check_groups[] = {
        {&checking_group, offsetof(struct check_options, what)},
        {&filter_group, offsetof(struct check_options, filter)},
        {&lookup_group, offsetof(struct check_options, lookup)},
        {&option_group_output, offsetof(struct check_options, output)},
        {&option_group_general, offsetof(struct check_options, general)},
        {0},
};

static const struct example check_examples[] = {
        {"wperf check --write-baseline base.json -- a-*.data",
         "keep what the runs measured, without the sessions"},
        {"wperf check --baseline base.json --max-change 'total=3%,json_*=10%' -- b-*.data",
         "fail if the program became more than 3 % slower, or its JSON functions more than 10 %"},
        {"wperf check --max-change total=3% a-*.data -- b-*.data", "compare two groups of sessions"},
        {"wperf check --run --baseline base.json -- ./bench", "record ./bench as often as the verdict needs"},
        {"wperf check --run --vs ./old-bench --max-time 60s -- ./bench",
         "run two programs in turn, for about a minute"},
        {0},
};

static const struct absent_option check_absent[] = {
        {"repeat n",
         "--run runs COMMAND until the verdict stands: limit it with --max-runs N or --max-time 60s"},
        {0},
};

const struct command cmd_check_command = {
        .name = "check",
        .summary = "check that a program did not become slower",
        .args_usage = "[A.data... --] B.data... | --run -- COMMAND...",
        .about =
                "Compares runs with a baseline or with other runs, and decides for each limit whether the change is "
                "shown to be within it, shown to be above it, or unclear. The exit status is 0 if all are within, 1 "
                "if one is above, and 125 if one is unclear and none is above, or if wperf itself fails; so git "
                "bisect run can use it, which skips commits with 125. The probability that any limit is judged "
                "wrongly is at most 5 %.",
        .groups = check_groups,
        .examples = check_examples,
        .absent = check_absent,
        .options_size = sizeof(struct check_options),
        .args = ARGS_OWN,
        .usage_status = EXIT_FAILED_COMMAND,
        .run = cmd_check,
};
