/* SPDX-License-Identifier: BSD-3-Clause */
/* report: the hot table of a session of wperf or perf; for a session of counts, the tables of stat. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_output.h"
#include "browse_choice.h"
#include "buf.h"
#include "cmd.h"
#include "cmd_report_options.h"
#include "count_replay.h"
#include "err.h"
#include "filter_none.h"
#include "group_output.h"
#include "group_rules.h"
#include "hot_output.h"
#include "os.h"
#include "sort_keys.h"
#include "stack_branches.h"
#include "stat_output.h"
#include "strip_output.h"
#include "text_match.h"

/* --annotate has its own tables of functions, as text or JSON. */
static bool check_annotate(const struct report_options *o, bool wants_tree, struct err *err)
{
        const char *in_the_way = wants_tree          ? "-g"
                                 : o->choice.inlines ? "--inlines"
                                 : o->choice.sort    ? "--sort"
                                 : o->choice.csv     ? "--csv"
                                                     : NULL;

        if ((!o->display.annotate && !o->display.disassemble) || !in_the_way)
                return true;
        return err_set(
                err, ERR_USAGE,
                "%s and %s cannot be used together: wperf annotate shows the lines and instructions of a function",
                o->display.disassemble ? "--disassemble" : "--annotate", in_the_way);
}

/* perf's `-g callee`: the word after -g is not the name of a session. */
static void take_tree_word(struct command_line *line)
{
        struct report_options *o = line->options;

        if (!o->tree.stacks || o->tree.how || !line->n_args || !tree_output_is_word(line->args[0]))
                return;
        o->tree.how = line->args[0];
        line->args++;
        line->n_args--;
}

static bool check_tree(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *alone = o->tree.min_percent ? "--percent-limit" : "--max-stack";

        if (!tree->is_wanted && (o->tree.min_percent || o->tree.max_depth))
                return err_set(err, ERR_USAGE,
                               "%s applies to the call tree: add -g; to limit the rows of a table write "
                               "--sample-display-row N",
                               alone);
        if (!tree->is_wanted)
                return true;
        if (o->choice.csv)
                return err_set(
                        err, ERR_USAGE,
                        "-g and --csv cannot be used together: a call tree is not a table; write --json");
        if (o->choice.sort)
                return err_set(
                        err, ERR_USAGE,
                        "-g and --sort cannot be used together: --sort groups samples into rows of a table, -g "
                        "prints a call tree; leave one out");
        return true;
}

/* -b prints a table of branches; it excludes all other tables. */
static bool check_branches(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *in_the_way = tree->is_wanted                                 ? "-g"
                                 : o->choice.inlines                             ? "--inlines"
                                 : o->display.annotate || o->display.disassemble ? "--annotate"
                                                                                 : NULL;

        if (!o->choice.branches || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE, "-b and %s cannot be used together: -b prints a table of branches",
                       in_the_way);
}

/* Samples over time are a table of their own, without functions. */
static bool check_strips(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *name = o->choice.threads ? "--threads" : "--timeline";
        const char *in_the_way = tree->is_wanted                                 ? "-g"
                                 : o->choice.branches                            ? "-b"
                                 : o->choice.sort                                ? "--sort"
                                 : o->choice.csv                                 ? "--csv"
                                 : o->choice.inlines                             ? "--inlines"
                                 : o->display.symbol                             ? "--symbol"
                                 : o->display.annotate || o->display.disassemble ? "--annotate"
                                 : o->choice.threads && o->choice.timeline       ? "--timeline"
                                                                                 : NULL;

        if (!(o->choice.threads || o->choice.timeline) || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE,
                       "%s and %s don't go together: %s shows samples over time, not functions", name,
                       in_the_way, name);
}

/* Accesses to memory have a table of their own. */
static bool check_mem(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *in_the_way = tree->is_wanted                                 ? "-g"
                                 : o->choice.branches                            ? "-b"
                                 : o->choice.threads                             ? "--threads"
                                 : o->choice.timeline                            ? "--timeline"
                                 : o->display.annotate || o->display.disassemble ? "--annotate"
                                                                                 : NULL;

        if (o->choice.describe && !o->choice.mem)
                return err_set(err, ERR_USAGE, "--describe explains the columns of --mem: add --mem");
        if (!o->choice.mem || !in_the_way)
                return true;
        return err_set(
                err, ERR_USAGE,
                "--mem and %s cannot be used together: --mem shows accesses to memory; run report twice",
                in_the_way);
}

/* Groups are made of functions, and have a table of their own. */
static bool check_groups(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *in_the_way = tree->is_wanted                                 ? "-g"
                                 : o->choice.branches                            ? "-b"
                                 : o->choice.mem                                 ? "--mem"
                                 : o->choice.threads                             ? "--threads"
                                 : o->choice.timeline                            ? "--timeline"
                                 : o->choice.sort                                ? "--sort"
                                 : o->display.symbol                             ? "--symbol"
                                 : o->display.annotate || o->display.disassemble ? "--annotate"
                                                                                 : NULL;

        return !o->choice.group_by || !in_the_way ||
               err_set(err, ERR_USAGE,
                       "--group-by and %s cannot be used together: --group-by shows groups of functions",
                       in_the_way);
}

/* -b sorts by the keys that branches have. */
static bool check_branch_keys(const struct report_options *o, const struct row_keys *keys, struct err *err)
{
        const unsigned known = PROFILE_SYMBOL | PROFILE_MODULE | PROFILE_ADDR | PROFILE_EVENT;

        if (!o->choice.branches || !(row_keys_bits(keys) & ~known))
                return true;
        return err_set(err, ERR_USAGE,
                       "with -b, --sort takes only the keys symbol, module and addr, not '%.60s'",
                       o->choice.sort);
}

/* Accesses have no sources: their tables show the level and the latency. */
static bool check_access_keys(const struct report_options *o, unsigned keys, struct err *err)
{
        if (o->choice.mem && keys & PROFILE_MACHINE)
                return err_set(err, ERR_USAGE, "--sort machine cannot be used with --mem; run report twice");
        return !o->choice.mem || !(keys & PROFILE_SOURCE) ||
               err_set(err, ERR_USAGE,
                       "--sort source cannot be used with --mem; run report twice, or write --sort level");
}

/* Refuses -b for a session without branches. */
static bool has_branches(const struct report *report, const char *path, struct err *err)
{
        bool any_stacks = false;

        for (size_t i = 0; i < report->n_events; i++) {
                const struct perf_attr *attr = &report->events[i].attr;

                if (branches_are_edges(attr))
                        return true;
                any_stacks |= stack_branches_can(attr);
        }
        return err_set(err, ERR_MISSING, "%s: %s", path,
                       any_stacks ? "its branch stacks are call stacks; wperf report -g shows them"
                                  : "its samples have no branches; record them with wperf record -b");
}

static bool has_sources(const struct report *report, const struct report_request *request, struct err *err)
{
        if (!(request->keys & PROFILE_SOURCE) || report->spe)
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: --sort source needs samples of Arm SPE, and it has none; record them with "
                       "wperf record -e arm_spe_0//",
                       request->path);
}

/* Refuses --mem for a session with neither accesses nor mispredicted branches. */
static bool has_accesses(const struct report *report, const char *path, struct err *err)
{
        for (uint32_t i = 0; i < report->n_events; i++) {
                if (accesses_totals(report->accesses, i).n_accesses)
                        return true;
        }
        if (report->branch_rows && branch_rows_n(report->branch_rows))
                return true;
        return err_set(err, ERR_MISSING, "%s: no sample says what it did to memory; record with --mem", path);
}

static bool has_python(const struct report *report, const struct report_request *request, struct err *err)
{
        if (!(request->keys & PROFILE_PYTHON) || module_source_python(report->session.modules))
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: --sort python and file need Python frames, and its samples have none",
                       request->path);
}

/* JSON contains the functions, and -v the modules, in the order in which they were found. */
static bool wants_only_text(const struct report_options *o)
{
        return !o->output.json && !o->output.output && !o->output.output_prefix && !o->general.verbose;
}

/* Rows are either by the innermost Python frame or by the innermost frame. */
static bool check_python_keys(const struct report_options *o, unsigned keys, struct err *err)
{
        const unsigned native = PROFILE_MODULE | PROFILE_MACHINE | PROFILE_ADDR;
        bool has_symbol = o->choice.sort &&
                          (text_in_list(o->choice.sort, "symbol") || text_in_list(o->choice.sort, "sym"));
        const char *in_the_way = keys & native || has_symbol ? "the keys symbol, module, machine and addr"
                                 : o->choice.inlines         ? "--inlines"
                                 : o->filter.modules         ? "--module"
                                                             : NULL;

        if (!(keys & PROFILE_PYTHON) || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE,
                       "--sort python and file cannot be used together with %s, which apply to native code; "
                       "wperf annotate -v shows the native functions below each Python line",
                       in_the_way);
}

static bool make_request(const struct command_line *line, const int32_t *pids, struct report_request *ret,
                         struct row_keys *ret_keys, struct tree_output *ret_tree, struct err *err)
{
        const struct report_options *o = line->options;

        if (!tree_output_init(&o->tree, ret_tree, err) || !check_tree(o, ret_tree, err))
                return false;
        *ret = (struct report_request){
                .no_demangle = o->filter.no_demangle,
                .long_names = o->display.long_names,
                .inlines = o->choice.inlines,
                .arguments = text_pattern_has_arguments(o->display.symbol),
                .merges_strays = true,
                .branches_by_target = o->choice.mem,
                .merges_callers = wants_only_text(o),
                .no_tree_inlines = ret_tree->no_inlines,
                .by_source = !ret_tree->is_wanted && !o->choice.branches && !o->choice.sort &&
                             !o->choice.threads && !o->choice.timeline && !o->choice.mem,
        };
        if (ret_tree->is_wanted)
                ret->results |= REPORT_TREE;
        if (o->choice.threads || o->choice.timeline)
                ret->results |= REPORT_SAMPLES;
        else if (!o->choice.sort && !o->choice.branches && !o->choice.csv && !o->choice.mem &&
                 !o->choice.group_by)
                ret->results |= REPORT_PYTHON;
        if (o->choice.branches)
                ret->results |= REPORT_BRANCHES;
        if (o->choice.mem)
                ret->results |= REPORT_ACCESSES | REPORT_BRANCHES;
        if (o->general.verbose)
                ret->results |= REPORT_SECTIONS;
        if (!check_annotate(o, ret_tree->is_wanted, err) || !check_branches(o, ret_tree, err) ||
            !check_strips(o, ret_tree, err) || !check_mem(o, ret_tree, err) ||
            !check_groups(o, ret_tree, err) || !cmd_input_path(line, &o->input, &ret->path, err) ||
            !(o->choice.mem ? sort_keys_parse_access(o->choice.sort, ret_keys, &ret->access_keys, err)
                            : sort_keys_parse(o->choice.sort, ret_keys, err)) ||
            !check_branch_keys(o, ret_keys, err))
                return false;
        ret->keys = row_keys_bits(ret_keys);
        if (!check_access_keys(o, ret->keys, err) || !check_python_keys(o, ret->keys, err) ||
            !python_options_frames(&o->python, &ret->python, err))
                return false;
        return filter_fill(&o->filter, pids, &ret->filter, err);
}

static bool wants_browser(const struct report_options *o, const struct report_request *request)
{
        const struct browse_choice choice = {
                .general = &o->general,
                .output = &o->output,
                .path = request->path,
                .wants_text = o->choice.stdio || o->choice.threads || o->choice.timeline || o->choice.csv ||
                              o->choice.inlines || o->choice.branches || o->choice.mem ||
                              o->choice.group_by || o->display.annotate || o->display.disassemble ||
                              o->display.strict || o->general.verbose,
        };

        return browse_choice_is_wanted(&choice);
}

struct first_report {
        const struct report_options *options;
        const struct report_request *request;
};

/* What is an error of the text is one of the browser too. */
static bool check_first(const void *ctx, const struct report *report, struct err *err)
{
        const struct first_report *first = ctx;

        return filter_none_check(report, first->request, &first->options->filter, err) &&
               has_python(report, first->request, err) && has_sources(report, first->request, err);
}

static int browse(const struct report_options *o, const struct report_request *report,
                  const struct row_keys *keys, const struct tree_output *tree, struct lookup *lookup)
{
        const struct first_report first = {o, report};
        struct report_request request = *report;
        struct browser_request browse = {
                .report = &request,
                .start = !tree->is_wanted    ? BROWSER_TABLE
                         : tree->is_inverted ? BROWSER_CALLERS
                                             : BROWSER_TREE,
                .symbol = o->display.symbol,
                .keys = *keys,
                .check = check_first,
                .check_ctx = &first,
                .private_source = o->input.force,
                .debuginfod = lookup->debuginfod,
        };
        struct err err = {0};

        request.results = 0; /* the browser makes the results that it shows */
        request.keys = 0;
        request.by_source = false;
        lookup->is_browsing = true;
        if (!browse_choice_colors(&o->color, &browse.colors, &err))
                return cmd_fail(&err);
        return browse_choice_run(&browse, EXIT_OK);
}

struct replaying {
        struct count_replay replay;
        struct stat_output *output;
        struct err err;
};

static bool show_round(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns)
{
        struct replaying *r = ctx;
        const struct count_result result = {
                .list = &r->replay.list,
                .sheet = sheet,
                .source_note = r->replay.has_info ? r->replay.info.source_note : "",
                .elapsed_ns = elapsed_ns,
                .elapsed_deviation_percent = -1,
                .user_ns = r->replay.info.user_ns,
                .kernel_ns = r->replay.info.kernel_ns,
                .off_ns = r->replay.info.off_ns,
                .has_exit = r->replay.has_info && r->replay.info.has_exit,
                .exit_status = r->replay.info.exit_status,
        };

        return stat_output_add(r->output, &result, &r->err);
}

/* For a session of stat: prints its tables. */
static int show_counts(const struct report_options *o, const char *path, struct session_input *input)
{
        struct replaying r = {0};
        struct count_run_facts facts = {0};
        bool poor = false, ok;

        ok = count_replay_open(&r.replay, input->reader, &r.err);
        if (ok) {
                struct stat_output_request request = {
                        .general = &o->general,
                        .output = &o->output,
                        .vendor = r.replay.vendor.len ? r.replay.vendor.data : NULL,
                        .subject = buf_text(&r.replay.subject),
                };

                facts.has_status = r.replay.has_info && r.replay.info.has_exit;
                facts.exit_status = r.replay.info.exit_status;
                r.output = stat_output_new(&request, &r.err);
                ok = r.output && count_replay_read(&r.replay, input->reader, show_round, &r, &r.err) &&
                     !r.err.code && stat_output_finish(r.output, &facts, &poor, &r.err);
                stat_output_free(r.output);
                poor |= r.replay.damaged;
        }
        count_replay_release(&r.replay);
        session_input_free(input);
        if (!ok) {
                err_in(&r.err, "%s", path);
                return cmd_fail(&r.err);
        }
        return poor && o->display.strict ? EXIT_POOR : EXIT_OK;
}

static int show_strips(const struct report_options *o, const struct report *report, bool is_colored)
{
        const struct strip_output output = {
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .by = o->choice.timeline ? STRIPS_BY_CPU : STRIPS_BY_THREAD,
                .is_colored = is_colored,
        };
        int status = strip_output_show(&output);

        return !status && o->display.strict && quality_is_poor(&report->quality) ? EXIT_POOR : status;
}

/* Nothing says which modules the addresses are in, so rows are addresses. */
static void take_raw_spe(struct report_request *request, struct row_keys *keys, struct buf *note)
{
        buf_printf(
                note,
                "%s has only the data of Arm SPE, without processes, modules and times: samples have addresses, but no names\n",
                strcmp(request->path, "-") ? request->path : "standard input");
        if (keys->n || request->access_keys || request->results & REPORT_TREE)
                return;
        row_keys_add(keys, ROW_ADDR);
        request->keys = row_keys_bits(keys);
}

static int show_accesses(const struct report_options *o, const struct row_keys *keys, unsigned access_keys,
                         struct report *report, bool is_colored)
{
        const struct access_output output = {
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .display = &o->display,
                .keys = *keys,
                .access_keys = access_keys,
                .inlines = o->choice.inlines,
                .csv = o->choice.csv,
                .describe = o->choice.describe,
                .is_colored = is_colored,
        };
        int status = access_output_show(&output);

        return !status && o->display.strict && quality_is_poor(&report->quality) ? EXIT_POOR : status;
}

static int show_groups(const struct report_options *o, const struct report *report, bool is_colored)
{
        struct err err = {0};
        AUTO(name_groups) groups = group_rules_open(o->choice.group_by, &err);
        int status;

        if (!groups)
                return cmd_fail(&err);
        status = group_output_show(&(struct group_output){
                .report = report,
                .groups = groups,
                .general = &o->general,
                .output = &o->output,
                .csv = o->choice.csv,
                .is_colored = is_colored,
        });
        return !status && o->display.strict && quality_is_poor(&report->quality) ? EXIT_POOR : status;
}

static int show(const struct report_options *o, struct report_request *request, struct row_keys *keys,
                const struct tree_output *tree, struct lookup *lookup)
{
        AUTO(session_input) input = NULL;
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) note = {0};
        struct hot_output output;
        struct err err = {0};
        bool poor = false, is_colored;

        if (!color_choose(&o->color, &is_colored, &err))
                return cmd_fail(&err);
        input = session_input_open(request->path, report_session_access(request->sources), &err);
        if (!input)
                return cmd_fail(&err);
        if (count_replay_is(input->reader))
                return show_counts(o, request->path, TAKE(input));
        if (perfdata_get_layout(input->reader)->raw_spe)
                take_raw_spe(request, keys, &note);
        if (wants_browser(o, request)) {
                session_input_free(TAKE(input));
                return browse(o, request, keys, tree, lookup);
        }
        report = report_make_of(request, TAKE(input), &err);
        if (!report || (o->choice.branches && !has_branches(report, request->path, &err)) ||
            !filter_none_check(report, request, &o->filter, &err) || !has_python(report, request, &err) ||
            !has_sources(report, request, &err) ||
            (o->choice.mem && !has_accesses(report, request->path, &err)))
                return cmd_fail(&err);
        buf_add(&note, report->session.archive.note.data, report->session.archive.note.len);
        if (tree->is_wanted)
                tree_output_note_missing(report, &note);
        cmd_warn(&note);
        if (o->choice.threads || o->choice.timeline)
                return show_strips(o, report, is_colored);
        if (o->choice.group_by)
                return show_groups(o, report, is_colored);
        if (o->choice.mem)
                return show_accesses(o, keys, request->access_keys, report, is_colored);
        output = (struct hot_output){
                .is_colored = is_colored,
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .display = &o->display,
                .keys = *keys,
                .tree = *tree,
                .debuginfod = lookup->debuginfod,
                .csv = o->choice.csv,
                .document_is_output = true,
        };
        if (!hot_output_show(&output, &poor))
                return EXIT_FAILED;
        return poor && o->display.strict ? EXIT_POOR : EXIT_OK;
}

int cmd_report(const struct command_line *line)
{
        const struct report_options *o = line->options;
        int32_t *pids = cmd_pids(&o->filter.pids);
        struct command_line own = *line;
        struct report_request request;
        struct row_keys keys;
        struct tree_output tree;
        struct lookup lookup;
        struct err err = {0};
        int status;

        take_tree_word(&own);
        if (lookup_init(&o->lookup, &lookup, &err) &&
            make_request(&own, pids, &request, &keys, &tree, &err)) {
                lookup.sources.any_owner = o->input.force;
                request.sources = &lookup.sources;
                status = show(o, &request, &keys, &tree, &lookup);
        } else {
                status = cmd_fail(&err);
        }
        lookup_release(&lookup);
        free(pids);
        return status;
}
