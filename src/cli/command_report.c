/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that read a session. */
#include "command_report.h"

#include "archive.h"
#include "cmd.h"
#include "row_keys.h"

static const struct option choice_options[] = {
        {
                .name = "sort",
                .brief = "group samples by KEYS (report)",
                .kind = OPTION_LIST,
                .arg = "KEYS",
                .values = ROW_KEY_WORDS,
                .offset = offsetof(struct choice_options, sort),
                .help = "group samples by KEYS, and show a column for each key, in the order given: " ROW_KEY_LIST,
        },
        {
                .name = "csv",
                .offset = offsetof(struct choice_options, csv),
                .help = "print the table as comma-separated values",
        },
        {
                .name = "inlines",
                .aliases = "inline",
                .offset = offsetof(struct choice_options, inlines),
                .help = "show inlined functions as rows of their own",
        },
        {
                .name = "branch-stack",
                .letter = 'b',
                .aliases = "branches",
                .offset = offsetof(struct choice_options, branches),
                .help = "show branches from function to function, of a session recorded with -b",
        },
        {
                .name = "show-nr-samples",
                .letter = 'n',
                .offset = offsetof(struct choice_options, counts),
                .help = "accepted for compatibility: numbers of samples are always shown",
        },
        {
                .name = "stdio",
                .offset = offsetof(struct choice_options, stdio),
                .help = "accepted for compatibility: the report is always text",
        },
        {0},
};

static const struct option_group choice_group = {"Rows", choice_options};

static const struct command_group report_groups[] = {
        {&option_group_input, offsetof(struct report_options, input)},
        {&choice_group, offsetof(struct report_options, choice)},
        {&tree_group, offsetof(struct report_options, tree)},
        {&python_group, offsetof(struct report_options, python)},
        {&filter_group, offsetof(struct report_options, filter)},
        {&lookup_group, offsetof(struct report_options, lookup)},
        {&lookup_windows_group, offsetof(struct report_options, lookup)},
        {&option_group_display, offsetof(struct report_options, display)},
        {&color_group, offsetof(struct report_options, color)},
        {&option_group_output, offsetof(struct report_options, output)},
        {&option_group_general, offsetof(struct report_options, general)},
        {0},
};

static const struct example report_examples[] = {
        {"wperf report", "the table of the last session in this folder"},
        {"wperf report -i perf.data --sort comm,module", "a session of perf, by program and module"},
        {"wperf report --sort module,addr",
         "the sampled addresses, also of a program that is not on this machine"},
        {"wperf report -g", "who called what, from main down"},
        {"wperf report -g callee --percent-limit 2", "the functions that time went to, and who called them"},
        {"wperf report -i perf.data -b",
         "from which function to which the branches went, and how well predicted"},
        {"wperf report --inlines --sort symbol,line", "by source line, inlined functions apart"},
        {"wperf report --sort python,line",
         "by line of Python functions, where the session has their frames"},
        {"wperf report -s ^_Py --csv", "the symbols that begin with _Py, for a spreadsheet"},
        {0},
};

const struct command command_report = {
        .name = "report",
        .summary = "show a session as tables",
        .args_usage = "[FILE]",
        .about =
                "Reads a session that record, sample, Linux perf, simpleperf or hiperf wrote and prints its samples by "
                "symbol. A program or library is looked for in this order: what wperf archive packed, below --symfs, at "
                "its path, in the folders of --symbol-path and $_NT_SYMBOL_PATH, in the folder of the session, in perf's "
                "cache ($PERF_BUILDID_DIR, buildid.dir of ~/.perfconfig, else ~/.debug). One whose build id differs from "
                "the session's is not used. Names that the recorder kept of a deleted or replaced program, or of one in a "
                "container that ended, are used if no file has them.",
        .groups = report_groups,
        .examples = report_examples,
        .options_size = sizeof(struct report_options),
        .args = ARGS_OWN,
        .run = cmd_report,
};

static const struct option memory_options[] = {
        MAX_MEMORY_OPTION(struct memory_options),
        {0},
};

static const struct option_group memory_group = {"Memory", memory_options};

static const struct command_group dump_groups[] = {
        {&option_group_input, offsetof(struct dump_options, input)},
        {&memory_group, offsetof(struct dump_options, memory)},
        {&option_group_output, offsetof(struct dump_options, output)},
        {&option_group_general, offsetof(struct dump_options, general)},
        {0},
};

static const struct example dump_examples[] = {
        {"wperf dump -i wperf.data", "every record of a session, a line each"},
        {0},
};

const struct command command_dump = {
        .name = "dump",
        .summary = "show the records of a session in the order of the file",
        .args_usage = "[FILE]",
        .about = "Prints the header, the feature sections and every record of a session.",
        .groups = dump_groups,
        .examples = dump_examples,
        .options_size = sizeof(struct dump_options),
        .args = ARGS_OWN,
        .run = cmd_dump,
};

static const struct option annotate_options[] = {
        {
                .name = "symbol",
                .letter = 's',
                .kind = OPTION_STRING,
                .arg = "PATTERN",
                .names = "symbols",
                .offset = offsetof(struct annotating_options, symbol),
                .help = "show each function that matches: NAME, NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or ^NAME$, or each Python "
                        "file (app.py, json/__init__.py); default the hottest function",
        },
        {
                .name = "by",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "function handler block line instruction inlined",
                .offset = offsetof(struct annotating_options, by),
                .help = "show a table by function, handler, block, line, instruction or inlined function",
        },
        {
                .name = "source",
                .offset = offsetof(struct annotating_options, source),
                .help = "show source lines, file by file, in order",
        },
        {
                .name = "asm",
                .offset = offsetof(struct annotating_options, code),
                .help = "show only instructions, in order",
        },
        {
                .name = "disassembler-style",
                .letter = 'M',
                .kind = OPTION_STRING,
                .arg = "STYLE",
                .values = "intel att",
                .offset = offsetof(struct annotating_options, style),
                .help = "write x86 instructions in STYLE: intel or att",
        },
        {
                .name = "stdio",
                .hidden = true,
                .offset = offsetof(struct annotating_options, stdio),
                .help = "accepted for compatibility: the output is always text",
        },
        {
                .name = "source-path",
                .kind = OPTION_STRING,
                .arg = "DIR[:DIR...]",
                .offset = offsetof(struct annotating_options, source_path),
                .help = "look for source files under these folders first",
        },
        {
                .name = "sample-display-row",
                .kind = OPTION_U64,
                .arg = "N",
                .min = 1,
                .max = UINT32_MAX,
                .offset = offsetof(struct annotating_options, rows),
                .help = "show at most N rows of a table, and at most N functions; default 50",
        },
        {
                .name = "sample-display-long",
                .offset = offsetof(struct annotating_options, long_names),
                .help = "show long names: with arguments and decoration; list clones of a function "
                        "(f.cold) separately",
        },
        {0},
};

static const struct option_group annotating_group = {"What is shown", annotate_options};

static const struct command_group annotate_groups[] = {
        {&option_group_input, offsetof(struct annotate_options, input)},
        {&annotating_group, offsetof(struct annotate_options, what)},
        {&filter_group, offsetof(struct annotate_options, filter)},
        {&lookup_group, offsetof(struct annotate_options, lookup)},
        {&lookup_windows_group, offsetof(struct annotate_options, lookup)},
        {&color_group, offsetof(struct annotate_options, color)},
        {&option_group_output, offsetof(struct annotate_options, output)},
        {&option_group_general, offsetof(struct annotate_options, general)},
        {0},
};

static const struct annotate_options annotate_defaults = {
        .what.rows = DISPLAY_ROWS_DEFAULT,
};

static const struct example annotate_examples[] = {
        {"wperf annotate x_mul", "its hottest lines, and the instructions of its hot blocks"},
        {"wperf annotate -M intel --asm -v", "all instructions of the hottest function"},
        {"wperf annotate --by handler", "the bytecodes of an interpreter's loop by share"},
        {"wperf annotate app.py", "the lines of a Python file"},
        {"wperf annotate --by inlined", "inlined functions, all copies together"},
        {0},
};

const struct command command_annotate = {
        .name = "annotate",
        .summary = "show a symbol's source lines and instructions with their samples",
        .args_usage = "[SYMBOL]",
        .about =
                "Shows where inside of a function the samples of a session are: lines of the source, with what was "
                "inlined into it marked, and instructions with jump arrows. Shares are of the function, and of all "
                "samples where a column says so. Of Python functions and files the source lines are shown, by the "
                "innermost Python frame of each sample; with -v the native functions below each line.",
        .groups = annotate_groups,
        .examples = annotate_examples,
        .options_size = sizeof(struct annotate_options),
        .defaults = &annotate_defaults,
        .args = ARGS_OWN,
        .args_names = "symbols",
        .run = cmd_annotate,
};

static const struct option archiving_options[] = {
        {
                .name = "output",
                .letter = 'o',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct archiving_options, output),
                .help = "write the packed session to FILE; do not modify the input session",
        },
        {
                .name = "strip-source",
                .offset = offsetof(struct archiving_options, strip_source),
                .help = "do not pack the text of source files",
        },
        {
                .name = "source-path",
                .kind = OPTION_STRING,
                .arg = "DIR[:DIR...]",
                .offset = offsetof(struct archiving_options, source_path),
                .help = "look for source files under these folders first",
        },
        {
                .name = "max-size",
                .kind = OPTION_U64,
                .arg = "MIB",
                .min = 1,
                .max = 512,
                .offset = offsetof(struct archiving_options, max_mib),
                .help = "pack at most MIB megabytes; default 64",
        },
        {
                .name = "json",
                .offset = offsetof(struct archiving_options, json),
                .help = "print what was packed as JSON",
        },
        {0},
};

static const struct option_group archiving_group = {"What is packed", archiving_options};

static const struct command_group archive_groups[] = {
        {&option_group_input, offsetof(struct archive_options, input)},
        {&archiving_group, offsetof(struct archive_options, what)},
        {&lookup_group, offsetof(struct archive_options, lookup)},
        {&lookup_windows_group, offsetof(struct archive_options, lookup)},
        {&option_group_general, offsetof(struct archive_options, general)},
        {0},
};

static const struct archive_options archive_defaults = {
        .what.max_mib = ARCHIVE_DEFAULT_MAX_BYTES >> 20,
};

static const struct example archive_examples[] = {
        {"wperf archive", "the last session of this folder, to be read on another machine"},
        {"wperf archive -i perf.data -o travel.data --strip-source", "a session of perf, without source"},
        {0},
};

const struct command command_archive = {
        .name = "archive",
        .summary = "pack names, lines and code into a session, to read it on any machine",
        .args_usage = "[FILE]",
        .about = "Packs into a session what its samples need from programs, debug files, perf maps, "
                 "kernel symbols and source files, and unwinds its copies of stacks. Afterwards report, "
                 "export, annotate and symbolize need no other file. perf and other tools can still read "
                 "the session.",
        .groups = archive_groups,
        .examples = archive_examples,
        .options_size = sizeof(struct archive_options),
        .defaults = &archive_defaults,
        .args = ARGS_OWN,
        .run = cmd_archive,
};
