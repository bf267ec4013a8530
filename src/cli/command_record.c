/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of `record`, which starts a program, and `sample`, which watches running ones. */
#include "command_record.h"

#include <string.h>

#include "cmd.h"

static bool looks_like_pages(const char *value)
{
        return strspn(value, "0123456789kKmM") == strlen(value);
}

static const struct misreading pages_as_metric = {
        looks_like_pages,
        "'%s' is no metric; wperf chooses the size of its buffers itself",
};

static const struct option sampling_options[] = {
        {
                .name = "freq",
                .brief = "take HZ samples a second (record, sample)",
                .letter = 'F',
                .kind = OPTION_U64,
                .arg = "HZ",
                .min = 1,
                .max = 1000000,
                .offset = offsetof(struct sampling_options, freq_hz),
                .help = "take HZ samples a second of each event without an interval",
        },
        {
                .name = "metrics",
                .letter = 'm',
                .later = true,
                .kind = OPTION_LIST,
                .arg = "METRICS",
                .names = "metrics",
                .offset = offsetof(struct sampling_options, metrics),
                .misreading = &pages_as_metric,
                .help = "sample the events of these metrics",
        },
        {
                .name = "stacks",
                .brief = "record call stacks (record, sample)",
                .letter = 'g',
                .offset = offsetof(struct sampling_options, call_graph),
                .help = "record call stacks: unwind each frame with its module's call-frame information, "
                        "else by frame pointer",
        },
        {
                .name = "call-graph",
                .kind = OPTION_STRING,
                .arg = "MODE",
                .values = "unwind fp dwarf lbr",
                .offset = offsetof(struct sampling_options, call_graph_mode),
                .help = "record call stacks by MODE: unwind[,BYTES] (as -g: copy BYTES of each stack, "
                        "default 24576, and unwind them while recording), fp (the kernel follows frame "
                        "pointers), dwarf[,BYTES] (copy BYTES of each stack, default 8192, and keep the "
                        "copies for perf and others to unwind) or lbr (the CPU's record of calls)",
        },
        {
                .name = "engine",
                .kind = OPTION_STRING,
                .arg = "ENGINE",
                .values = "ring stop",
                .offset = offsetof(struct sampling_options, engine),
                .help = "with -g, sample the Python interpreters of COMMAND by ENGINE: stop (trace each thread with ptrace and stop "
                        "it at its samples, for stacks with Python functions; no debugger can attach to them, and they ignore "
                        "SIGTRAP) or ring (the kernel's buffer, as for all other programs: native stacks "
                        "only); default stop",
        },
        {
                .name = "branch-any",
                .letter = 'b',
                .aliases = "branch-stack",
                .offset = offsetof(struct sampling_options, branches),
                .help = "record the branches taken before each sample, from the CPU's branch records "
                        "(LBR, BRBE); wperf report -b shows them",
        },
        {
                .name = "all-children",
                .offset = offsetof(struct sampling_options, all_children),
                .help = "sample COMMAND and all its children by events on every CPU (default for root, "
                        "with CAP_PERFMON, or with perf_event_paranoid 0)",
        },
        {
                .name = "no-all-children",
                .offset = offsetof(struct sampling_options, no_all_children),
                .help = "let each child process inherit the events of its parent; this misses most of "
                        "the run of a short-lived child",
        },
        {
                .name = "no-inherit",
                .offset = offsetof(struct sampling_options, no_inherit),
                .help = "do not sample child processes or threads that start later",
        },
        {
                .name = "per-thread",
                .offset = offsetof(struct sampling_options, per_thread),
                .help = "use one buffer for each thread instead of one for each CPU; implies --no-inherit",
        },
        {
                .name = "compress",
                .letter = 'z',
                .offset = offsetof(struct sampling_options, compress),
                .help = "compress the session",
        },
        {
                .name = "session",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct sampling_options, session),
                .help = "write the session to FILE, '-' for standard output; default wperf.data",
        },
        {
                .name = "dry-run",
                .offset = offsetof(struct sampling_options, dry_run),
                .help = "show what would be measured and how, without measuring",
        },
        {
                .name = "sysfs",
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct sampling_options, sysfs),
                .help = "with --dry-run: plan for another machine, whose /sys is copied to DIR",
        },
        {
                .name = "export_perf_data",
                .aliases = "export-perf-data",
                .hidden = true,
                .offset = offsetof(struct sampling_options, export_perf_data),
                .help = "accepted for compatibility: sessions are perf.data files",
        },
        {0},
};

static const struct option_group sampling_group = {"Sampling", sampling_options};

static const struct command_group groups[] = {
        {&option_group_event, offsetof(struct record_options, event)},
        {&sampling_group, offsetof(struct record_options, sampling)},
        {&option_group_target, offsetof(struct record_options, target)},
        {&option_group_display, offsetof(struct record_options, display)},
        {&lookup_group, offsetof(struct record_options, lookup)},
        {&color_group, offsetof(struct record_options, color)},
        {&option_group_output, offsetof(struct record_options, output)},
        {&option_group_extra, offsetof(struct record_options, extra)},
        {&option_group_general, offsetof(struct record_options, general)},
        {0},
};

static const struct example record_examples[] = {
        {"wperf record -- python3 work.py", "profile a program from its first instruction"},
        {"wperf record -F999 -k --timeout 10 -- ./server",
         "999 samples a second with the kernel, ten seconds"},
        {"wperf record -e ld_spec:100000 -c 1 --timeout 30 -- python_d.exe -c 10**10**100",
         "a sample every 100000 loads, on CPU 1"},
        {0},
};

const struct command command_record = {
        .name = "record",
        .summary = "run a program and sample it",
        .args_usage = "[--] COMMAND [ARG]...",
        .about = "Runs COMMAND, samples it, writes the session and prints where it spent its time. The "
                 "first word that is not an option begins the command. The exit status is that of the "
                 "command, or 0 when wperf ended the run; 125 if wperf itself failed, 126 if the command "
                 "cannot be run, 127 if it was not found. The session keeps the names of sampled "
                 "functions of files that cannot be read later: deleted, replaced, in memory, or in a "
                 "container that ended.",
        .groups = groups,
        .examples = record_examples,
        .options_size = sizeof(struct record_options),
        .args = ARGS_COMMAND,
        .run = cmd_record,
};

static const struct example sample_examples[] = {
        {"wperf sample -p 4711 --timeout 5", "sample a running process for five seconds"},
        {"wperf sample -e ld_spec:100000 --pe_file python_d.exe -c 1",
         "sample a program that runs on CPU 1, until it ends or Ctrl-C"},
        {"wperf sample -a sleep 10", "sample everything for ten seconds"},
        {0},
};

const struct command command_sample = {
        .name = "sample",
        .summary = "sample running programs",
        .about = "Samples running programs until they end, --timeout is over, or Ctrl-C is typed; writes "
                 "the session and prints where they spent their time.",
        .groups = groups,
        .examples = sample_examples,
        .options_size = sizeof(struct record_options),
        .args = ARGS_ATTACH,
        .run = cmd_record,
};
