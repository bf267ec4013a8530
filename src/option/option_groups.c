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
                .help = "print more details, as text and in JSON",
        },
        {
                .name = "quiet",
                .brief = "print no text",
                .letter = 'q',
                .offset = offsetof(struct general_options, quiet),
                .help = "print nothing but errors; files are still written",
        },
        {
                .name = "force-lock",
                .offset = offsetof(struct general_options, force_lock),
                .help = "take the driver from another wperf; no effect on Linux, which has no such lock",
        },
        {
                .name = "cpu-model",
                .kind = OPTION_STRING,
                .arg = "MODEL",
                .names = "models",
                .offset = offsetof(struct general_options, cpu_model),
                .help = "assume a machine with cores of MODEL, such as neoverse-v2; commands that read a "
                        "session take the machine from the session",
        },
        {0},
};

const struct option_group option_group_general = {"General", general_options};

static const struct option output_options[] = {
        {
                .name = "json",
                .brief = "print one JSON document and nothing else",
                .offset = offsetof(struct output_options, json),
                .help = "print one JSON document to standard output, and nothing else",
        },
        {
                .name = "json-extended",
                .offset = offsetof(struct output_options, json_extended),
                .also_offset = offsetof(struct output_options, json),
                .help = "print the JSON document with keys that WindowsPerf's schemas do not allow: "
                        "shares, 95 % intervals, source text, hits of each instruction, quality of a "
                        "timeline",
        },
        {
                .name = "output",
                .brief = "write to FILE: the session, or the document",
                .letter = 'o',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct output_options, output),
                .help = "write to FILE: for record and sample the session, unless FILE ends in .json or "
                        "--json is given; otherwise the JSON document",
        },
        {
                .name = "output-prefix",
                .aliases = "cwd",
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct output_options, output_prefix),
                .help = "write output files to the folder DIR",
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
                .help = "measure these events: NAME[:MODIFIERS][:INTERVAL],...",
        },
        {
                .name = "kernel",
                .brief = "measure the kernel too",
                .letter = 'k',
                .offset = offsetof(struct event_options, kernel),
                .help = "measure the kernel, too",
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
                .help = "define more events, in a file or directly",
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
                .help = "assume the machine whose /sys is copied to DIR",
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
                .help = "measure all processes, on all CPUs",
        },
        {
                .name = "timeout",
                .brief = "end after 10, 500ms, 2m; sleep 10 is the same",
                .word = "sleep",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = offsetof(struct target_options, timeout_ns),
                .help = "stop after DURATION: a number and ms, s, m, h or d; default unit s",
        },
        {
                .name = "pe_file",
                .aliases = "pe-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pe_file),
                .help = "sample the running program with this file, and read symbols from it",
        },
        {
                .name = "image_name",
                .aliases = "image-name",
                .kind = OPTION_STRING,
                .arg = "NAME",
                .offset = offsetof(struct target_options, image_name),
                .help = "the name of the running program, if it differs from that of --pe_file",
        },
        {
                .name = "pdb_file",
                .aliases = "pdb-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pdb_file),
                .help = "read the program's debug information from FILE; default beside the program",
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
                .help = "wait MS milliseconds after the program starts, then measure; default 0; -1 "
                        "waits for enable from --control",
        },
        {
                .name = "control",
                .kind = OPTION_STRING,
                .arg = "fifo:CTL[,ACK]|fd:CTL[,ACK]",
                .offset = offsetof(struct target_options, control),
                .help = "take commands from the FIFO or descriptor CTL, one a line: enable, disable, "
                        "ping, evlist or stop; answer each with ack on ACK",
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
                .help = "show long names, uncut: with arguments, decoration and all template arguments; "
                        "list clones of a function (f.cold) separately",
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
                .help = "show only matching symbols: NAME, NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or ^NAME$, "
                        "ignoring case; with -g, the call paths through them; with -g callee, their "
                        "callers",
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
                .help = "also show the instructions; implies --annotate",
        },
        {
                .name = "strict",
                .offset = offsetof(struct display_options, strict),
                .help = "exit with status 3 if the quality of the measurement is poor",
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
                .help = "read the session FILE, '-' for standard input; default wperf.data, else "
                        "perf.data",
        },
        {
                .name = "force",
                .letter = 'f',
                .offset = offsetof(struct input_options, force),
                .help = "as root, read sessions, perf maps and jitdumps of other users, and source files "
                        "that not everyone may read",
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
                .help = "count the events of these metrics or groups of metrics",
        },
        {
                .name = "config",
                .kind = OPTION_LIST,
                .arg = "KEY=VALUE",
                .offset = offsetof(struct metric_options, config),
                .help = "set count.period: multiplex events every so many milliseconds, 10 to 100",
        },
        {0},
};

const struct option_group option_group_metric = {"Metrics", metric_options};
