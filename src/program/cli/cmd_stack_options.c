/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `stack`. */
#include "cmd_stack_options.h"

#include "cmd.h"

#define TARGET(member) offsetof(struct stack_options, target) + offsetof(struct target_options, member)

static const struct option stack_table[] = {
        {
                .name = "pid",
                .letter = 'p',
                .kind = OPTION_NUMBERS,
                .arg = "PIDS",
                .min = 1,
                .max = UINT32_MAX,
                .misreading = &option_group_pid_misreading,
                .offset = TARGET(pids),
                .help = "show these processes; PIDS are separated by commas, blanks or line ends",
        },
        {
                .name = "comm",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = TARGET(comm),
                .help = "show the processes that are called NAMES, as ps -o comm prints them, and Pythons "
                        "that run a script NAMES, such as app.py",
        },
        {
                .name = "all-cpus",
                .aliases = "all-processes",
                .letter = 'a',
                .offset = TARGET(all_cpus),
                .help = "show all processes that you may read",
        },
        {
                .name = "thread",
                .aliases = "tid tids",
                .kind = OPTION_LIST,
                .arg = "NAME|TID",
                .offset = offsetof(struct stack_options, threads),
                .help = "show only threads with these names or numbers",
        },
        {
                .name = "repeat",
                .letter = 'r',
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = 1000,
                .offset = offsetof(struct stack_options, repeats),
                .help = "read N times, show the last reading, and tell which threads have not moved meanwhile",
        },
        {
                .name = "interval",
                .aliases = "delay",
                .kind = OPTION_DURATION,
                .arg = "DURATION",
                .offset = offsetof(struct stack_options, interval_ns),
                .help = "wait DURATION between two readings; default 1s",
        },
        {
                .name = "nonblocking",
                .offset = offsetof(struct stack_options, nonblocking),
                .help = "do not stop threads that run, even for a moment; of them only Python functions are shown, "
                        "which are read meanwhile: (approximate)",
        },
        {
                .name = "no-lines",
                .aliases = "nolineno",
                .offset = offsetof(struct stack_options, no_lines),
                .help = "show files without line numbers",
        },
        {
                .name = "no-demangle",
                .offset = offsetof(struct stack_options, no_demangle),
                .help = "show C++ and Rust names mangled, as in the file",
        },
        {
                .name = "native",
                .aliases = "idle threads function full-filenames",
                .hidden = true,
                .offset = offsetof(struct stack_options, is_default),
                .help = "accepted for compatibility with other profilers: this is the default",
        },
        {0},
};

static const struct option_group stack_group = {"Threads", stack_table};

static const struct command_group stack_groups[] = {
        {&stack_group, 0},
        {&python_group, offsetof(struct stack_options, python)},
        {&lookup_group, offsetof(struct stack_options, lookup)},
        {&option_group_output, offsetof(struct stack_options, output)},
        {&option_group_general, offsetof(struct stack_options, general)},
        {0},
};

static const struct absent_option stack_absent[] = {
        {"all", "write -a for all processes"},
        {"subprocesses s", "write the PIDs of the children, too, or -a for all processes"},
        {"timeout duration d", "for N readings, some time apart, write --repeat N --interval DURATION"},
        {"gil", "the GIL and who holds it are shown without it"},
        {"locals l", "wperf reads no values of variables"},
        {"n i t", "native functions and all threads, also those that wait, are shown without it"},
        {0},
};

static const struct example stack_examples[] = {
        {"wperf stack 4711", "show what each thread of a process does or waits for"},
        {"wperf stack --repeat 3 --interval 2s 4711",
         "tell also which threads have not moved for four seconds"},
        {"wperf stack --json --comm nginx", "the same of all processes called nginx, for programs"},
        {0},
};

const struct command cmd_stack_command = {
        .name = "stack",
        .summary = "show what the threads of running programs wait for",
        .args_usage = "PID...",
        .about =
                "Prints the call stack of each thread, Python and native functions, and what the thread waits "
                "for: a lock and who has it, a socket, a pipe, a child, a timer. Threads that wait for each "
                "other are named first. No thread that waits is stopped: its stack is read from its memory. "
                "Threads with the same stack are shown once. This needs the right to trace the process: it is "
                "yours, or you are root.",
        .groups = stack_groups,
        .examples = stack_examples,
        .absent = stack_absent,
        .options_size = sizeof(struct stack_options),
        .args = ARGS_OWN,
        .pids_offset = TARGET(bare_pids),
        .run = cmd_stack,
};
