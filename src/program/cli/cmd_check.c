/* SPDX-License-Identifier: BSD-3-Clause */
/* check: compares runs with a baseline, or writes one; decides the exit status. */
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "check_reports.h"
#include "check_runs.h"
#include "check_view.h"
#include "cmd.h"
#include "cmd_diff_options.h"
#include "compared_runs.h"
#include "comparison.h"
#include "diff_picture.h"
#include "file_pairs.h"
#include "group_rules.h"
#include "limits.h"
#include "mem.h"
#include "os.h"
#include "run_facts.h"
#include "run_notes.h"
#include "session_warnings.h"
#include "text.h"
#include "text_match.h"

/* git bisect run: 0 is good, 1 is bad, 125 cannot be tested. */
enum { EXIT_KEPT = EXIT_OK, EXIT_SLOWER = 1, EXIT_UNCLEAR = EXIT_FAILED_COMMAND };

struct checking {
        const struct check_options *options;
        struct check_runs *runs; /* of --run; NULL: sessions are given */
        struct compared_paths paths;
        struct measured_session_request request;
        struct limits limits;
        struct name_groups *groups;           /* NULL: none */
        struct run_values *read[RUN_N_SIDES]; /* the sessions that were read so far, each once */
        struct run_values *values;            /* both sides */
        struct buf notes;
        struct buf warnings; /* of the sessions, a line each */
};

static void checking_release(struct checking *c)
{
        check_runs_free(c->runs);
        diff_tree_free(c->request.trees);
        limits_release(&c->limits);
        run_values_free(c->values);
        for (int side = RUN_A; side < RUN_N_SIDES; side++)
                run_values_free(c->read[side]);
        name_groups_free(c->groups);
        buf_release(&c->notes);
        buf_release(&c->warnings);
}

static bool is_program(const char *path)
{
        AUTO(os_map) map = os_map_open(path, NULL);

        return os_runs_script(path) || text_ends(path, ".py") ||
               (map && map->size_bytes >= 4 && !memcmp(map->bytes, "\177ELF", 4));
}

static bool check_sessions(const struct command_line *line, struct err *err)
{
        for (size_t i = 0; i < line->n_args; i++) {
                struct os_stat file;

                if (os_stat(line->args[i], &file) && file.is_file && is_program(line->args[i]))
                        return err_set(err, ERR_USAGE,
                                       "'%.120s' is a program and not a session: to run it add --run",
                                       line->args[i]);
        }
        return true;
}

static bool split_paths(struct checking *c, const struct command_line *line, struct err *err)
{
        const struct checking_options *o = &c->options->what;

        if (o->runs) {
                c->runs = check_runs_new(line, c->options, err);
                return c->runs;
        }
        if (!check_sessions(line, err))
                return false;
        if (o->write_baseline)
                return compared_paths_all(line, RUN_A, &c->paths, err);
        if (o->baseline)
                return compared_paths_all(line, RUN_B, &c->paths, err);
        if (line->has_dashes && !line->n_args_before)
                return err_set(
                        err, ERR_USAGE,
                        "nothing to compare with: add --baseline FILE, or the sessions of A before --");
        return compared_paths_split(line, &c->paths, err);
}

static bool is_by_count(const struct checking_options *o)
{
        return o->measure && !strcmp(o->measure, "count");
}

/* Without limits of the user: what is measured may grow by 5 %; exact counts by 1 %. */
static bool add_limits(struct checking *c, struct err *err)
{
        const struct checking_options *o = &c->options->what;
        AUTO_RELEASE(buf) counted = {0};

        if (o->max_change)
                return limits_parse(&c->limits, o->max_change, err);
        if (!is_by_count(o))
                return limits_parse(&c->limits, "total=5%", err);
        buf_printf(&counted, "event:%s=1%%", o->event);
        return limits_parse(&c->limits, buf_text(&counted), err);
}

/* The page needs call stacks of both sides. */
static bool check_html(struct checking *c, struct err *err)
{
        const struct checking_options *o = &c->options->what;

        if (!o->html)
                return true;
        if (o->baseline)
                return err_set(
                        err, ERR_USAGE,
                        "--html and --baseline cannot be used together: a baseline has no call stacks");
        if (is_by_count(o))
                return err_set(
                        err, ERR_USAGE,
                        "--html and --measure count cannot be used together: counts have no functions");
        return true;
}

/* The file can be written, and is not one that the command reads. */
static bool check_output(const struct checking *c, const char *option, const char *prefix, const char *name,
                         struct err *err)
{
        const char *baseline = c->options->what.baseline;

        return cmd_can_write(prefix, name, err) &&
               compared_paths_spare(&c->paths, option, prefix, name, err) &&
               (!baseline || cmd_spares_input(option, prefix, name, baseline, err));
}

/* The values of options that take a few words. */
static bool check_words(const struct checking_options *o, struct err *err)
{
        const struct {
                const char *name, *value, *words, *sentence;
        } options[] = {
                {"unclear", o->unclear, "pass,fail", "pass or fail"},
                {"annotations", o->annotations, "github,gitlab", "github or gitlab"},
                {"measure", o->measure, "time,share,count", "time, share or count"},
        };

        for (size_t i = 0; i < N_ELEMENTS(options); i++) {
                if (options[i].value && !text_in_list(options[i].words, options[i].value))
                        return err_set(err, ERR_USAGE, "--%s takes %s, not '%.40s'", options[i].name,
                                       options[i].sentence, options[i].value);
        }
        return true;
}

static bool check_options(struct checking *c, const struct command_line *line, struct err *err)
{
        const struct checking_options *o = &c->options->what;
        const struct output_options *output = &c->options->output;
        const char *in_the_way = o->baseline     ? "--baseline"
                                 : o->max_change ? "--max-change"
                                 : o->markdown   ? "--markdown"
                                 : o->junit      ? "--junit"
                                 : o->html       ? "--html"
                                                 : NULL;

        const char *needs_run = o->versus        ? "--vs"
                                : o->max_runs    ? "--max-runs"
                                : o->max_time_ns ? "--max-time"
                                                 : NULL;

        if (!check_words(o, err))
                return false;
        if (is_by_count(o) && !o->event)
                return err_set(err, ERR_USAGE, "--measure count needs an event, as in -e instructions");
        if (needs_run && !o->runs)
                return err_set(err, ERR_USAGE, "%s needs --run and a command after --", needs_run);
        if (o->write_baseline && in_the_way)
                return err_set(err, ERR_USAGE,
                               "--write-baseline and %s cannot be used together: run wperf check twice",
                               in_the_way);
        if (o->group_by) {
                c->groups = group_rules_open(o->group_by, err);
                if (!c->groups)
                        return false;
        }
        return add_limits(c, err) && check_html(c, err) && split_paths(c, line, err) &&
               check_output(c, "--write-baseline", NULL, o->write_baseline, err) &&
               check_output(c, "--markdown", NULL, o->markdown, err) &&
               check_output(c, "--junit", NULL, o->junit, err) &&
               check_output(c, "--html", NULL, o->html, err) &&
               check_output(c, "-o", output->output_prefix, output->output, err);
}

static bool read_baseline(struct checking *c, struct err *err)
{
        const char *path = c->options->what.baseline;
        AUTO(os_map) map = os_map_open(path, err);

        if (!map)
                return false;
        if (map->size_bytes > BASELINE_MAX_BYTES)
                return err_set(err, ERR_LIMIT, "%s: the baseline is larger than %d MiB", path,
                               BASELINE_MAX_BYTES >> 20);
        if (!baseline_read(c->read[RUN_A], map->bytes, map->size_bytes, err))
                return err_in(err, "%s", path);
        return os_map_check(map, path, err);
}

static bool begin_reading(struct checking *c, struct err *err)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++)
                c->read[side] = run_values_new();
        if (c->options->what.html)
                c->request.trees = diff_tree_new();
        c->request.warnings = &c->warnings;
        return !c->options->what.baseline || read_baseline(c, err);
}

/* Reads the sessions that are new. */
static bool read_runs(struct checking *c, struct err *err)
{
        run_values_free(c->values);
        c->values = run_values_new();
        if (!compared_runs_can_open(&c->paths, c->request.sources, NULL, err))
                return false;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                if (!compared_runs_read(c->read[side], &c->paths, (enum run_side)side, &c->request, NULL,
                                        err))
                        return false;
                run_values_append(c->values, c->read[side]);
        }
        compared_runs_finish(c->values, &c->paths, &c->request);
        return compared_runs_check(c->values, err);
}

static bool write_baseline(struct checking *c, struct err *err)
{
        AUTO_RELEASE(buf) document = {0};

        baseline_write(c->values, &document);
        return cmd_write_file(c->options->what.write_baseline, &document, err);
}

/* The event of the functions; `wanted` NULL: the first with samples or counts. */
static bool choose_event(const struct run_values *values, const char *wanted, uint32_t *ret, struct err *err)
{
        for (uint32_t i = 0; i < run_values_n_events(values); i++) {
                const struct run_event *event = run_values_event(values, 0, i);

                if (wanted ? !strcmp(run_values_event_name(values, i), wanted)
                           : event && (event->n_samples || event->is_counted)) {
                        *ret = i;
                        return true;
                }
        }
        return err_set(err, ERR_MISSING,
                       wanted ? "no run has samples of '%.60s'" : "no run has samples or counts%s",
                       wanted ? wanted : "");
}

#define GITLAB_FILE "gl-code-quality-report.json"

static bool is_service(const struct checking *c, const char *name)
{
        return c->options->what.annotations && !strcmp(c->options->what.annotations, name);
}

typedef void make_report_fn(const struct check_view *view, struct buf *out);

/* Writes a report to `path`, if it was asked for. */
static bool write_report(const struct check_view *view, make_report_fn *make, const char *path,
                         struct err *err)
{
        AUTO_RELEASE(buf) report = {0};

        if (!path)
                return true;
        make(view, &report);
        return cmd_write_file(path, &report, err);
}

static bool write_reports(const struct checking *c, const struct check_view *view,
                          const struct comparison *judged, struct err *err)
{
        const struct checking_options *o = &c->options->what;
        const struct comparison *shown = view->causes ? view->causes : judged;
        static const struct page_options plain;
        const struct diff_picture picture = {
                .trees = c->request.trees,
                .values = c->values,
                .comparisons = &shown,
                .n_comparisons = 1,
                .notes = view->notes,
                .is_page = true,
                .request = &c->request,
                .rows_have_code = shown == judged, /* else they are Python functions */
                .options = &plain,
        };

        return write_report(view, check_view_markdown, o->markdown, err) &&
               write_report(view, check_reports_junit, o->junit, err) &&
               write_report(view, check_reports_gitlab, is_service(c, "gitlab") ? GITLAB_FILE : NULL, err) &&
               (!o->html || diff_picture_write(&picture, o->html, err));
}

static int print(const struct checking *c, const struct check_view *view, const struct comparison *judged)
{
        const struct check_options *o = c->options;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct err err = {0};

        check_view_text(view, &text);
        if (is_service(c, "github"))
                check_reports_github(view, &text);
        check_view_json(view, &document);
        if (!write_reports(c, view, judged, &err))
                return cmd_fail(&err);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}

static int status_of(const struct checking *c, enum limit_verdict verdict)
{
        const char *unclear = c->options->what.unclear;

        if (verdict != LIMIT_UNKNOWN)
                return verdict == LIMIT_KEPT ? EXIT_KEPT : EXIT_SLOWER;
        return !unclear ? EXIT_UNCLEAR : strcmp(unclear, "pass") != 0 ? EXIT_SLOWER : EXIT_KEPT;
}

static enum comparison_measure measure_of(const struct checking *c)
{
        const char *word = c->options->what.measure;

        return word && !strcmp(word, "share") ? MEASURE_SHARE : MEASURE_TIME;
}

/* What a judgement rests on. */
struct judgement {
        struct run_values *grouped;
        struct comparison *comparison;
        struct limit_result *results;
        const char *doubt;
        enum limit_verdict verdict;
};

static void judgement_release(struct judgement *j)
{
        run_values_free(j->grouped);
        comparison_free(j->comparison);
        free(j->results);
        *j = (struct judgement){0};
}

static bool judge(struct checking *c, struct judgement *ret, struct err *err)
{
        struct limits_request request = {
                .values = c->values,
                .measure = measure_of(c),
                .n_looks = c->runs ? check_runs_n_looks(c->runs) : 1,
                .doubt = run_facts_doubt(c->values),
        };

        /* --run measures one event */
        if (!choose_event(c->values, c->runs ? NULL : c->options->what.event, &request.event, err))
                return false;
        ret->grouped = c->groups ? run_values_group(c->values, name_groups_of, c->groups) : NULL;
        ret->comparison =
                comparison_new(&(struct comparison_request){c->values, request.event, request.measure});
        ret->doubt = request.doubt;
        if (request.doubt)
                comparison_doubt(ret->comparison, request.doubt);
        request.groups = ret->grouped;
        request.comparison = ret->comparison;
        ret->results = mem_new(c->limits.n, sizeof(*ret->results));
        limits_judge(&c->limits, &request, ret->results);
        ret->verdict = limits_verdict(ret->results, c->limits.n);
        return true;
}

/* The Python functions that explain a change, if both sides have sessions with Python frames; NULL if not, or
 * if nothing shows them. */
static struct comparison *compare_python(struct checking *c, const struct judgement *j,
                                         struct run_values *values)
{
        const struct checking_options *o = &c->options->what;
        struct measured_session_request request = c->request;
        struct comparison_request wanted = {.values = values, .measure = measure_of(c)};
        struct comparison *made;

        request.by = MEASURED_PYTHON;
        request.trees = NULL;
        request.warnings = NULL;
        if (!j->comparison->is_time || (j->verdict != LIMIT_EXCEEDED && !o->markdown && !o->html) ||
            !c->paths.n[RUN_A] || !compared_runs_have_python(&c->paths, request.sources))
                return NULL;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                if (!compared_runs_read(values, &c->paths, (enum run_side)side, &request, NULL, NULL))
                        return NULL;
        }
        if (!file_pairs_apply(values, NULL, NULL))
                return NULL;
        run_values_finish(values);
        if (!choose_event(values, c->runs ? NULL : o->event, &wanted.event, NULL))
                return NULL;
        made = comparison_new(&wanted);
        if (j->doubt)
                comparison_doubt(made, j->doubt);
        return made;
}

static int show(struct checking *c, const struct judgement *j)
{
        AUTO(run_values) python_values = run_values_new();
        AUTO(comparison) python = compare_python(c, j, python_values);
        struct check_view view = {
                .values = c->values,
                .a_label = c->options->what.baseline,
                .results = j->results,
                .n_results = c->limits.n,
                .causes = python                   ? python
                          : j->comparison->is_time ? j->comparison
                                                   : NULL,
                .is_doubted = j->doubt,
                .status = status_of(c, j->verdict),
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
        };

        run_notes_add(c->values, &c->notes);
        if (c->runs && check_runs_instead(c->runs))
                buf_printf(&c->notes, "%s\n", check_runs_instead(c->runs));
        view.notes = buf_text(&c->notes);
        return print(c, &view, j->comparison) ? EXIT_UNCLEAR : view.status;
}

/* Every failure of wperf itself has the status that git bisect run skips. */
static int fail(const struct err *err)
{
        cmd_fail(err);
        return EXIT_UNCLEAR;
}

static bool next_runs(struct checking *c, bool *ret_more, struct err *err)
{
        bool ok;

        *ret_more = false;
        if (!c->runs)
                return true;
        ok = check_runs_next(c->runs, ret_more, err);
        c->paths = check_runs_paths(c->runs);
        /* Their limit is one of the event. */
        if (ok && check_runs_instead(c->runs) && !c->options->what.max_change) {
                limits_release(&c->limits);
                c->limits = (struct limits){0};
                ok = limits_parse(&c->limits, "total=5%", err);
        }
        return ok;
}

/* With --run, until the verdict is clear or no more runs are allowed. */
static bool judge_runs(struct checking *c, struct judgement *j, struct err *err)
{
        bool has_more;

        if (!begin_reading(c, err))
                return false;
        do {
                judgement_release(j);
                if (!next_runs(c, &has_more, err) || !read_runs(c, err))
                        return false;
                if (c->options->what.write_baseline)
                        return true;
                if (!judge(c, j, err))
                        return false;
        } while (has_more && j->verdict == LIMIT_UNKNOWN && !j->doubt);
        return true;
}

/* Runs of one command mostly have the same fault. */
static void warn(const struct checking *c)
{
        const char *first = strstr(buf_text(&c->warnings), ": ");
        AUTO_RELEASE(buf) line = {0};
        size_t n = 0;

        if (!c->runs || !first) {
                session_warnings_fold(&c->warnings, &line);
                cmd_warn(&line);
                return;
        }
        for (size_t i = 0; i < c->warnings.len; i++)
                n += c->warnings.data[i] == '\n';
        buf_printf(&line, "%zu of the runs are of poor quality; the first: ", n);
        buf_add(&line, first + strlen(": "), strcspn(first + strlen(": "), ":\n"));
        cmd_warn(&line);
}

static int check(struct checking *c)
{
        struct judgement judgement = {0};
        int status;
        struct err err = {0};
        bool ok = judge_runs(c, &judgement, &err);

        warn(c);
        if (!ok)
                status = fail(&err);
        else if (c->options->what.write_baseline)
                status = write_baseline(c, &err) ? EXIT_OK : fail(&err);
        else
                status = show(c, &judgement);
        judgement_release(&judgement);
        return status;
}

int cmd_check(const struct command_line *line)
{
        const struct check_options *o = line->options;
        struct checking c = {.options = o};
        int32_t *pids = cmd_pids(&o->filter.pids);
        struct profile_filter filter;
        struct lookup lookup;
        struct err err = {0};
        int status;

        if (!check_options(&c, line, &err) || !filter_fill(&o->filter, pids, &filter, &err) ||
            !lookup_init(&o->lookup, &lookup, &err)) {
                status = fail(&err);
        } else {
                c.request.filter = &filter;
                c.request.no_demangle = o->filter.no_demangle;
                c.request.sources = &lookup.sources;
                c.request.codes = function_codes_new();
                status = check(&c);
                function_codes_free(c.request.codes);
                lookup_release(&lookup);
        }
        checking_release(&c);
        free(pids);
        return status;
}
