/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that read a session. */
#include "cmd_report_options.h"

#include "archive.h"
#include "cmd.h"
#include "row_keys.h"
#include "sort_keys.h"

static const struct option choice_options[] = {
        {
                .name = "sort",
                .brief = "group samples by KEYS (report)",
                .kind = OPTION_LIST,
                .arg = "KEYS",
                .values = ROW_KEY_WORDS " " ACCESS_KEY_WORDS,
                .first_values = SORT_TABLE_WORDS,
                .later_values = SORT_WAITER_WORDS,
                .offset = offsetof(struct choice_options, sort),
                .help = "group samples by KEYS, and show a column for each key, in this order; KEYS are "
                        "separated by commas: " ROW_KEY_LIST "; with --mem also " ACCESS_KEY_LIST
                        "; syscall shows system calls by thread, lock locks by the time that was waited for them; "
                        "a key beside these says whose they are: comm, pid (or process), tid (or thread)",
        },
        {
                .name = "group-by",
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct choice_options, group_by),
                .help = "sum functions into groups by the rules in FILE, one per line: GROUP PATTERN [MODULE]; "
                        "cpython has rules for the interpreter of CPython 3.8 to 3.15",
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
                .help = "show the branches from function to function, if the session was recorded with -b",
        },
        {
                .name = "mem",
                .offset = offsetof(struct choice_options, mem),
                .help = "show accesses to memory: their latency and where the data came from, by function or by the KEYS "
                        "of --sort; for sessions of Arm SPE, perf mem and perf c2c",
        },
        {
                .name = "describe",
                .offset = offsetof(struct choice_options, describe),
                .help = "explain the columns of --mem below the table",
        },
        {
                .name = "show-nr-samples",
                .letter = 'n',
                .offset = offsetof(struct choice_options, counts),
                .help = "accepted for compatibility: the report always shows numbers of samples",
        },
        {
                .name = "native",
                .aliases = "function full-filenames nolineno no-lines",
                .hidden = true,
                .offset = offsetof(struct choice_options, is_default),
                .help = "accepted for compatibility with other profilers: this is the default",
        },
        {
                .name = "format",
                .kind = OPTION_STRING,
                .arg = "FORMAT",
                .values = EXPORT_FORMATS,
                .offset = offsetof(struct choice_options, format),
                .help = "write the session in FORMAT, which overrides the ending of FILE; the default FILE is wperf.svg, "
                        "wperf.folded and so on; wperf export lists the formats",
        },
        {
                .name = "stdio",
                .offset = offsetof(struct choice_options, stdio),
                .help = "print text even on a terminal, instead of opening the browser",
        },
        {
                .name = "wakers",
                .offset = offsetof(struct choice_options, wakers),
                .help = "show who ended the longest waits: the thread that waits, the one that woke it, and who had "
                        "woken that one; for sessions with sched:sched_waking, as of perf sched record",
        },
        {
                .name = "threads",
                .offset = offsetof(struct choice_options, threads),
                .help = "show the samples of each thread over time",
        },
        {
                .name = "timeline",
                .offset = offsetof(struct choice_options, timeline),
                .help = "show the samples of each CPU over time",
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
        {&page_group, offsetof(struct report_options, page)},
        {&color_group, offsetof(struct report_options, color)},
        {&option_group_output, offsetof(struct report_options, output)},
        {&option_group_general, offsetof(struct report_options, general)},
        {0},
};

static const struct option_text report_texts[] = {
        {"output",
         "write the JSON document to FILE, or by its name any format of wperf export, such as .html, .svg or .folded"},
        {0},
};

static const struct example report_examples[] = {
        {"wperf report", "print the session wperf.data of this folder as a table"},
        {"wperf report -i perf.data --sort comm,module", "group the samples of a perf session by program and "
                                                         "module"},
        {"wperf report --sort module,addr",
         "show the sampled addresses; this works without the program's file"},
        {"wperf report -g", "show which function called which, from main down"},
        {"wperf report -g callee --percent-limit 2", "show the functions that took the time, and their "
                                                     "callers"},
        {"wperf report -i perf.data -b",
         "show branches from function to function, and how many were mispredicted"},
        {"wperf report --mem --sort cacheline",
         "show the cache lines with the most latency, and which threads use them"},
        {"wperf report --inlines --sort symbol,line",
         "group by source line, with rows for inlined functions"},
        {"wperf report --sort python,line",
         "group by line of Python functions, if the session has Python frames"},
        {"wperf report --group-by cpython",
         "show how much of a Python program is garbage collection, memory, calls"},
        {"wperf report -s ^_Py --csv", "print the symbols that begin with _Py as CSV, for a spreadsheet"},
        {0},
};

#define KERNEL_NAMES                                                                                         \
        "the kernel's names come from its debug files, below --symfs DIR if given, and as root from the kernel"

static const struct absent_option report_absent[] = {
        {"header header-only I show-info",
         "wperf report -v shows the machine and the command line, wperf dump the whole header"},
        {"D dump-raw-trace stats mmaps tasks ns", "wperf dump shows every record"},
        {"F fields", "choose the columns by --sort KEYS; overhead and count are always shown"},
        {"M disassembler-style objdump addr2line",
         "write wperf annotate for instructions, -M intel for their style"},
        {"tui gtk", "on a terminal wperf report opens a browser; --stdio prints text"},
        {"k vmlinux kallsyms m modules-dir", KERNEL_NAMES},
        {"U hide-unresolved x exclude-other p parent symbol-filter", "choose functions by -s PATTERN"},
        {"T", "write --sort thread"},
        {"hierarchy", "write -g for a call tree, or --sort KEYS for a row of each combination"},
        {"t field-separator w column-widths", "write --csv"},
        {"show-total-period percent-type percentage",
         "write --json, which has shares and counts of each row"},
        {"mem-mode", "write --mem"},
        {"branch-history", "write -b"},
        {"itrace",
         "traces of Intel PT and CoreSight are not decoded; make samples of them by perf inject --itrace"},
        {"group", "each event has a table of its own"},
        {0},
};

static const struct absent_option annotate_absent[] = {
        {"l print-line P full-paths", "lines are shown with their files"},
        {"no-source", "write --asm"},
        {"tui gtk", "on a terminal wperf annotate opens a browser; --stdio prints text"},
        {"k vmlinux m modules", KERNEL_NAMES},
        {"objdump addr2line", "wperf decodes instructions by libLLVM, and reads lines itself"},
        {0},
};

/* As in perf. */
static const struct command_letter report_letters[] = {
        {'S', "symbol", NULL},
        {'d', "module", NULL},
        {'C', "cpu", NULL},
        {0},
};

const struct command cmd_report_command = {
        .name = "report",
        .summary = "show a session as tables",
        .args_usage = "[FILE]",
        .about =
                "Reads a session that record, sample, Linux perf, simpleperf or hiperf wrote, or an event-trace "
                "file of Windows (.etl), and prints its "
                "samples by symbol. Symbols come from the data that wperf archive packed, else from the "
                "files of programs and libraries. wperf looks for such a file below --symfs, at its path, in "
                "the folders of --symbol-path and $_NT_SYMBOL_PATH, in the folder of the session, and in "
                "perf's cache ($PERF_BUILDID_DIR, buildid.dir of ~/.perfconfig, else ~/.debug), in this "
                "order, and does not use a file whose build id differs from that in the session. If no file "
                "is found (deleted, replaced, or in a container that has ended), the names that the recorder "
                "stored in the session are used.",
        .groups = report_groups,
        .texts = report_texts,
        .common =
                "input sort stacks percent-limit python comm thread time symbol annotate stdio csv json output help",
        .examples = report_examples,
        .options_size = sizeof(struct report_options),
        .letters = report_letters,
        .absent = report_absent,
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

static const struct absent_option dump_absent[] = {
        {"pid p", "for the stacks of a process write wperf stack PID"},
        {0},
};

static const struct example dump_examples[] = {
        {"wperf dump -i wperf.data", "print every record of a session, one line each"},
        {0},
};

const struct command cmd_dump_command = {
        .name = "dump",
        .summary = "show the records of a session in the order of the file",
        .args_usage = "[FILE]",
        .about =
                "Prints the header, the feature sections and every record of a session; of an event-trace file of Windows, "
                "the records that wperf makes of it.",
        .groups = dump_groups,
        .examples = dump_examples,
        .absent = dump_absent,
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
                .help = "show each function that matches PATTERN: NAME, NAME(ARGUMENTS), ^PREFIX, SUFFIX$ or "
                        "^NAME$; or each matching Python file, such as app.py or json/__init__.py; default "
                        "the hottest function, in the browser the first one that wperf report shows",
        },
        {
                .name = "by",
                .kind = OPTION_STRING,
                .arg = "WHAT",
                .values = "function handler block line instruction inlined",
                .offset = offsetof(struct annotating_options, by),
                .help = "show a table by WHAT: function, handler (of a bytecode), block, line, instruction "
                        "or inlined (function)",
        },
        {
                .name = "source",
                .offset = offsetof(struct annotating_options, source),
                .help = "show all source lines in order, file by file",
        },
        {
                .name = "asm",
                .offset = offsetof(struct annotating_options, code),
                .help = "show all instructions in order, without source lines",
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
                .offset = offsetof(struct annotating_options, stdio),
                .help = "print text even on a terminal, instead of opening the browser",
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
                .help = "show full names: with arguments and decoration; list clones of a function (such as "
                        "f.cold) separately",
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
        {"wperf annotate x_mul", "show the hottest lines of x_mul, and the instructions of its hot blocks"},
        {"wperf annotate -M intel --asm -v", "show all instructions of the hottest function"},
        {"wperf annotate --by handler", "show how many samples each bytecode of an interpreter has"},
        {"wperf annotate app.py", "show the lines of a Python file"},
        {"wperf annotate --by inlined", "sum the samples of all copies of each inlined function"},
        {0},
};

const struct command cmd_annotate_command = {
        .name = "annotate",
        .summary = "show a symbol's source lines and instructions with their samples",
        .args_usage = "[SYMBOL]",
        .about =
                "Shows where in a function the samples are: on its source lines, with inlined functions "
                "marked, and on its instructions, with jump arrows. Shares are of the samples of the "
                "function; a column with shares of all samples says so. For Python functions and files it "
                "shows source lines: a sample belongs to the line of its innermost Python frame. With -v, it "
                "also shows the native functions that each Python line called.",
        .groups = annotate_groups,
        .common = "symbol input source asm disassembler-style by sample-display-row stdio json output help",
        .examples = annotate_examples,
        .options_size = sizeof(struct annotate_options),
        .letters = report_letters,
        .absent = annotate_absent,
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
                .help = "pack at most MIB MiB; default 64",
        },
        {
                .name = "json",
                .offset = offsetof(struct archiving_options, json),
                .help = "print as JSON what was packed",
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
        {"wperf archive", "make the session wperf.data of this folder readable on another machine"},
        {"wperf archive -i perf.data -o travel.data --strip-source", "pack a perf session into a new file, "
                                                                     "without source text"},
        {0},
};

const struct command cmd_archive_command = {
        .name = "archive",
        .summary = "pack names, lines and code into a session, to read it on any machine",
        .args_usage = "[FILE]",
        .about = "Copies into a session the names, lines, code and source text that its samples need, from "
                 "programs, debug files, perf maps, kernel symbols and source files. Also unwinds the copies "
                 "of stacks that the session has. Afterwards report, export, annotate and symbolize need no "
                 "other file. perf and other tools can still read the session.",
        .groups = archive_groups,
        .examples = archive_examples,
        .options_size = sizeof(struct archive_options),
        .defaults = &archive_defaults,
        .args = ARGS_OWN,
        .run = cmd_archive,
};
