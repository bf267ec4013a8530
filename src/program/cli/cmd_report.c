/* SPDX-License-Identifier: BSD-3-Clause */
/* report: the hot table of a session of wperf or perf; for a session of counts, the tables of stat. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access_output.h"
#include "browse_choice.h"
#include "buf.h"
#include "call_output.h"
#include "cmd.h"
#include "cmd_report_options.h"
#include "count_replay.h"
#include "err.h"
#include "filter_none.h"
#include "group_output.h"
#include "group_rules.h"
#include "hot_output.h"
#include "os.h"
#include "reading_progress.h"
#include "report_table.h"
#include "sort_keys.h"
#include "stack_branches.h"
#include "stat_output.h"
#include "strip_output.h"
#include "text_match.h"
#include "waker_output.h"

struct reporting {
        const struct report_options *options;
        enum report_table table;
        struct report_request request;
        struct row_keys keys;
        struct tree_output tree;
        struct lookup lookup;
        bool is_colored;
        bool has_frames; /* of Python; set for the browser */
};

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

/* Options that need another one. */
static bool check_alone(const struct report_options *o, bool wants_tree, struct err *err)
{
        const char *alone = o->tree.min_percent ? "--percent-limit" : "--max-stack";

        if (o->tree.lines && !wants_tree)
                return err_set(err, ERR_USAGE,
                               "--lines applies to the call tree: add -g; for a table of lines write --sort "
                               "symbol,line or --sort python,line");
        if (o->choice.describe && !o->choice.mem)
                return err_set(err, ERR_USAGE, "--describe applies to the table of --mem: add --mem");
        if (o->choice.mem && o->filter.latency)
                return err_set(
                        err, ERR_USAGE,
                        "--mem and --latency cannot be used together: --mem shows the latency of accesses, "
                        "--latency shares of wall time");
        if (o->choice.mem && o->filter.parallelism)
                return err_set(
                        err, ERR_USAGE,
                        "--mem and --parallelism cannot be used together: it is of samples of CPU time");
        return wants_tree || (!o->tree.min_percent && !o->tree.max_depth) ||
               err_set(err, ERR_USAGE,
                       "%s applies to the call tree: add -g; to limit the rows of a table write "
                       "--sample-display-row N",
                       alone);
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

static bool has_wakers(const struct report *report, const char *path, struct err *err)
{
        const struct waker_rows *rows = report->pieces ? report->pieces->wakers : NULL;

        if (rows && (rows->n || report->sched->has[SCHED_WAKING]))
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: who woke threads is not recorded; record as root with perf sched record, or add "
                       "-a -c 1 -e sched:sched_switch -e sched:sched_waking",
                       path);
}

static bool has_syscalls(const struct report *report, const char *path, struct err *err)
{
        return report->syscalls ||
               err_set(err, ERR_MISSING,
                       "%s: its system calls are not known; record with wperf record --wall, or as root all of "
                       "them with perf trace record",
                       path);
}

static bool has_locks(const struct report *report, const char *path, struct err *err)
{
        return report->locks ||
               err_set(err, ERR_MISSING,
                       "%s: its waits for locks are not known; record with wperf record --wall, or as root those "
                       "for the kernel's locks with perf lock record",
                       path);
}

static bool has_states(const struct report *report, const struct report_request *request, struct err *err)
{
        if (!(request->keys & PROFILE_STATE) || report->pieces)
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: --sort state needs the states of threads; record them with wperf record --wall",
                       request->path);
}

static bool has_python(const struct report *report, const struct report_request *request, struct err *err)
{
        if (!(request->keys & PROFILE_PYTHON) || module_source_python(report->session.modules))
                return true;
        return err_set(err, ERR_MISSING,
                       "%s: --sort python, file and package need Python frames, and its samples have none",
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
        return err_set(
                err, ERR_USAGE,
                "--sort python, file and package cannot be used together with %s, which apply to native code; "
                "wperf annotate -v shows the native functions below each Python line",
                in_the_way);
}

/* What a table is made of, besides rows of functions. */
static unsigned results_of(const struct report_options *o, enum report_table table)
{
        static const unsigned of_table[REPORT_N_TABLES] = {
                [REPORT_TABLE_ACCESSES] = REPORT_ACCESSES | REPORT_BRANCHES,
                [REPORT_TABLE_WAKERS] = REPORT_WAKERS,
                [REPORT_TABLE_SYSCALLS] = REPORT_SYSCALLS,
                [REPORT_TABLE_LOCKS] = REPORT_LOCKS,
                [REPORT_TABLE_THREADS] = REPORT_SAMPLES,
                [REPORT_TABLE_CPUS] = REPORT_SAMPLES,
                [REPORT_TABLE_BRANCHES] = REPORT_BRANCHES,
                [REPORT_TABLE_ANNOTATED] = REPORT_PYTHON,
                [REPORT_TABLE_TREE] = REPORT_TREE | REPORT_PYTHON,
                [REPORT_TABLE_FUNCTIONS] = REPORT_PYTHON | REPORT_WALL,
        };
        unsigned results = of_table[table];

        if ((o->choice.sort && table != REPORT_TABLE_TREE) || o->choice.csv)
                results &= ~(unsigned)REPORT_PYTHON;
        return o->general.verbose ? results | REPORT_SECTIONS : results;
}

/* Samples of Arm SPE are shown by their source where rows are functions and nothing else was asked for. */
static bool is_by_source(const struct report_options *o, enum report_table table)
{
        return !o->choice.sort && (table == REPORT_TABLE_FUNCTIONS || table == REPORT_TABLE_ANNOTATED ||
                                   table == REPORT_TABLE_GROUPS);
}

static bool parse_keys(const struct report_options *o, enum report_table table,
                       struct report_request *request, struct row_keys *ret, struct err *err)
{
        bool has_keys =
                table != REPORT_TABLE_TREE && table != REPORT_TABLE_SYSCALLS && table != REPORT_TABLE_LOCKS;
        const char *sort = has_keys ? o->choice.sort : NULL;
        bool ok = o->choice.mem ? sort_keys_parse_access(sort, ret, &request->access_keys, err)
                                : sort_keys_parse(sort, ret, err);

        if (!ok)
                return false;
        request->keys = row_keys_bits(ret);
        return check_branch_keys(o, ret, err) && check_access_keys(o, request->keys, err) &&
               check_python_keys(o, request->keys, err);
}

/* The session, and the rules of --group-by. */
static bool spares_inputs(const struct report_options *o, const char *session, struct err *err)
{
        const struct output_options *output = &o->output;
        const char *rules = o->choice.group_by;

        return cmd_spares_input("-o", output->output_prefix, output->output, session, err) &&
               (!rules || cmd_spares_input("-o", output->output_prefix, output->output, rules, err));
}

static bool make_request(const struct command_line *line, const int32_t *pids, struct reporting *r,
                         struct err *err)
{
        const struct report_options *o = line->options;
        struct report_request *request = &r->request;

        if (!tree_output_init(&o->tree, &r->tree, err) ||
            !report_table_choose(o, r->tree.is_wanted, &r->table, err) ||
            !check_alone(o, r->tree.is_wanted, err))
                return false;
        *request = (struct report_request){
                .no_demangle = o->filter.no_demangle,
                .long_names = o->display.long_names,
                .inlines = o->choice.inlines,
                .arguments = text_pattern_has_arguments(o->display.symbol),
                .symbol = o->display.symbol,
                .merges_strays = true,
                .branches_by_target = o->choice.mem,
                .merges_callers = wants_only_text(o),
                .no_tree_inlines = r->tree.no_inlines,
                .python_lines = o->tree.lines || report_table_by_line(o),
                .by_source = is_by_source(o, r->table),
                .results = results_of(o, r->table),
        };
        return parse_keys(o, r->table, request, &r->keys, err) &&
               report_table_waiters(o, r->table, &request->waiters_by, err) &&
               python_options_frames(&o->python, &request->python, err) &&
               filter_fill(&o->filter, pids, &request->filter, err) &&
               cmd_input_path(line, &o->input, &request->path, err) && spares_inputs(o, request->path, err);
}

static bool wants_browser(const struct reporting *r)
{
        const struct report_options *o = r->options;
        const struct browse_choice choice = {
                .general = &o->general,
                .output = &o->output,
                .path = r->request.path,
                .wants_text = o->choice.stdio || !report_table_is_browsed(r->table, o) || o->display.strict ||
                              o->general.verbose,
        };

        return browse_choice_is_wanted(&choice);
}

/* What is an error of the text is one of the browser too. */
static bool check_first(const void *ctx, const struct report *report, struct err *err)
{
        const struct reporting *r = ctx;

        return filter_none_check(report, &r->request, &r->options->filter, err) &&
               has_python(report, &r->request, err) && has_sources(report, &r->request, err) &&
               has_states(report, &r->request, err);
}

static enum browser_start first_page(const struct reporting *r)
{
        if (r->tree.is_wanted)
                return r->tree.is_inverted ? BROWSER_CALLERS : BROWSER_TREE;
        return r->has_frames && !r->keys.n && r->request.python != STACKS_PYTHON_NATIVE ? BROWSER_FUNCTIONS
                                                                                        : BROWSER_TABLE;
}

static int browse(struct reporting *r)
{
        const struct report_options *o = r->options;
        struct report_request request = r->request;
        struct browser_request browse = {
                .report = &request,
                .start = first_page(r),
                .symbol = o->display.symbol,
                .keys = r->keys,
                .check = check_first,
                .check_ctx = r,
                .private_source = o->input.force,
                .debuginfod = r->lookup.debuginfod,
        };
        struct err err = {0};

        request.results = 0; /* the browser makes the results that it shows */
        request.keys = 0;
        request.by_source = false;
        r->lookup.is_browsing = true;
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

static int show_strips(const struct reporting *r, const struct report *report)
{
        return strip_output_show(&(struct strip_output){
                .report = report,
                .general = &r->options->general,
                .output = &r->options->output,
                .by = r->table == REPORT_TABLE_CPUS ? STRIPS_BY_CPU : STRIPS_BY_THREAD,
                .is_colored = r->is_colored,
        });
}

/* Nothing says which modules the addresses are in, so rows are addresses. */
static void take_raw_spe(struct reporting *r, struct buf *note)
{
        buf_printf(
                note,
                "%s has only the data of Arm SPE, without processes, modules and times: samples have addresses, but no names\n",
                strcmp(r->request.path, "-") ? r->request.path : "standard input");
        if (r->keys.n || r->request.access_keys || r->table == REPORT_TABLE_TREE)
                return;
        row_keys_add(&r->keys, ROW_ADDR);
        r->request.keys = row_keys_bits(&r->keys);
}

static int show_accesses(const struct reporting *r, struct report *report)
{
        const struct report_options *o = r->options;

        return access_output_show(&(struct access_output){
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .display = &o->display,
                .keys = r->keys,
                .access_keys = r->request.access_keys,
                .inlines = o->choice.inlines,
                .csv = o->choice.csv,
                .describe = o->choice.describe,
                .is_colored = r->is_colored,
        });
}

static int show_groups(const struct reporting *r, const struct report *report)
{
        const struct report_options *o = r->options;
        struct err err = {0};
        AUTO(name_groups) groups = group_rules_open(o->choice.group_by, &err);

        if (!groups)
                return cmd_fail(&err);
        return group_output_show(&(struct group_output){
                .report = report,
                .groups = groups,
                .general = &o->general,
                .output = &o->output,
                .csv = o->choice.csv,
                .is_colored = r->is_colored,
        });
}

static int show_rows(const struct reporting *r, struct report *report)
{
        const struct report_options *o = r->options;
        const struct hot_output output = {
                .is_colored = r->is_colored,
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .display = &o->display,
                .keys = r->keys,
                .tree = r->tree,
                .debuginfod = r->lookup.debuginfod,
                .csv = o->choice.csv,
                .document_is_output = true,
        };
        bool poor;

        return hot_output_show(&output, &poor) ? EXIT_OK : EXIT_FAILED;
}

static int show_wakers(const struct reporting *r, const struct report *report)
{
        return waker_output_show(&(struct waker_output){
                .report = report,
                .general = &r->options->general,
                .output = &r->options->output,
                .n_rows = r->options->display.rows ? r->options->display.rows : DISPLAY_ROWS_DEFAULT,
        });
}

static int show_calls(const struct reporting *r, const struct report *report)
{
        return call_output_show(&(struct call_output){
                .syscalls = report->syscalls,
                .locks = report->locks,
                .quality = &report->quality,
                .general = &r->options->general,
                .output = &r->options->output,
                .n_rows = r->options->display.rows ? r->options->display.rows : DISPLAY_ROWS_DEFAULT,
                .csv = r->options->choice.csv,
        });
}

static int show_table(const struct reporting *r, struct report *report)
{
        int status;

        switch (r->table) {
        case REPORT_TABLE_WAKERS: status = show_wakers(r, report); break;
        case REPORT_TABLE_LOCKS:
        case REPORT_TABLE_SYSCALLS: status = show_calls(r, report); break;
        case REPORT_TABLE_THREADS:
        case REPORT_TABLE_CPUS: status = show_strips(r, report); break;
        case REPORT_TABLE_GROUPS: status = show_groups(r, report); break;
        case REPORT_TABLE_ACCESSES: status = show_accesses(r, report); break;
        default: status = show_rows(r, report); break;
        }
        return !status && r->options->display.strict && quality_is_poor(&report->quality) ? EXIT_POOR
                                                                                          : status;
}

static bool has_rows(const struct reporting *r, const struct report *report, struct err *err)
{
        return (r->table != REPORT_TABLE_WAKERS || has_wakers(report, r->request.path, err)) &&
               (r->table != REPORT_TABLE_SYSCALLS || has_syscalls(report, r->request.path, err)) &&
               (r->table != REPORT_TABLE_LOCKS || has_locks(report, r->request.path, err)) &&
               (r->table != REPORT_TABLE_BRANCHES || has_branches(report, r->request.path, err)) &&
               check_first(r, report, err) &&
               (r->table != REPORT_TABLE_ACCESSES || has_accesses(report, r->request.path, err));
}

static int show(struct reporting *r)
{
        const struct report_options *o = r->options;
        AUTO(session_input) input = NULL;
        struct reading_progress *progress;
        AUTO(report) report = NULL;
        AUTO_RELEASE(buf) note = {0};
        struct err err = {0};

        if (!color_choose(&o->color, &r->is_colored, &err))
                return cmd_fail(&err);
        input = session_input_open(r->request.path, report_session_access(r->request.sources), &err);
        if (!input)
                return cmd_fail(&err);
        if (count_replay_is(input->reader))
                return show_counts(o, r->request.path, TAKE(input));
        if (perfdata_get_layout(input->reader)->raw_spe)
                take_raw_spe(r, &note);
        r->has_frames = !perfdata_feature(input->reader, FEATURE_WPERF_PYTHON).failed;
        if (wants_browser(r)) {
                session_input_free(TAKE(input));
                return browse(r);
        }
        progress =
                reading_progress_start(r->request.path, &r->request, &r->lookup, r->options->general.quiet);
        report = report_make_of(&r->request, TAKE(input), &err);
        reading_progress_end(progress);
        if (!report || !has_rows(r, report, &err))
                return cmd_fail(&err);
        buf_add(&note, report->session.archive.note.data, report->session.archive.note.len);
        if (r->table == REPORT_TABLE_TREE)
                tree_output_note_missing(report, r->request.python, &note);
        cmd_warn(&note);
        return show_table(r, report);
}

static bool make_picture(struct reporting *r, const struct export_format *format, const char *path,
                         struct err *err)
{
        const struct report_options *o = r->options;
        struct report_request request = {
                .path = r->request.path,
                .filter = r->request.filter,
                .python = r->request.python,
                .no_demangle = r->request.no_demangle,
                .long_names = r->request.long_names,
                .no_tree_inlines = r->request.no_tree_inlines,
                .sources = r->request.sources,
        };
        struct export_output output = {
                .format = format,
                .choice.lines = o->tree.lines,
                .page = {.session = r->request.path,
                         .python = r->request.python,
                         .options = &o->page,
                         .takes_private = o->input.force,
                         .debuginfod = r->lookup.debuginfod},
        };
        const struct export_reading reading = {&request, &o->filter, &r->lookup, o->general.quiet};

        export_output_request(format, &output.choice, &request);
        if (!export_output_read(&output, &reading, path, err))
                return false;
        page_output_show(&o->page, path, o->general.quiet || !strcmp(path, "-"));
        return true;
}

static int write_picture(struct reporting *r, const struct export_format *format)
{
        const struct output_options *o = &r->options->output;
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) path = {0};
        struct err err = {0};

        if (o->output)
                buf_add_str(&name, o->output);
        else
                export_output_add_default_name(format, &name);
        cmd_output_path(o->output_prefix, buf_text(&name), &path);
        if (!cmd_spares_input(o->output ? "-o" : "--format", NULL, buf_text(&path), r->request.path, &err) ||
            !export_output_can_write(format, o->output_prefix, buf_text(&name), &err) ||
            !make_picture(r, format, buf_text(&path), &err))
                return cmd_fail(&err);
        return EXIT_OK;
}

int cmd_report(const struct command_line *line)
{
        struct report_options *o = line->options;
        int32_t *pids = cmd_pids(&o->filter.pids);
        struct command_line own = *line;
        struct reporting r = {.options = o};
        const struct export_format *format = NULL;
        struct err err = {0};
        int status;

        take_tree_word(&own);
        if (page_output_take(&o->page, &o->output.output, &err) && lookup_init(&o->lookup, &r.lookup, &err) &&
            export_output_choose(o->choice.format, o->output.output, o->output.json, &o->page, &format,
                                 &err) &&
            make_request(&own, pids, &r, &err)) {
                r.lookup.sources.any_owner = o->input.force;
                r.request.sources = &r.lookup.sources;
                status = format ? write_picture(&r, format) : show(&r);
        } else {
                status = cmd_fail(&err);
        }
        lookup_release(&r.lookup);
        free(pids);
        return status;
}
