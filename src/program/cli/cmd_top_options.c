/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `top`. */
#include "cmd_top_options.h"

#include "cmd.h"

#define TARGET(member) offsetof(struct target_options, member)

static const struct option target_table[] = {
        {
                .name = "pid",
                .letter = 'p',
                .kind = OPTION_NUMBERS,
                .arg = "PIDS",
                .min = 1,
                .max = UINT32_MAX,
                .offset = TARGET(pids),
                .help = "watch these processes, and the children that they start; PIDS are separated by commas, "
                        "blanks or line ends",
        },
        {
                .name = "comm",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = TARGET(comm),
                .help = "watch the processes that are called NAMES, as ps -o comm prints them, and Pythons "
                        "that run a script NAMES, such as app.py",
        },
        {
                .name = "cgroup",
                .letter = 'G',
                .kind = OPTION_FILE,
                .arg = "GROUP",
                .offset = TARGET(cgroup),
                .help = "watch the processes of the control group GROUP and of those below it: a path as "
                        "systemd-cgls prints it (system.slice/nginx.service); needs the rights of -a",
        },
        {
                .name = "subprocesses",
                .offset = TARGET(subprocesses),
                .help = "with PIDs or names of processes: watch their children that run already, too",
        },
        {
                .name = "all-cpus",
                .letter = 'a',
                .offset = TARGET(all_cpus),
                .help = "watch all processes; the default without a process and without COMMAND",
        },
        {
                .name = "cpu",
                .letter = 'c',
                .kind = OPTION_CPUS,
                .arg = "CPUS",
                .offset = TARGET(cpus),
                .help = "watch these CPUs: 0,2,4-7",
        },
        {
                .name = "timeout",
                .aliases = "duration",
                .word = "sleep",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = TARGET(timeout_ns),
                .help = "stop after DURATION: a number and a unit, ms, s, m, h or d; default unit s",
        },
        {0},
};

#define LIVE(member) offsetof(struct live_options, member)

static const struct option live_table[] = {
        {
                .name = "interval",
                .aliases = "delay",
                .letter = 'd',
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = LIVE(interval_ns),
                .help = "show a new table every DURATION; default 1s",
        },
        {
                .name = "by",
                .kind = OPTION_STRING,
                .arg = "ROWS",
                .values = "function thread process container",
                .offset = LIVE(by),
                .help = "show a row for each function (the default), thread, process or container (control "
                        "group)",
        },
        {
                .name = "rows",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = UINT32_MAX,
                .offset = LIVE(rows),
                .help = "print at most N rows of each table, up to 1000; default 20",
        },
        {
                .name = "stdio",
                .offset = LIVE(text),
                .help = "print a table every interval, also on a terminal",
        },
        {
                .name = "freq",
                .letter = 'F',
                .kind = OPTION_U64,
                .arg = "HZ",
                .min = 1,
                .max = 1000000,
                .or_max = true,
                .offset = LIVE(freq_hz),
                .help = "take HZ samples a second, max for as many as the kernel allows; default 99",
        },
        {
                .name = "rate",
                .letter = 'r',
                .kind = OPTION_U64,
                .arg = "HZ",
                .min = 1,
                .max = 1000000,
                .offset = LIVE(rate_hz),
                .help = "the same as -F",
        },
        {
                .name = "engine",
                .kind = OPTION_STRING,
                .arg = "ENGINE",
                .values = "bpf pace peek ring stop",
                .offset = LIVE(engine),
                .help = "choose how to sample Python interpreters, as in record",
        },
        {
                .name = "nonblocking",
                .offset = LIVE(nonblocking),
                .help = "do not stop threads to read their Python functions: --engine bpf where that can be "
                        "used, else --engine peek",
        },
        {
                .name = "wall",
                .aliases = "off-cpu switch-events",
                .offset = LIVE(wall),
                .help = "show all of wall time: when threads run, are ready to run and wait, and for what",
        },
        {
                .name = "idle",
                .offset = LIVE(idle),
                .help = "the same, with idle time in the table: threads that wait for work",
        },
        {
                .name = "mode",
                .kind = OPTION_STRING,
                .arg = "MODE",
                .values = "cpu wall",
                .offset = LIVE(mode),
                .help = "what to show: cpu, the default, or wall, which is --wall",
        },
        {
                .name = "no-stacks",
                .aliases = "no-callers no-call-graph",
                .offset = LIVE(no_stacks),
                .help = "take no call stacks, and so no Python functions and no total times",
        },
        {
                .name = "session",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = LIVE(session),
                .help = "keep what was sampled as FILE, at the end and with the key W; default wperf.data, with the "
                        "key only",
        },
        {
                .name = "no-demangle",
                .offset = LIVE(no_demangle),
                .help = "show C++ and Rust names mangled, as in the file",
        },
        {
                .name = "native",
                .aliases = "function full-filenames nolineno no-lines all-user",
                .hidden = true,
                .offset = LIVE(is_default),
                .help = "accepted for compatibility with other profilers: this is the default",
        },
        {0},
};

static const struct option_group target_group = {"What to watch", target_table};
static const struct option_group live_group = {"View", live_table};

static const struct command_group groups[] = {
        {&live_group, offsetof(struct top_options, live)},
        {&target_group, offsetof(struct top_options, target)},
        {&option_group_event, offsetof(struct top_options, event)},
        {&python_group, offsetof(struct top_options, python)},
        {&lookup_group, offsetof(struct top_options, lookup)},
        {&color_group, offsetof(struct top_options, color)},
        {&option_group_output, offsetof(struct top_options, output)},
        {&option_group_general, offsetof(struct top_options, general)},
        {0},
};

static const struct absent_option absent[] = {
        {"gil", "wperf record --gil shows who has Python's GIL; wperf top --wall, who waits for it"},
        {"i", "for idle threads, too, write --idle"},
        {"format f", "for a picture write wperf record -d SECONDS -o NAME.svg PID"},
        {"thread tid", "write --by thread for a row of each thread; wperf stack --thread NAME shows one"},
        {"threads t", "write --by thread for a row of each thread"},
        {"metrics m", "to run a module write wperf top -- python3 -m MODULE"},
        {"n", "numbers of samples and native functions are always shown"},
        {"s", "write --subprocesses to watch children that run already; --by chooses the rows"},
        {"sort", "write --by function, thread, process or container"},
        {"g call-graph", "press g on the screen for the call tree"},
        {"C", "to choose CPUs write -c 0,1"},
        {"K hide_kernel_symbols", "without -k only user code is sampled"},
        {"U hide_user_symbols", "write -e cpu-clock:k to sample only the kernel"},
        {"u uid", "write PIDs or --comm NAME"},
        {"E entries", "the screen has as many rows as fit"},
        {"z zero", "the columns have both the time between two screens and the time since the start"},
        {0},
};

static const struct example examples[] = {
        {"wperf top 4711", "watch a running process"},
        {"wperf top", "watch everything that you may measure; as root the machine"},
        {"wperf top -- python3 app.py", "run a program and watch it"},
        {"wperf top --wall 4711", "show what a running process waits for"},
        {"wperf top --stdio -d 10 --by process -a", "print the busiest processes every ten seconds"},
        {"wperf top --json --timeout 60 4711", "print a JSON document a second, for a minute"},
        {0},
};

const struct command cmd_top_command = {
        .name = "top",
        .summary = "watch the functions of running programs",
        .args_usage = "[PID]... [[--] COMMAND [ARG]...]",
        .about =
                "Samples running programs, or COMMAND, and shows every second which functions used the CPU in the "
                "last second (now), how much since the start (since), and how much without the functions that they "
                "called (self). Without a process and without COMMAND it watches everything that you may measure. "
                "On a terminal the table is a screen with keys: those of the browser of report, F to freeze, "
                "z to set the sums to zero, W to keep what was sampled as wperf.data. Otherwise it prints a "
                "table every interval, and a last one at Ctrl-C. The output of COMMAND goes to a file, "
                "wperf.out.NAME, which is printed at the end. The exit status is that of COMMAND, or 0 if "
                "wperf ended it.",
        .groups = groups,
        .examples = examples,
        .absent = absent,
        .options_size = sizeof(struct top_options),
        .args = ARGS_COMMAND,
        .pids_offset = offsetof(struct top_options, target) + TARGET(bare_pids),
        .run = cmd_top,
};
