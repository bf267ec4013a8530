/* SPDX-License-Identifier: BSD-3-Clause */
/* report: the hot table of a session file, its own or perf's; of a session of counts, the tables of stat. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd.h"
#include "command_report.h"
#include "count_replay.h"
#include "err.h"
#include "filter_none.h"
#include "hot_output.h"
#include "os.h"
#include "sort_keys.h"
#include "stack_branches.h"
#include "stat_output.h"
#include "text_match.h"

/* --annotate shows functions of their own, as text or JSON. */
static bool check_annotate(const struct report_options *o, bool wants_tree, struct err *err)
{
        const char *in_the_way = wants_tree          ? "-g"
                                 : o->choice.inlines ? "--inlines"
                                 : o->choice.sort    ? "--sort"
                                 : o->choice.csv     ? "--csv"
                                                     : NULL;

        if ((!o->display.annotate && !o->display.disassemble) || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE,
                       "%s and %s don't go together: wperf annotate looks inside of functions",
                       o->display.disassemble ? "--disassemble" : "--annotate", in_the_way);
}

/* perf's `-g callee`: the word behind it is no session. */
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
                return err_set(
                        err, ERR_USAGE,
                        "%s is for the call tree, which -g asks for; --sample-display-row says how many "
                        "rows a table has",
                        alone);
        if (!tree->is_wanted)
                return true;
        if (o->choice.csv)
                return err_set(err, ERR_USAGE,
                               "-g and --csv don't go together: a tree is no table; --json has all of it");
        if (o->choice.sort)
                return err_set(err, ERR_USAGE,
                               "-g and --sort don't go together: a tree is sorted by its shares");
        return true;
}

/* -b shows edges: no other form of table goes with it. */
static bool check_branches(const struct report_options *o, const struct tree_output *tree, struct err *err)
{
        const char *in_the_way = tree->is_wanted                                 ? "-g"
                                 : o->choice.inlines                             ? "--inlines"
                                 : o->display.annotate || o->display.disassemble ? "--annotate"
                                                                                 : NULL;

        if (!o->choice.branches || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE, "-b and %s don't go together: branches lead from function to function",
                       in_the_way);
}

/* What an end of a branch has. */
static bool check_branch_keys(const struct report_options *o, const struct row_keys *keys, struct err *err)
{
        const unsigned known = PROFILE_SYMBOL | PROFILE_MODULE | PROFILE_ADDR | PROFILE_EVENT;

        if (!o->choice.branches || !(row_keys_bits(keys) & ~known))
                return true;
        return err_set(err, ERR_USAGE, "-b takes of --sort's keys symbol, module and addr, not '%.60s'",
                       o->choice.sort);
}

/* A table of what the session does not have is refused. */
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
                       any_stacks ? "its branch stacks are call stacks; see them with -g"
                                  : "its samples have no branches; perf record -b writes them");
}

static bool has_python(const struct report *report, const struct report_request *request, struct err *err)
{
        if (!(request->keys & PROFILE_PYTHON) || module_source_python(report->session.modules))
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: its samples have no Python frames, which --sort python and file need",
                       request->path);
}

/* JSON has the functions, and -v the modules, in the order in which they were found. */
static bool wants_only_text(const struct report_options *o)
{
        return !o->output.json && !o->output.output && !o->output.output_prefix && !o->general.verbose;
}

/* Rows are of the innermost Python frame, or of the innermost frame. */
static bool check_python_keys(const struct report_options *o, unsigned keys, struct err *err)
{
        const unsigned native = PROFILE_MODULE | PROFILE_ADDR;
        bool has_symbol = o->choice.sort &&
                          (text_in_list(o->choice.sort, "symbol") || text_in_list(o->choice.sort, "sym"));
        const char *in_the_way = keys & native || has_symbol ? "--sort's keys symbol, module and addr"
                                 : o->choice.inlines         ? "--inlines"
                                 : o->filter.modules         ? "--module"
                                                             : NULL;

        if (!(keys & PROFILE_PYTHON) || !in_the_way)
                return true;
        return err_set(err, ERR_USAGE,
                       "--sort's keys python and file don't go together with %s, which are of native code",
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
                .merges_callers = wants_only_text(o),
                .no_tree_inlines = ret_tree->no_inlines,
        };
        if (ret_tree->is_wanted)
                ret->results |= REPORT_TREE;
        if (!o->choice.sort && !o->choice.branches && !o->choice.csv)
                ret->results |= REPORT_PYTHON;
        if (o->choice.branches)
                ret->results |= REPORT_BRANCHES;
        if (o->general.verbose)
                ret->results |= REPORT_SECTIONS;
        if (!check_annotate(o, ret_tree->is_wanted, err) || !check_branches(o, ret_tree, err) ||
            !cmd_input_path(line, &o->input, &ret->path, err) ||
            !sort_keys_parse(o->choice.sort, ret_keys, err) || !check_branch_keys(o, ret_keys, err))
                return false;
        ret->keys = row_keys_bits(ret_keys);
        if (!check_python_keys(o, ret->keys, err) || !python_options_frames(&o->python, &ret->python, err))
                return false;
        return filter_fill(&o->filter, pids, &ret->filter, err);
}

struct replaying {
        struct count_replay replay;
        struct stat_output *output;
        struct err err;
};

static bool show_round(void *ctx, const struct sheet *sheet, uint64_t elapsed_ns)
{
        struct replaying *r = ctx;
        const struct count_shot shot = {
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

        return stat_output_shot(r->output, &shot, &r->err);
}

/* A session of stat: its tables again. */
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

static int show(const struct report_options *o, const struct report_request *request,
                const struct row_keys *keys, const struct tree_output *tree, const struct lookup *lookup)
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
        report = report_make_of(request, TAKE(input), &err);
        if (!report || (o->choice.branches && !has_branches(report, request->path, &err)) ||
            !filter_none_check(report, request, &o->filter, &err) || !has_python(report, request, &err))
                return cmd_fail(&err);
        buf_add(&note, report->session.archive.note.data, report->session.archive.note.len);
        if (tree->is_wanted)
                tree_output_note_missing(report, &note);
        cmd_warn(&note);
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
