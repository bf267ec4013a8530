/* SPDX-License-Identifier: BSD-3-Clause */
/* diff: compares two groups of sessions, and prints tables. */
#include <stdlib.h>
#include <string.h>

#include "browse_choice.h"
#include "cmd.h"
#include "cmd_diff_code.h"
#include "cmd_diff_options.h"
#include "compared_runs.h"
#include "comparison.h"
#include "diff_picture.h"
#include "diff_view.h"
#include "export_output.h"
#include "file_pairs.h"
#include "group_rules.h"
#include "mem.h"
#include "os.h"
#include "page_output.h"
#include "run_facts.h"
#include "run_notes.h"
#include "session_warnings.h"
#include "text.h"
#include "text_number.h"
#include "text_printable.h"

struct diff_kind;

struct diffing {
        const struct diff_options *options;
        struct compared_paths paths;
        struct measured_session_request request;
        const struct diff_kind *kind;
        enum comparison_measure measure;
        bool is_by_count; /* --measure count */
        double wanted_change;
        bool is_colored;
        bool is_by_python;          /* without --by */
        struct name_groups *groups; /* NULL: names are compared one by one */
        struct run_values *values;
        struct comparison **comparisons;
        size_t n_comparisons, cap_comparisons;
        struct diff_tree *trees; /* for a flame graph; NULL: none is drawn */
        struct shared_builds builds;
        struct debuginfod *debuginfod; /* as in struct lookup */
        struct buf notes, warnings;
        size_t n_read; /* sessions; another thread may read it */
};

static void diffing_release(struct diffing *d)
{
        for (size_t i = 0; i < d->n_comparisons; i++)
                comparison_free(d->comparisons[i]);
        free(d->comparisons);
        run_values_free(d->values);
        diff_tree_free(d->trees);
        name_groups_free(d->groups);
        shared_builds_release(&d->builds);
        buf_release(&d->notes);
        buf_release(&d->warnings);
}

/* --- Options ---------------------------------------------------------------------------------------- */

static const struct diff_kind {
        const char *word, *one, *several;
        enum measured_by by;
} kinds[] = {
        {"function", "function", "functions", MEASURED_FUNCTION},
        {"line", "line", "lines", MEASURED_LINE},
        {"stack", "stack", "stacks", MEASURED_STACK},
        {"handler", "handler", "handlers", MEASURED_HANDLER},
        {"python", "Python function", "Python functions", MEASURED_PYTHON},
};

static bool choose_kind(struct diffing *d, struct err *err)
{
        const char *word = d->options->what.by;

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                if (word ? !strcmp(word, kinds[i].word) : !i) {
                        d->kind = &kinds[i];
                        d->request.by = kinds[i].by;
                        return true;
                }
        }
        return err_set(err, ERR_USAGE, "--by takes function, line, stack, handler or python, not '%.40s'",
                       word);
}

/* Where nothing was asked for, people see Python functions first; programs that read JSON and CSV get the
 * same rows whatever the session. */
static void prefer_python(struct diffing *d)
{
        const struct diff_options *o = d->options;
        bool is_data = o->output.json || o->what.csv || (o->output.output && !d->trees);

        if (o->what.by || o->what.group_by || is_data ||
            !compared_runs_have_python(&d->paths, d->request.sources))
                return;
        d->kind = &kinds[N_ELEMENTS(kinds) - 1];
        d->request.by = d->kind->by;
        d->is_by_python = true;
}

static bool choose_measure(struct diffing *d, struct err *err)
{
        const char *word = d->options->what.measure;

        d->measure = word && !strcmp(word, "share") ? MEASURE_SHARE : MEASURE_TIME;
        d->is_by_count = word && !strcmp(word, "count");
        return !word || d->is_by_count || d->measure == MEASURE_SHARE || !strcmp(word, "time") ||
               err_set(err, ERR_USAGE, "--measure takes time, share or count, not '%.40s'", word);
}

static bool choose_change(struct diffing *d, struct err *err)
{
        const char *text = d->options->what.find;

        return !text || (text_to_percent(text, &d->wanted_change) && d->wanted_change > 0) ||
               err_set(err, ERR_USAGE, "--find takes a change in percent, as in --find 2%%, not '%.40s'",
                       text);
}

static bool choose_groups(struct diffing *d, struct err *err)
{
        const struct comparing_options *o = &d->options->what;

        if (!o->group_by)
                return true;
        if (d->request.by != MEASURED_FUNCTION)
                return err_set(err, ERR_USAGE,
                               "--group-by and --by %s cannot be used together: groups are made of functions",
                               o->by);
        d->groups = group_rules_open(o->group_by, err);
        return d->groups;
}

static bool check_options(struct diffing *d, const struct command_line *line, struct err *err)
{
        const struct diff_options *o = d->options;
        const char *name = o->output.output;
        bool is_picture = name && (page_output_is(name) || text_ends(name, ".svg"));

        if (!is_picture && export_output_of_file(name))
                return err_set(
                        err, ERR_USAGE,
                        "-o %.200s: diff writes pages (.html), flame graphs (.svg) and JSON (any other name)",
                        name);
        if (is_picture)
                d->trees = d->request.trees = diff_tree_new();
        if (d->trees && (o->output.json || o->what.group_by))
                return err_set(err, ERR_USAGE,
                               "%s cannot be used with a page or a flame graph: name another file with -o",
                               o->output.json ? "--json" : "--group-by");
        if (o->what.csv && o->output.json)
                return err_set(err, ERR_USAGE, "--csv and --json cannot be used together: leave one out");
        return page_output_check(&o->page, page_output_is(name) ? name : NULL, err) && choose_kind(d, err) &&
               choose_measure(d, err) && choose_change(d, err) &&
               color_choose(&o->color, &d->is_colored, err) && compared_paths_split(line, &d->paths, err) &&
               cmd_can_write(o->output.output_prefix, o->output.output, err) &&
               compared_paths_spare(&d->paths, "-o", o->output.output_prefix, o->output.output, err) &&
               choose_groups(d, err);
}

/* --- Comparisons ------------------------------------------------------------------------------------ */

static bool has_event(const struct run_values *values, uint32_t event, enum run_side side)
{
        size_t from = side == RUN_A ? 0 : run_values_n_runs(values, RUN_A);

        for (size_t i = 0; i < run_values_n_runs(values, side); i++) {
                const struct run_event *e = run_values_event(values, from + i, event);

                if (e && (e->n_samples || e->is_counted))
                        return true;
        }
        return false;
}

/* Of sessions of stat. */
static bool is_counted(const struct run_values *values, uint32_t event, size_t from, size_t end)
{
        for (size_t i = from; i < end; i++) {
                const struct run_event *e = run_values_event(values, i, event);

                if (e && e->is_counted)
                        return true;
        }
        return false;
}

static void compare_event(struct diffing *d, uint32_t event)
{
        const struct comparison_request request = {
                .values = d->values,
                .event = event,
                .measure = d->measure,
                .total = d->is_by_count ? d->options->what.event : NULL,
        };
        bool in_a = has_event(d->values, event, RUN_A), in_b = has_event(d->values, event, RUN_B);

        /* Counts have no rows: the totals of the first comparison say all. */
        if (in_a && in_b && d->n_comparisons &&
            is_counted(d->values, event, 0, run_values_n_all_runs(d->values)))
                return;
        if (in_a && in_b)
                ARRAY_PUSH(d->comparisons, d->n_comparisons, d->cap_comparisons, comparison_new(&request));
        else if (in_a || in_b)
                text_printf(&d->notes, "event: only %s has %s\n", in_a ? "A" : "B",
                            run_values_event_name(d->values, event));
}

static bool has_counts(const struct run_values *values, size_t from, size_t end)
{
        for (uint32_t i = 0; i < run_values_n_events(values); i++) {
                if (is_counted(values, i, from, end))
                        return true;
        }
        return false;
}

static bool compare_events(struct diffing *d, struct err *err)
{
        const char *wanted = d->options->what.event, *doubt = run_facts_doubt(d->values);
        size_t n_a = run_values_n_runs(d->values, RUN_A), n = run_values_n_all_runs(d->values);
        bool a_counts = has_counts(d->values, 0, n_a), b_counts = has_counts(d->values, n_a, n);

        if (a_counts != b_counts)
                return err_set(
                        err, ERR_MISSING,
                        "%s has counts and %s has samples: compare sessions of wperf stat, or of wperf record",
                        a_counts ? "A" : "B", a_counts ? "B" : "A");
        if (d->is_by_count && !a_counts)
                return err_set(err, ERR_MISSING,
                               "--measure count compares sessions of wperf stat; these have samples");
        if (!compared_runs_check(d->values, err))
                return false;
        for (uint32_t i = 0; i < run_values_n_events(d->values); i++) {
                if (!wanted || !strcmp(wanted, run_values_event_name(d->values, i)))
                        compare_event(d, i);
        }
        for (size_t i = 0; doubt && i < d->n_comparisons; i++)
                comparison_doubt(d->comparisons[i], doubt);
        if (d->n_comparisons)
                return true;
        return wanted ? err_set(err, ERR_MISSING, "no event '%.60s' is in A and in B", wanted)
                      : err_set(err, ERR_MISSING, "A and B have different events");
}

static bool read_runs(struct diffing *d, struct err *err)
{
        d->values = run_values_new();
        d->request.warnings = &d->warnings;
        shared_builds_release(&d->builds);
        d->builds = (struct shared_builds){0};
        if (!compared_runs_can_open(&d->paths, d->request.sources, &d->builds, err))
                return false;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                if (!compared_runs_read(d->values, &d->paths, (enum run_side)side, &d->request, &d->n_read,
                                        err))
                        return false;
        }
        return true;
}

/* Nobody asked for Python functions, and a run has none: all are read again. */
static void prefer_functions(struct diffing *d, const struct err *why)
{
        text_printf(&d->notes, "native functions are compared: %s\n", why->text);
        run_values_free(d->values);
        buf_clear(&d->warnings);
        if (d->trees) {
                diff_tree_free(d->trees);
                d->trees = d->request.trees = diff_tree_new();
        }
        d->kind = &kinds[0];
        d->request.by = d->kind->by;
        d->is_by_python = false;
        __atomic_store_n(&d->n_read, 0, __ATOMIC_RELAXED);
}

static bool compare(struct diffing *d, struct err *err)
{
        struct err why = {0};
        bool ok = read_runs(d, &why);

        if (!ok && d->is_by_python && why.code == ERR_MISSING) {
                prefer_functions(d, &why);
                ok = read_runs(d, &why);
        }
        if (!ok) {
                *err = why;
                return false;
        }
        if (d->kind->by == MEASURED_PYTHON && !file_pairs_apply(d->values, d->options->what.pair, err))
                return false;
        compared_runs_finish(d->values, &d->paths, &d->request);
        run_notes_add(d->values, &d->notes);
        if (d->groups) {
                struct run_values *grouped = run_values_group(d->values, name_groups_of, d->groups);

                run_values_free(d->values);
                d->values = grouped;
        }
        return compare_events(d, err);
}

static bool rows_have_code(const struct diffing *d)
{
        return d->request.by == MEASURED_FUNCTION && !d->groups;
}

/* Of the first compared event. */
static bool draw(const struct diffing *d, struct err *err)
{
        const struct diff_options *o = d->options;
        const struct diff_picture picture = {
                .trees = d->trees,
                .values = d->values,
                .comparisons = (const struct comparison *const *)d->comparisons,
                .n_comparisons = d->n_comparisons,
                .notes = buf_text(&d->notes),
                .is_page = page_output_is(o->output.output),
                .request = &d->request,
                .rows_have_code = rows_have_code(d),
                .options = &o->page,
                .debuginfod = d->debuginfod,
        };
        AUTO_RELEASE(buf) path = {0};

        cmd_output_path(o->output.output_prefix, o->output.output, &path);
        if (!diff_picture_write(&picture, buf_text(&path), err))
                return false;
        if (o->page.opens)
                page_output_show(&o->page, buf_text(&path), true);
        return true;
}

/* --- Output ----------------------------------------------------------------------------------------- */

static struct diff_view view_of(const struct diffing *d)
{
        return (struct diff_view){
                .values = d->values,
                .comparisons = (const struct comparison *const *)d->comparisons,
                .n_comparisons = d->n_comparisons,
                .row_is = d->groups ? "group" : d->kind->one,
                .rows_are = d->groups ? "groups" : d->kind->several,
                .rows_have_code = rows_have_code(d),
                .notes = buf_text(&d->notes),
                .hint = d->is_by_python ? "; native: --by function" : "",
                .wanted_change = d->wanted_change,
                .max_rows = d->options->what.rows,
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                .is_colored = d->is_colored,
        };
}

static int print(const struct diffing *d)
{
        const struct diff_options *o = d->options;
        struct output_options output = o->output;
        const struct diff_view view = view_of(d);
        struct cmd_forms forms;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};

        struct err err = {0};

        if (d->trees) {
                if (!draw(d, &err))
                        return cmd_fail(&err);
                output.output = NULL; /* the picture */
        }
        forms = cmd_wanted_forms(&o->general, &output);
        if (o->what.csv)
                diff_view_csv(&view, &text);
        else if (forms.text)
                diff_view_text(&view, &text);
        if (forms.document)
                diff_view_json(&view, &document);
        return cmd_print_document(&o->general, &output, &text, &document);
}

/* --- The browser ------------------------------------------------------------------------------------ */

static bool wants_browser(const struct diff_options *o)
{
        const struct browse_choice choice = {
                .general = &o->general,
                .output = &o->output,
                .path = "",
                .wants_text = o->what.stdio || o->what.csv || o->general.verbose,
        };

        return browse_choice_is_wanted(&choice);
}

/* Warnings are notes there: nothing else may be printed on the screen. */
static bool compare_to_browse(void *ctx, struct diff_view *ret, struct err *err)
{
        struct diffing *d = ctx;

        if (!compare(d, err))
                return false;
        if (d->warnings.len && d->warnings.data[d->warnings.len - 1] != '\n')
                buf_add_char(&d->warnings, '\n');
        buf_add(&d->notes, buf_text(&d->warnings), d->warnings.len);
        *ret = view_of(d);
        return true;
}

static double share_read(const void *ctx)
{
        const struct diffing *d = ctx;
        size_t n = __atomic_load_n(&d->n_read, __ATOMIC_RELAXED);

        return (double)n / (double)(d->paths.n[RUN_A] + d->paths.n[RUN_B]);
}

static int browse(struct diffing *d, struct lookup *lookup)
{
        const struct code_diff_request code = {
                .no_demangle = d->request.no_demangle,
                .filter = d->request.filter,
                .sources = d->request.sources,
        };
        struct diff_browser_request request = {
                .compare = compare_to_browse,
                .share = share_read,
                .ctx = d,
                .code = &code,
        };
        struct err err = {0};

        lookup->is_browsing = true;
        if (!browse_choice_colors(&d->options->color, &request.colors, &err))
                return cmd_fail(&err);
        return browse_choice_run_diff(&request, EXIT_OK);
}

static int show(struct diffing *d, struct lookup *lookup)
{
        AUTO_RELEASE(buf) folded = {0};
        struct err err = {0};

        prefer_python(d);
        if (d->options->what.pair && d->request.by != MEASURED_PYTHON) {
                err_set(&err, ERR_USAGE, "--pair pairs files of Python functions: add --by python");
                return cmd_fail(&err);
        }
        if (wants_browser(d->options))
                return browse(d, lookup);
        if (!compare(d, &err))
                return cmd_fail(&err);
        session_warnings_fold(&d->warnings, &folded);
        cmd_warn(&folded);
        return print(d);
}

/* Options that need --code. */
static bool check_code_options(const struct diff_options *o, struct err *err)
{
        if (!o->code.symbol && !o->code.style)
                return true;
        return err_set(err, ERR_USAGE, "%s applies to machine code: add --code",
                       o->code.symbol ? "-s" : "-M");
}

int cmd_diff(const struct command_line *line)
{
        struct diff_options *o = line->options;
        struct diffing d = {.options = o};
        int32_t *pids = cmd_pids(&o->filter.pids);
        struct profile_filter filter;
        struct lookup lookup;
        struct err err = {0};
        int status;

        if (!page_output_take(&o->page, &o->output.output, &err)) {
                free(pids);
                return cmd_fail(&err);
        }
        if (o->code.code) {
                status = cmd_diff_code(line, pids);
                free(pids);
                return status;
        }
        if (!check_code_options(o, &err) || !check_options(&d, line, &err) ||
            !filter_fill(&o->filter, pids, &filter, &err) || !lookup_init(&o->lookup, &lookup, &err)) {
                status = cmd_fail(&err);
        } else {
                d.request.filter = &filter;
                d.request.no_demangle = o->filter.no_demangle;
                d.request.finds_inlined = true;
                d.request.builds = &d.builds;
                d.request.sources = &lookup.sources;
                d.request.codes = function_codes_new();
                d.debuginfod = lookup.debuginfod;
                status = show(&d, &lookup);
                function_codes_free(d.request.codes);
                lookup_release(&lookup);
        }
        diffing_release(&d);
        free(pids);
        return status;
}
