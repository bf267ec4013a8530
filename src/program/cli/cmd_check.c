/* SPDX-License-Identifier: BSD-3-Clause */
/* check: compares runs with a baseline, or writes one; decides the exit status. */
#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "check_view.h"
#include "cmd.h"
#include "cmd_diff_options.h"
#include "compared_runs.h"
#include "comparison.h"
#include "group_rules.h"
#include "limits.h"
#include "mem.h"
#include "os.h"
#include "run_facts.h"
#include "run_notes.h"

/* git bisect run: 0 is good, 1 is bad, 125 cannot be tested. */
enum { EXIT_KEPT = EXIT_OK, EXIT_SLOWER = 1, EXIT_UNCLEAR = EXIT_FAILED_COMMAND };

struct checking {
        const struct check_options *options;
        struct compared_paths paths;
        struct measured_session_request request;
        struct limits limits;
        struct name_groups *groups; /* NULL: none */
        struct run_values *values;
        struct buf notes;
};

static void checking_release(struct checking *c)
{
        limits_release(&c->limits);
        run_values_free(c->values);
        name_groups_free(c->groups);
        buf_release(&c->notes);
}

static bool split_paths(struct checking *c, const struct command_line *line, struct err *err)
{
        const struct checking_options *o = &c->options->what;

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

static bool check_options(struct checking *c, const struct command_line *line, struct err *err)
{
        const struct checking_options *o = &c->options->what;
        const char *in_the_way = o->baseline     ? "--baseline"
                                 : o->max_change ? "--max-change"
                                 : o->markdown   ? "--markdown"
                                                 : NULL;

        if (o->write_baseline && in_the_way)
                return err_set(err, ERR_USAGE,
                               "--write-baseline and %s cannot be used together: run wperf check twice",
                               in_the_way);
        if (o->group_by) {
                c->groups = group_rules_open(o->group_by, err);
                if (!c->groups)
                        return false;
        }
        return limits_parse(&c->limits, o->max_change ? o->max_change : "total=5%", err) &&
               split_paths(c, line, err) && cmd_can_write(NULL, o->write_baseline, err) &&
               cmd_can_write(NULL, o->markdown, err) &&
               cmd_can_write(c->options->output.output_prefix, c->options->output.output, err);
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
        if (!baseline_read(c->values, map->bytes, map->size_bytes, err))
                return err_in(err, "%s", path);
        return os_map_check(map, path, err);
}

static bool read_runs(struct checking *c, struct err *err)
{
        AUTO_RELEASE(buf) warnings = {0};

        c->values = run_values_new();
        c->request.warnings = &warnings;
        if (c->options->what.baseline && !read_baseline(c, err))
                return false;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                if (!compared_runs_read(c->values, &c->paths, (enum run_side)side, &c->request, NULL, err))
                        return false;
        }
        run_values_finish(c->values);
        cmd_warn(&warnings);
        return compared_runs_check(c->values, err);
}

static bool write_baseline(struct checking *c, struct err *err)
{
        AUTO_RELEASE(buf) document = {0};

        baseline_write(c->values, &document);
        return cmd_write_file(c->options->what.write_baseline, &document, err);
}

/* The event of the functions. */
static bool choose_event(const struct checking *c, uint32_t *ret, struct err *err)
{
        const char *wanted = c->options->what.event;

        for (uint32_t i = 0; i < run_values_n_events(c->values); i++) {
                const struct run_event *event = run_values_event(c->values, 0, i);

                if (wanted ? !strcmp(run_values_event_name(c->values, i), wanted)
                           : event && (event->n_samples || event->is_counted)) {
                        *ret = i;
                        return true;
                }
        }
        return err_set(err, ERR_MISSING,
                       wanted ? "no run has samples of '%.60s'" : "no run has samples or counts%s",
                       wanted ? wanted : "");
}

static int print(const struct checking *c, const struct check_view *view)
{
        const struct check_options *o = c->options;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) markdown = {0};
        struct err err = {0};

        check_view_text(view, &text);
        check_view_json(view, &document);
        check_view_markdown(view, &markdown);
        if (o->what.markdown && !cmd_write_file(o->what.markdown, &markdown, &err))
                return cmd_fail(&err);
        return cmd_print_document(&o->general, &o->output, &text, &document);
}

static int status_of(enum limit_verdict verdict)
{
        return verdict == LIMIT_KEPT ? EXIT_KEPT : verdict == LIMIT_EXCEEDED ? EXIT_SLOWER : EXIT_UNCLEAR;
}

static bool judge(struct checking *c, int *ret_status, struct err *err)
{
        struct limit_result *results = mem_new(c->limits.n, sizeof(*results));
        AUTO(comparison) comparison = NULL;
        AUTO(run_values)
        grouped = c->groups ? run_values_group(c->values, name_groups_of, c->groups) : NULL;
        struct limits_request request = {
                .values = c->values, .groups = grouped, .doubt = run_facts_doubt(c->values)};
        bool ok = choose_event(c, &request.event, err);

        if (ok) {
                struct check_view view = {
                        .values = c->values,
                        .a_label = c->options->what.baseline,
                        .results = results,
                        .n_results = c->limits.n,
                        .is_doubted = request.doubt,
                        .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
                };

                comparison =
                        comparison_new(&(struct comparison_request){c->values, request.event, MEASURE_TIME});
                if (request.doubt)
                        comparison_doubt(comparison, request.doubt);
                request.comparison = comparison;
                run_notes_add(c->values, &c->notes);
                view.notes = buf_text(&c->notes);
                view.causes = comparison->is_time ? comparison : NULL;
                limits_judge(&c->limits, &request, results);
                view.status = status_of(limits_verdict(results, c->limits.n));
                *ret_status = print(c, &view) ? EXIT_UNCLEAR : view.status;
        }
        free(results);
        return ok;
}

/* Every failure of wperf itself has the status that git bisect run skips. */
static int fail(const struct err *err)
{
        cmd_fail(err);
        return EXIT_UNCLEAR;
}

static int check(struct checking *c)
{
        int status = EXIT_OK;
        struct err err = {0};

        if (!read_runs(c, &err))
                return fail(&err);
        if (c->options->what.write_baseline)
                return write_baseline(c, &err) ? EXIT_OK : fail(&err);
        return judge(c, &status, &err) ? status : fail(&err);
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
                status = check(&c);
                lookup_release(&lookup);
        }
        checking_release(&c);
        free(pids);
        return status;
}
