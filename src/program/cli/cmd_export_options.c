/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of `export`. */
#include "cmd_export_options.h"

#include "cmd.h"

static const struct option exporting_options[] = {
        {
                .name = "format",
                .kind = OPTION_STRING,
                .arg = "FORMAT",
                .values = EXPORT_FORMATS,
                .offset = offsetof(struct exporting_options, format),
                .help = "write FORMAT: folded, speedscope, firefox, chrome, pprof, callgrind, perf-script, svg or html; "
                        "default chosen by the name of FILE: .folded, .speedscope.json, .firefox.json or "
                        ".firefox.json.gz, .trace.json, .pb.gz, .callgrind or callgrind.out.*, .perf or .linux-perf.txt, "
                        ".svg, .html",
        },
        {
                .name = "output",
                .letter = 'o',
                .kind = OPTION_FILE,
                .arg = "FILE",
                .offset = offsetof(struct exporting_options, output),
                .help = "write to FILE; default standard output",
        },
        {
                .name = "event",
                .letter = 'e',
                .kind = OPTION_STRING,
                .arg = "EVENT",
                .names = "session_events",
                .offset = offsetof(struct exporting_options, choice.event),
                .help = "export the samples of EVENT; default all events for speedscope and perf-script, "
                        "the first event for other formats",
        },
        {
                .name = "weights",
                .offset = offsetof(struct exporting_options, choice.weights),
                .help = "for folded and firefox: write event counts instead of numbers of samples",
        },
        {
                .name = "kinds",
                .offset = offsetof(struct exporting_options, choice.kinds),
                .help = "for folded: mark kernel functions with _[k] and inlined functions with _[i], as "
                        "stackcollapse-perf.pl --kernel --inline does",
        },
        {
                .name = "root-at-bottom",
                .offset = offsetof(struct exporting_options, choice.root_at_bottom),
                .help = "for svg: draw callees above their callers; default below them",
        },
        {
                .name = "inverted",
                .hidden = true,
                .offset = offsetof(struct exporting_options, choice.inverted),
                .help = "accepted for compatibility: the root of an svg is at the top",
        },
        {
                .name = "no-inlines",
                .aliases = "no-inline",
                .offset = offsetof(struct exporting_options, no_inlines),
                .help = "count inlined functions as part of the functions that they were inlined into",
        },
        {
                .name = "lines",
                .offset = offsetof(struct exporting_options, choice.lines),
                .help = "for folded, svg, speedscope and chrome: write each line of a Python function as a frame of its "
                        "own; firefox, pprof, callgrind and perf-script always have the lines",
        },
        {0},
};

static const struct option_group exporting_group = {"What is written", exporting_options};

static const struct command_group export_groups[] = {
        {&option_group_input, offsetof(struct export_options, input)},
        {&exporting_group, offsetof(struct export_options, what)},
        {&python_group, offsetof(struct export_options, python)},
        {&filter_group, offsetof(struct export_options, filter)},
        {&page_group, offsetof(struct export_options, page)},
        {&lookup_group, offsetof(struct export_options, lookup)},
        {&lookup_windows_group, offsetof(struct export_options, lookup)},
        {&option_group_general, offsetof(struct export_options, general)},
        {0},
};

static const struct example export_examples[] = {
        {"wperf export -o profile.html --open", "write a page that opens offline, and open it"},
        {"wperf export -o profile.svg", "write a flame graph that any browser shows"},
        {"wperf export -o profile.folded --kinds", "write folded lines for flamegraph.pl and inferno"},
        {"wperf export -o profile.speedscope.json", "write a profile for https://www.speedscope.app"},
        {"wperf export -o profile.firefox.json.gz", "write a profile for https://profiler.firefox.com"},
        {"wperf export --format perf-script | stackcollapse-perf.pl | flamegraph.pl > graph.svg",
         "write the text of perf script, for tools that parse it"},
        {"wperf export -o profile.trace.json", "write a trace for https://ui.perfetto.dev"},
        {"wperf export -o callgrind.out.app && kcachegrind callgrind.out.app",
         "show callers, callees and lines in kcachegrind"},
        {"wperf export -e cycles -o profile.pb.gz", "write the stacks of one event for go tool pprof"},
        {0},
};

static const struct command_letter export_letters[] = {
        {'C', "cpu", NULL},
        {0},
};

const struct command cmd_export_command = {
        .name = "export",
        .summary = "write the call stacks of a session for other programs",
        .args_usage = "[FILE]",
        .about =
                "Writes the call stacks of a session with the names of functions. The formats folded (for "
                "flamegraph.pl and inferno), pprof, callgrind and svg (a flame graph in one file, with search and zoom) "
                "sum equal stacks. html is a page with a flame graph, functions, source lines and a time line, in one file. The formats speedscope, firefox, chrome (for Perfetto and chrome://tracing) and perf-script list the samples in order "
                "of time.",
        .groups = export_groups,
        .examples = export_examples,
        .options_size = sizeof(struct export_options),
        .letters = export_letters,
        .args = ARGS_OWN,
        .run = cmd_export,
};
