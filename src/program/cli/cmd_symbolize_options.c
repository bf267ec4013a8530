/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `symbolize`, with addr2line's letters. */
#include "cmd_symbolize_options.h"

#include "cmd.h"

#define ALWAYS(long_name, the_letter)                                                                        \
        {                                                                                                    \
                .name = long_name, .letter = the_letter, .hidden = true,                                     \
                .offset = offsetof(struct symbolize_options, always),                                        \
                .help = "accepted for compatibility: this is always done",                                   \
        }

static const struct option symbolize_table[] = {
        {
                .name = "exe",
                .aliases = "obj",
                .letter = 'e',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct symbolize_options, file),
                .help = "look up addresses in FILE, a program or library",
        },
        {
                .name = "session",
                .aliases = "input",
                .kind = OPTION_FILE,
                .arg = "SESSION",
                .offset = offsetof(struct symbolize_options, session),
                .help = "read names from SESSION, which wperf archive packed; FILE is then the path or name "
                        "of a module of SESSION",
        },
        {
                .name = "force",
                .offset = offsetof(struct symbolize_options, force),
                .help = "as root, read a SESSION of another user",
        },
        {
                .name = "no-demangle",
                .offset = offsetof(struct symbolize_options, no_demangle),
                .help = "show C++ and Rust names mangled, as in the file",
        },
        {
                .name = "sample-display-long",
                .offset = offsetof(struct symbolize_options, decorated),
                .help = "for PDB files: show the decorated names of functions",
        },
        ALWAYS("addresses", 'a'),
        ALWAYS("functions", 'f'),
        ALWAYS("inlines", 'i'),
        ALWAYS("pretty-print", 'p'),
        ALWAYS("demangle", 'C'),
        {0},
};

static const struct option_group symbolize_group = {"Object file", symbolize_table};

static const struct command_group symbolize_groups[] = {
        {&symbolize_group, 0},
        {&lookup_group, offsetof(struct symbolize_options, lookup)},
        {&lookup_windows_group, offsetof(struct symbolize_options, lookup)},
        {&option_group_output, offsetof(struct symbolize_options, output)},
        {&option_group_general, offsetof(struct symbolize_options, general)},
        {0},
};

static const struct example symbolize_examples[] = {
        {"wperf symbolize -e /usr/bin/python3 0x51d6c0",
         "show the function and line at an address of python3"},
        {"wperf symbolize -e python312_d.dll 0x1234", "look up an address of a Windows image in the PDB file "
                                                      "beside it"},
        {"wperf symbolize -e libc.so.6 --json < addresses", "look up many addresses, one per line"},
        {"wperf symbolize --session wperf.data -e libc.so.6 0x9a1c0", "look up an address in an archived "
                                                                      "session"},
        {0},
};

const struct command cmd_symbolize_command = {
        .name = "symbolize",
        .summary = "turn addresses of a program into functions and source lines",
        .args_usage = "-e FILE [ADDRESS...]",
        .about = "Prints for each address its function, inlined functions first, and its source line, like "
                 "addr2line -afip. Addresses are hexadecimal and relative to the file's own address space; "
                 "for a PE image they may also be RVAs, and for a PDB they must be. If no address is on the "
                 "command line, addresses are read from standard input, one per line.",
        .groups = symbolize_groups,
        .examples = symbolize_examples,
        .options_size = sizeof(struct symbolize_options),
        .args = ARGS_OWN,
        .run = cmd_symbolize,
};
