/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmd_diff_code_options.h"

static const struct option diff_code_options[] = {
        {
                .name = "code",
                .offset = offsetof(struct diff_code_options, code),
                .help = "compare the machine code of two programs, or of the programs of two sessions: which "
                        "functions are identical, moved, the same but for addresses, or changed, and what "
                        "the change is",
        },
        {
                .name = "symbol",
                .letter = 's',
                .kind = OPTION_STRING,
                .arg = "PATTERN",
                .names = "symbols",
                .offset = offsetof(struct diff_code_options, symbol),
                .help = "with --code, show the changed blocks of each function that matches PATTERN: NAME, "
                        "NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or ^NAME$",
        },
        {
                .name = "disassembler-style",
                .letter = 'M',
                .kind = OPTION_STRING,
                .arg = "STYLE",
                .values = "intel att",
                .offset = offsetof(struct diff_code_options, style),
                .help = "with --code, write x86 instructions in STYLE: intel or att",
        },
        {0},
};

const struct option_group diff_code_group = {"Machine code", diff_code_options};
