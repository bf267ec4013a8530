/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the options that several commands share, and the perf spellings that they are mistaken for. */
#include "option_groups.h"

#include <string.h>

#include "sort_keys.h"

static bool looks_like_cpus(const char *value)
{
        return value && *value && strspn(value, "0123456789,-") == strlen(value);
}

static const struct misreading cpus_as_file = {
        looks_like_cpus,
        "'%s' is no file of metrics; to choose CPUs write -c %s",
};

static const struct misreading keys_as_symbol = {
        sort_keys_are,
        "to sort write --sort %s; for the symbol of that name write -s '^%s$'",
};

static const struct option general_options[] = {
        {
                .name = "help",
                .letter = 'h',
                .offset = offsetof(struct general_options, help),
                .help = "show this help",
        },
        {
                .name = "verbose",
                .brief = "say more",
                .letter = 'v',
                .offset = offsetof(struct general_options, verbose),
                .help = "say more, on the screen and in JSON",
        },
        {
                .name = "quiet",
                .brief = "print no text",
                .letter = 'q',
                .offset = offsetof(struct general_options, quiet),
                .help = "print no text, only what goes to files and errors",
        },
        {
                .name = "force-lock",
                .offset = offsetof(struct general_options, force_lock),
                .help = "take the driver from another wperf; without effect on Linux, which has no such lock",
        },
        {
                .name = "cpu-model",
                .kind = OPTION_STRING,
                .arg = "MODEL",
                .names = "models",
                .offset = offsetof(struct general_options, cpu_model),
                .help = "answer for a machine with cores of MODEL, such as neoverse-v2; what reads a session "
                        "takes the machine from there",
        },
        {0},
};

const struct option_group option_group_general = {"General", general_options};

static const struct option output_options[] = {
        {
                .name = "json",
                .brief = "print one JSON document and nothing else",
                .offset = offsetof(struct output_options, json),
                .help = "print one JSON document on standard output and nothing else",
        },
        {
                .name = "json-extended",
                .offset = offsetof(struct output_options, json_extended),
                .also_offset = offsetof(struct output_options, json),
                .help = "print the JSON document with keys that WindowsPerf's schemas do not allow: shares, "
                        "95 % intervals, source text, hits of each instruction, the quality of a timeline",
        },
        {
                .name = "output",
                .brief = "write to FILE: the session, or the document",
                .letter = 'o',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct output_options, output),
                .help = "write to FILE: the session of record and sample, unless FILE ends in .json or "
                        "--json is there; else the JSON document",
        },
        {
                .name = "output-prefix",
                .aliases = "cwd",
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct output_options, output_prefix),
                .help = "put output files into the folder DIR",
        },
        {0},
};

const struct option_group option_group_output = {"Output", output_options};

static const struct option event_options[] = {
        {
                .name = "event",
                .brief = "what to measure: NAME[:MODIFIERS][:INTERVAL],...",
                .letter = 'e',
                .kind = OPTION_LIST,
                .arg = "EVENTS",
                .names = "events",
                .offset = offsetof(struct event_options, events),
                .help = "what to measure: NAME[:MODIFIERS][:INTERVAL],...",
        },
        {
                .name = "kernel",
                .brief = "measure the kernel too",
                .letter = 'k',
                .offset = offsetof(struct event_options, kernel),
                .help = "measure the kernel too",
        },
        {0},
};

const struct option_group option_group_event = {"Events", event_options};

static const struct option extra_options[] = {
        {
                .name = "extra-events",
                .letter = 'E',
                .kind = OPTION_LIST,
                .arg = "FILE|NAME:0xNN,...",
                .offset = offsetof(struct extra_options, extra_events),
                .help = "name more events, in a file or directly",
        },
        {
                .name = "metrics-file",
                .letter = 'C',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct extra_options, metrics_file),
                .misreading = &cpus_as_file,
                .help = "read more metrics from FILE, one METRIC:EVENTS a line",
        },
        {0},
};

const struct option_group option_group_extra = {"More events and metrics", extra_options};

static const struct option machine_options[] = {
        {
                .name = "sysfs",
                .hidden = true,
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct machine_options, sysfs),
                .help = "answer for the machine whose /sys is copied to DIR",
        },
        {0},
};

const struct option_group option_group_machine = {"Machine", machine_options};

static const struct option target_options[] = {
        {
                .name = "cpu",
                .brief = "measure on these CPUs: 0,2,4-7",
                .letter = 'c',
                .kind = OPTION_CPUS,
                .arg = "CPUS",
                .offset = offsetof(struct target_options, cpus),
                .help = "measure on these CPUs: 0,2,4-7",
        },
        {
                .name = "pid",
                .brief = "measure these running processes",
                .letter = 'p',
                .kind = OPTION_NUMBERS,
                .arg = "PIDS",
                .min = 1,
                .max = UINT32_MAX,
                .offset = offsetof(struct target_options, pids),
                .help = "measure these running processes",
        },
        {
                .name = "all-cpus",
                .brief = "measure everything that runs",
                .letter = 'a',
                .offset = offsetof(struct target_options, all_cpus),
                .help = "measure everything that runs, on all CPUs",
        },
        {
                .name = "timeout",
                .brief = "end after 10, 500ms, 2m; sleep 10 is the same",
                .word = "sleep",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = offsetof(struct target_options, timeout_ns),
                .help = "end after DURATION: a number and ms, s, m, h or d, seconds without a unit",
        },
        {
                .name = "pe_file",
                .aliases = "pe-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pe_file),
                .help = "the program that is looked for among the running ones, and its symbols",
        },
        {
                .name = "image_name",
                .aliases = "image-name",
                .kind = OPTION_STRING,
                .arg = "NAME",
                .offset = offsetof(struct target_options, image_name),
                .help = "the program's name where it is not that of --pe_file",
        },
        {
                .name = "pdb_file",
                .aliases = "pdb-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pdb_file),
                .help = "the program's debug information where it is not beside it",
        },
        {
                .name = "record_spawn_delay",
                .aliases = "record-spawn-delay delay",
                .letter = 'D',
                .kind = OPTION_U64,
                .arg = "MS",
                .max = 3600000,
                .or_minus_one = true,
                .offset = offsetof(struct target_options, spawn_delay_ms),
                .help = "measure only MS milliseconds after the program began; 0 unless given, -1 waits for the "
                        "word enable of --control",
        },
        {
                .name = "control",
                .kind = OPTION_STRING,
                .arg = "fifo:CTL[,ACK]|fd:CTL[,ACK]",
                .offset = offsetof(struct target_options, control),
                .help = "obey another program, which writes enable, disable, ping, evlist or stop, a line each, to the FIFO or "
                        "descriptor CTL; each is answered with ack on ACK",
        },
        {0},
};

const struct option_group option_group_target = {"Where and how long", target_options};

static const struct option display_options[] = {
        {
                .name = "sample-display-row",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = UINT32_MAX,
                .offset = offsetof(struct display_options, rows),
                .help = "show at most N rows of each table; default 50, of Python functions 10",
        },
        {
                .name = "sample-display-long",
                .offset = offsetof(struct display_options, long_names),
                .help = "show names in their long form: arguments, decoration, all template arguments, clones of a function (f.cold) "
                        "apart, nothing cut",
        },
        {
                .name = "symbol",
                .brief = "show only symbols that match",
                .letter = 's',
                .kind = OPTION_STRING,
                .arg = "PATTERN",
                .names = "symbols",
                .offset = offsetof(struct display_options, symbol),
                .misreading = &keys_as_symbol,
                .help = "show only symbols that match: NAME, NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or ^NAME$, in any case; with "
                        "-g the ways through them, with -g callee their callers",
        },
        {
                .name = "annotate",
                .brief = "show source lines of the hot symbols",
                .offset = offsetof(struct display_options, annotate),
                .help = "show the source lines of the hot symbols",
        },
        {
                .name = "disassemble",
                .brief = "show instructions too",
                .offset = offsetof(struct display_options, disassemble),
                .help = "show the instructions too; implies --annotate",
        },
        {
                .name = "strict",
                .offset = offsetof(struct display_options, strict),
                .help = "exit with 3 when the quality of the measurement is poor",
        },
        {0},
};

const struct option_group option_group_display = {"Results", display_options};

static const struct option input_options[] = {
        {
                .name = "input",
                .brief = "read the session FILE (report, annotate, ...)",
                .letter = 'i',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct input_options, input),
                .help = "read the session FILE, '-' for standard input; wperf.data, else perf.data, unless given",
        },
        {
                .name = "force",
                .letter = 'f',
                .offset = offsetof(struct input_options, force),
                .help = "as root, read a session of another user, perf maps and jitdumps of any user, and source files that "
                        "not all users may read",
        },
        {0},
};

const struct option_group option_group_input = {"Input", input_options};

static const struct option metric_options[] = {
        {
                .name = "metrics",
                .brief = "count metrics, as in -m imix (stat)",
                .letter = 'm',
                .kind = OPTION_LIST,
                .arg = "METRICS",
                .names = "metrics",
                .offset = offsetof(struct metric_options, metrics),
                .help = "count what these metrics or groups of metrics need",
        },
        {
                .name = "config",
                .kind = OPTION_LIST,
                .arg = "KEY=VALUE",
                .offset = offsetof(struct metric_options, config),
                .help = "set count.period, the milliseconds between two changes of counters, 10 to 100",
        },
        {0},
};

const struct option_group option_group_metric = {"Metrics", metric_options};
