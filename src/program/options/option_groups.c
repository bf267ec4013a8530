/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the options that several commands share, and perf's options with the same spelling but another
 * meaning. */
#include "option_groups.h"

#include <ctype.h>
#include <string.h>

#include "sort_keys.h"

static bool looks_like_cpus(const char *value)
{
        return value && *value && strspn(value, "0123456789,-") == strlen(value);
}

static const struct misreading cpus_as_file = {
        looks_like_cpus,
        "-C reads a file of metrics, not '%s'; to choose CPUs write -c %s",
};

static bool looks_like_program(const char *value)
{
        return isalpha((unsigned char)*value);
}

const struct misreading option_group_pid_misreading = {
        looks_like_program,
        "-p takes PIDs; for the processes of a name write --comm %s",
};

static const struct misreading keys_as_symbol = {
        sort_keys_are,
        "-s shows matching symbols; to sort write --sort %s; to show the symbol of this name write -s '^%s$'",
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
                .letter = 'q',
                .offset = offsetof(struct general_options, quiet),
                .help = "print nothing but errors; files are still written",
        },
        {
                .name = "force-lock",
                .offset = offsetof(struct general_options, force_lock),
                .help = "Windows: take the driver from another running wperf; accepted and ignored on Linux",
        },
        {
                .name = "cpu-model",
                .kind = OPTION_STRING,
                .arg = "MODEL",
                .names = "models",
                .offset = offsetof(struct general_options, cpu_model),
                .help = "assume a machine with cores of MODEL, such as neoverse-v2; record and stat also need "
                        "--dry-run; commands that read a session ignore it",
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
                .help = "like --json, but add keys that WindowsPerf's schemas do not allow: shares, 95 % "
                        "confidence intervals, source text, samples of each instruction, quality of a "
                        "timeline",
        },
        {
                .name = "output",
                .brief = "write to FILE: the session, or the document",
                .letter = 'o',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct output_options, output),
                .help = "write the JSON document to FILE",
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
                .help = "measure EVENTS: NAME[:MODIFIERS][:INTERVAL],...; modifiers are perf's, such as u "
                        "(user code only) or k (kernel only); INTERVAL is the number of events between two "
                        "samples",
        },
        {
                .name = "kernel",
                .brief = "measure the kernel too",
                .letter = 'k',
                .offset = offsetof(struct event_options, kernel),
                .help = "measure the kernel too; default user code only",
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
                .help = "define more events: read them from FILE, or give NAME and the event number 0xNN here",
        },
        {
                .name = "metrics-file",
                .letter = 'C',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct extra_options, metrics_file),
                .misreading = &cpus_as_file,
                .help = "read more metrics from FILE; each line is METRIC:EVENTS",
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
                .help = "assume the machine whose /sys was copied to DIR",
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
                .misreading = &option_group_pid_misreading,
                .offset = offsetof(struct target_options, pids),
                .help = "measure these running processes, and the children that they start; PIDS are "
                        "separated by commas, blanks or line ends, so that -p \"$(pgrep x)\" works",
        },
        {
                .name = "comm",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = offsetof(struct target_options, comm),
                .help = "measure the running processes that are called NAMES, as ps -o comm prints them, and "
                        "Pythons that run a script NAMES, such as app.py; not on Windows",
        },
        {
                .name = "cgroup",
                .letter = 'G',
                .kind = OPTION_FILE,
                .arg = "GROUP",
                .offset = offsetof(struct target_options, cgroup),
                .help = "measure the processes of the control group GROUP and of those below it: a path as "
                        "systemd-cgls prints it (system.slice/nginx.service); needs the rights of -a; not on "
                        "Windows",
        },
        {
                .name = "subprocesses",
                .offset = offsetof(struct target_options, subprocesses),
                .help = "with -p, PIDs or names of processes: measure their children that run already, too",
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
                .aliases = "duration",
                .brief = "stop after 10 (seconds), 500ms or 2m; or write sleep 10",
                .word = "sleep",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = offsetof(struct target_options, timeout_ns),
                .help = "stop after DURATION: a number and a unit, ms, s, m, h or d; default unit s",
        },
        {
                .name = "pe_file",
                .aliases = "pe-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pe_file),
                .help = "measure the running program whose executable is FILE, and read symbols from FILE",
        },
        {
                .name = "image_name",
                .aliases = "image-name",
                .kind = OPTION_STRING,
                .arg = "NAME",
                .offset = offsetof(struct target_options, image_name),
                .help = "look for a running program called NAME; default the name of the file of --pe_file",
        },
        {
                .name = "pdb_file",
                .aliases = "pdb-file",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct target_options, pdb_file),
                .help = "read the program's debug information from FILE; default the PDB file beside the "
                        "program",
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
                .help = "wait MS milliseconds after the program starts, then measure; default 0; -1 waits "
                        "for the command enable of --control",
        },
        {
                .name = "control",
                .kind = OPTION_STRING,
                .arg = "fifo:CTL[,ACK]|fd:CTL[,ACK]",
                .offset = offsetof(struct target_options, control),
                .help = "read commands from the FIFO or file descriptor CTL, one per line: enable, disable, "
                        "ping, evlist or stop; write ack to ACK after each command",
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
                .help = "show at most N rows of each table; default 50, or 10 for the table of Python "
                        "functions",
        },
        {
                .name = "sample-display-long",
                .offset = offsetof(struct display_options, long_names),
                .help = "show full names: with arguments, decoration and all template arguments; list clones "
                        "of a function (such as f.cold) separately",
        },
        {
                .name = "symbol",
                .brief = "show only symbols that match PATTERN",
                .letter = 's',
                .kind = OPTION_STRING,
                .arg = "PATTERN",
                .names = "symbols",
                .offset = offsetof(struct display_options, symbol),
                .misreading = &keys_as_symbol,
                .help = "show only symbols that match PATTERN: NAME, NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or "
                        "^NAME$, ignoring case; with -g, the call paths through them; with -g callee, their "
                        "callers; if rows are not functions, their samples, or with --mem their accesses, but not with -b",
        },
        {
                .name = "annotate",
                .brief = "show source lines of the hot symbols",
                .offset = offsetof(struct display_options, annotate),
                .help = "show the source lines of the hot symbols",
        },
        {
                .name = "disassemble",
                .brief = "also show instructions",
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
                .brief = "count the events of METRICS, such as imix (stat)",
                .letter = 'm',
                .kind = OPTION_LIST,
                .arg = "METRICS",
                .names = "metrics",
                .offset = offsetof(struct metric_options, metrics),
                .help = "count the events of METRICS and print the metrics: names of metrics or of groups of "
                        "metrics",
        },
        {
                .name = "config",
                .kind = OPTION_LIST,
                .arg = "KEY=VALUE",
                .offset = offsetof(struct metric_options, config),
                .help = "set count.period=MS: if the events need more counters than the CPU has, switch them "
                        "every MS milliseconds, 10 to 100; default 100",
        },
        {0},
};

const struct option_group option_group_metric = {"Metrics", metric_options};
