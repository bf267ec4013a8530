/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of `record`, which starts a program, and `sample`, which watches running ones. */
#include "cmd_record_options.h"

#include "cmd.h"

static const struct option sampling_options[] = {
        {
                .name = "freq",
                .brief = "take HZ samples a second (record, sample)",
                .letter = 'F',
                .kind = OPTION_U64,
                .arg = "HZ",
                .min = 1,
                .max = 1000000,
                .or_max = true,
                .offset = offsetof(struct sampling_options, freq_hz),
                .help = "take HZ samples a second of each event that has no INTERVAL, max for as many as the "
                        "kernel allows; default 999, and on Linux 99 for programs that run already",
        },
        {
                .name = "rate",
                .letter = 'r',
                .kind = OPTION_U64,
                .arg = "HZ",
                .min = 1,
                .max = 1000000,
                .offset = offsetof(struct sampling_options, rate_hz),
                .help = "the same as -F; HZ is 10 or more, because perf's -r is a number of runs (--repeat)",
        },
        {
                .name = "stacks",
                .brief = "record call stacks (record, sample)",
                .letter = 'g',
                .offset = offsetof(struct sampling_options, call_graph),
                .help = "record call stacks, the default: unwind each frame with its module's call-frame "
                        "information, else by frame pointer; -g says why where there are none",
        },
        {
                .name = "no-stacks",
                .aliases = "no-callers no-call-graph",
                .offset = offsetof(struct sampling_options, no_stacks),
                .help = "record no call stacks, and so no Python functions",
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
                        "copies for perf and others to unwind) or lbr (the CPU's own record of calls)",
        },
        {
                .name = "engine",
                .kind = OPTION_STRING,
                .arg = "ENGINE",
                .values = "bpf pace peek ring stop",
                .offset = offsetof(struct sampling_options, engine),
                .help = "choose how to sample Python interpreters: stop "
                        "(trace each thread with ptrace and stop it at its samples; stacks have Python "
                        "functions; no debugger can attach to an interpreter), bpf (as root, on x86-64: a BPF program in the "
                        "kernel reads the Python functions at each sample, and nothing is stopped), peek "
                        "(read the Python functions from the program's memory while it runs: approximate; the default for a "
                        "process that a debugger or strace traces) or ring (read the kernel's ring buffer, as for all other "
                        "programs; stacks have native functions only); default bpf for root, else stop. "
                        "pace samples all programs without the kernel's events: it stops threads that run at "
                        "random moments; the default where the kernel refuses events",
        },
        {
                .name = "nonblocking",
                .offset = offsetof(struct sampling_options, nonblocking),
                .help = "do not stop threads to read their Python functions: --engine bpf where that can be "
                        "used, else --engine peek",
        },
        {
                .name = "wall",
                .aliases = "off-cpu switch-events latency",
                .brief = "record waiting, too: all of wall time (record, sample)",
                .offset = offsetof(struct sampling_options, wall),
                .help = "record all of wall time: when threads ran and waited, and what they waited for",
        },
        {
                .name = "idle",
                .offset = offsetof(struct sampling_options, idle),
                .help = "--wall with idle time in the table",
        },
        {
                .name = "gil",
                .offset = offsetof(struct sampling_options, gil),
                .help = "--wall by the engine bpf, and show only time in which a thread has Python's GIL",
        },
        {
                .name = "mode",
                .kind = OPTION_STRING,
                .arg = "MODE",
                .values = "cpu gil wall",
                .offset = offsetof(struct sampling_options, mode),
                .help = "cpu, the default, wall, which is --wall, or gil, which is --gil",
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
                .name = "mem",
                .offset = offsetof(struct sampling_options, mem),
                .help = "sample accesses to memory, with address, data source and latency, by what the "
                        "machine has: mem-loads and mem-stores (Intel), ibs_op (AMD) or arm_spe (Arm); "
                        "wperf report --mem shows them",
        },
        {
                .name = "ldlat",
                .kind = OPTION_U64,
                .arg = "CYCLES",
                .min = 1,
                .max = 65535,
                .offset = offsetof(struct sampling_options, ldlat),
                .help = "with --mem, sample only loads that take CYCLES or more; default 30 on Intel, all "
                        "elsewhere",
        },
        {
                .name = "all-children",
                .offset = offsetof(struct sampling_options, all_children),
                .help = "open the events on every CPU and keep the samples of COMMAND and its children; "
                        "default if root, with CAP_PERFMON, or if perf_event_paranoid is 0 or less",
        },
        {
                .name = "no-all-children",
                .offset = offsetof(struct sampling_options, no_all_children),
                .help = "let each child process inherit the events of its parent; a child that runs only "
                        "briefly gets few samples or none",
        },
        {
                .name = "no-inherit",
                .offset = offsetof(struct sampling_options, no_inherit),
                .help = "do not sample child processes and threads that start after the measurement begins",
        },
        {
                .name = "per-thread",
                .offset = offsetof(struct sampling_options, per_thread),
                .help = "use one ring buffer for each thread instead of one for each CPU; implies "
                        "--no-inherit",
        },
        {
                .name = "compress",
                .letter = 'z',
                .offset = offsetof(struct sampling_options, compress),
                .help = "compress the session",
        },
        {
                .name = "tui",
                .offset = offsetof(struct sampling_options, tui),
                .help = "browse the session after recording, as wperf report does; needs a terminal",
        },
        {
                .name = "session",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct sampling_options, session),
                .help = "write the session to FILE, '-' for standard output; default wperf.data",
        },
        {
                .name = "format",
                .letter = 'f',
                .kind = OPTION_STRING,
                .arg = "FORMAT",
                .values = EXPORT_FORMATS,
                .offset = offsetof(struct sampling_options, format),
                .help = "also write the session as FORMAT, whatever the name of FILE of -o; without -o into "
                        "wperf.svg, wperf.folded and so on; wperf export lists the formats",
        },
        {
                .name = "repeat",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = 10000,
                .offset = offsetof(struct sampling_options, repeat),
                .help = "record COMMAND N times, each run into a session of its own; -o has %n where the "
                        "number of the run belongs, as in -o a-%n.data; without -F the rate varies by up to "
                        "5 % from run to run, so that a program that repeats itself does not stay in step with "
                        "the samples; wperf diff compares such sessions",
        },
        {
                .name = "vs",
                .kind = OPTION_STRING,
                .arg = "FILE=COMMAND",
                .offset = offsetof(struct sampling_options, versus),
                .help = "alternate runs with another command and record those into FILE, which needs %n like -o: "
                        "--vs 'b-%n.data=./b work.py'; COMMAND is split into words by a shell's rules of "
                        "quoting, without a shell",
        },
        {
                .name = "dry-run",
                .offset = offsetof(struct sampling_options, dry_run),
                .help = "print which events would be opened, and how; measure nothing",
        },
        {
                .name = "sysfs",
                .kind = OPTION_FILE,
                .arg = "DIR",
                .offset = offsetof(struct sampling_options, sysfs),
                .help = "with --dry-run, assume the machine whose /sys was copied to DIR",
        },
        {
                .name = "native",
                .aliases = "function full-filenames nolineno save-only all-user threads",
                .hidden = true,
                .offset = offsetof(struct sampling_options, is_default),
                .help = "accepted for compatibility with other profilers: this is the default",
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

/* As in py-spy and others. perf's -d has no value, and neither have -s and -F of py-spy. */
static const struct command_letter letters[] = {
        {'d', "timeout", "for data addresses write --mem"},
        {'s', "symbol", "for a row of each thread write wperf report --sort thread"},
        {'F', "freq", "functions instead of lines are the default"},
        {0},
};

static const struct absent_option absent[] = {
        {"extra-events E",
         "wperf stat counts events of your own; to sample one write its number, as in -e r70:100000"},
        {"metrics-file C", "to choose CPUs write -c 0,1; metrics of your own are counted by wperf stat"},
        {"all", "write -a for all processes"},
        {"metrics m",
         "to run a module write wperf record -- python3 -m MODULE, to count metrics wperf stat -m METRICS; "
         "wperf chooses the size of its buffers itself"},
        {"t",
         "write the PID: all threads of a process are measured, and wperf report --sort thread shows each"},
        {"i", "write --no-inherit to leave out children"},
        {"n no-samples", "native functions are always recorded; to count without samples write wperf stat"},
        {"l", "write --sort in wperf report; wperf list shows the events"},
        {"all-kernel", "write -e cpu-clock:k, or another event with :k"},
        {"every", "repeat with --repeat N -o NAME-%n.data"},
        {"switch-output snapshot overwrite max-size",
         "wperf keeps the whole recording; limit it with -d SECONDS"},
        {"mmap-pages aio affinity", "wperf chooses the size of its buffers itself"},
        {"raw-samples R timestamp T weight W period sample-cpu namespaces synth clockid buildid-all no-buildid B "
         "no-buildid-cache N tail-synthesize",
         "wperf decides what a session has: leave it out"},
        {"branch-filter j", "write -b for all branches"},
        {"intr-regs I user-regs", "registers are recorded only for --call-graph dwarf"},
        {"filter exclude-perf",
         "all samples are recorded; choose them in wperf report, with --comm, --pid and --time"},
        {"uid u", "write PIDs, --comm NAME, or -a for all processes"},
        {"timestamp-filename", "name the session by -o FILE"},
        {0},
};

static const struct option_text texts[] = {
        {"output",
         "write the session to FILE; with --json, or if FILE ends in .json, the JSON document; if FILE has a name of a "
         "format of wperf export, such as .html, .svg or .folded, a picture or profile, beside the session in "
         "wperf.data"},
        {0},
};

static const struct option_group sampling_group = {"Sampling", sampling_options};

static const struct command_group groups[] = {
        {&option_group_event, offsetof(struct record_options, event)},
        {&sampling_group, offsetof(struct record_options, sampling)},
        {&option_group_target, offsetof(struct record_options, target)},
        {&option_group_display, offsetof(struct record_options, display)},
        {&page_group, offsetof(struct record_options, page)},
        {&lookup_group, offsetof(struct record_options, lookup)},
        {&color_group, offsetof(struct record_options, color)},
        {&option_group_output, offsetof(struct record_options, output)},
        {&option_group_general, offsetof(struct record_options, general)},
        {0},
};

static const struct example record_examples[] = {
        {"wperf record -- ./program", "profile a program from its first instruction"},
        {"wperf record app.py", "profile a Python program"},
        {"wperf record -d 10 4711", "sample a running process for ten seconds"},
        {"wperf record -F999 -k --timeout 10 -- ./server",
         "take 999 samples a second, the kernel included, for ten seconds"},
        {"wperf record -e ld_spec:100000 -c 1 --timeout 30 -- python_d.exe -c 10**10**100",
         "take a sample every 100000 loads on CPU 1"},
        {"wperf record --repeat 5 -o a-%n.data --vs 'b-%n.data=./b work.py' -- ./a work.py",
         "record five runs of each of two programs in turn, for wperf diff"},
        {0},
};

const struct command cmd_record_command = {
        .name = "record",
        .summary = "run a program and sample it",
        .args_usage = "[PID]... [[--] COMMAND [ARG]...]",
        .common = "event freq timeout pid all-cpus kernel wall output json symbol annotate repeat help",
        .about =
                "Runs COMMAND, samples it, writes the samples to a session file and prints where COMMAND "
                "spent its time. The first word that is not an option begins COMMAND; a file NAME.py runs as "
                "python3 NAME.py (on Windows py), unless it is executable and begins with #!. A word of digits "
                "before it is the PID of a process that runs already: wperf attaches to it and samples it "
                "until it ends, -d expires, or you type Ctrl-C; with processes (PID, -p, --comm), COMMAND "
                "runs without being sampled, and the run ends when it does. The exit status is "
                "that of COMMAND, or 0 if wperf ended the run; 125 if wperf itself fails, 126 if COMMAND "
                "cannot be run, 127 if it is not found. Some files cannot be read after the run, because "
                "they were deleted, replaced, in memory, or in a container that has ended; for these the "
                "session stores the names of the sampled functions.",
        .groups = groups,
        .examples = record_examples,
        .options_size = sizeof(struct record_options),
        .letters = letters,
        .texts = texts,
        .absent = absent,
        .args = ARGS_COMMAND,
        .pids_offset = offsetof(struct record_options, target) + offsetof(struct target_options, bare_pids),
        .run = cmd_record,
};

static const struct example sample_examples[] = {
        {"wperf sample -p 4711 --timeout 5", "sample a running process for five seconds"},
        {"wperf sample -e ld_spec:100000 --pe_file python_d.exe -c 1",
         "sample a program that runs on CPU 1, until it ends or Ctrl-C"},
        {"wperf sample -a sleep 10", "sample all processes for ten seconds"},
        {0},
};

const struct command cmd_sample_command = {
        .name = "sample",
        .summary = "sample running programs",
        .args_usage = "[PID]...",
        .common = "pid comm all-cpus timeout event freq kernel wall output json symbol help",
        .about = "Samples running programs until they end, --timeout expires, or you type "
                 "Ctrl-C. Then writes the samples to a session file and prints where the programs spent "
                 "their time.",
        .groups = groups,
        .examples = sample_examples,
        .options_size = sizeof(struct record_options),
        .letters = letters,
        .texts = texts,
        .absent = absent,
        .args = ARGS_ATTACH,
        .pids_offset = offsetof(struct record_options, target) + offsetof(struct target_options, bare_pids),
        .run = cmd_record,
};
