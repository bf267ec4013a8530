/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of the commands that read a session. */
#include "report_options.h"

#include "cmd.h"

static const struct option choice_options[] = {
        {
                .name = "sort",
                .kind = OPTION_LIST,
                .arg = "KEYS",
                .offset = offsetof(struct choice_options, sort),
                .help = "make a row of what is equal in KEYS: comm, pid, tid, cpu, module, symbol, line",
        },
        {
                .name = "pid",
                .kind = OPTION_NUMBERS,
                .arg = "PIDS",
                .max = UINT32_MAX,
                .offset = offsetof(struct choice_options, pids),
                .help = "only samples of these processes",
        },
        {
                .name = "comm",
                .aliases = "comms",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = offsetof(struct choice_options, comms),
                .help = "only samples of threads with these names",
        },
        {
                .name = "module",
                .aliases = "modules dso dsos",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = offsetof(struct choice_options, modules),
                .help = "only samples in these modules",
        },
        {
                .name = "time",
                .kind = OPTION_STRING,
                .arg = "A,B",
                .offset = offsetof(struct choice_options, time),
                .help = "only samples from second A to second B of the session; either may be left out",
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
                .help = "give functions that were inlined rows of their own",
        },
        {
                .name = "no-inlines",
                .aliases = "no-inline",
                .offset = offsetof(struct choice_options, no_inlines),
                .help = "count them where they were inlined, as is the default",
        },
        {
                .name = "no-demangle",
                .offset = offsetof(struct choice_options, no_demangle),
                .help = "show C++ and Rust names as they stand in the file",
        },
        {
                .name = "stdio",
                .offset = offsetof(struct choice_options, stdio),
                .help = "accepted; the report is always text",
        },
        {
                .name = "call-graph",
                .letter = 'g',
                .later = true,
                .offset = offsetof(struct choice_options, call_graph),
                .help = "show call stacks",
        },
        {0},
};

static const struct option_group choice_group = {"Choice and order", choice_options};

static const struct command_group report_groups[] = {
        {&input_group, offsetof(struct report_options, input)},
        {&choice_group, offsetof(struct report_options, choice)},
        {&display_group, offsetof(struct report_options, display)},
        {&output_group, offsetof(struct report_options, output)},
        {&general_group, offsetof(struct report_options, general)},
        {0},
};

static const struct report_options report_defaults = {
        .display.rows = DISPLAY_ROWS_DEFAULT,
};

static const struct example report_examples[] = {
        {"wperf report", "the table of the last session in this folder"},
        {"wperf report -i perf.data --sort comm,module", "a session of perf, by program and module"},
        {"wperf report --inlines --sort symbol,line", "by source line, inlined functions apart"},
        {"wperf report -s ^_Py --csv", "the symbols that begin with _Py, for a spreadsheet"},
        {0},
};

const struct command command_report = {
        .name = "report",
        .summary = "show a session as tables",
        .args_usage = "[FILE]",
        .about = "Reads a session that record, sample or Linux perf wrote and prints its samples by symbol.",
        .groups = report_groups,
        .examples = report_examples,
        .options_size = sizeof(struct report_options),
        .defaults = &report_defaults,
        .args = ARGS_OWN,
        .run = cmd_report,
};

static const struct command_group dump_groups[] = {
        {&input_group, offsetof(struct dump_options, input)},
        {&output_group, offsetof(struct dump_options, output)},
        {&general_group, offsetof(struct dump_options, general)},
        {0},
};

static const struct example dump_examples[] = {
        {"wperf dump -i wperf.data", "every record of a session, a line each"},
        {0},
};

const struct command command_dump = {
        .name = "dump",
        .summary = "show the records of a session as they stand in the file",
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
                .name = "disassembler-style",
                .letter = 'M',
                .kind = OPTION_STRING,
                .arg = "STYLE",
                .offset = offsetof(struct annotate_options, style),
                .help = "how x86 instructions are written: intel or att",
        },
        {0},
};

static const struct option_group annotate_group = {"Instructions", annotate_options};

static const struct command_group annotate_groups[] = {
        {&input_group, offsetof(struct annotate_options, input)},
        {&annotate_group, 0},
        {&output_group, offsetof(struct annotate_options, output)},
        {&general_group, offsetof(struct annotate_options, general)},
        {0},
};

const struct command command_annotate = {
        .name = "annotate",
        .summary = "show a symbol's source lines and instructions with their samples",
        .args_usage = "[SYMBOL]",
        .groups = annotate_groups,
        .options_size = sizeof(struct annotate_options),
        .args = ARGS_OWN,
};
