/* SPDX-License-Identifier: BSD-3-Clause */
/* stat: starts a count as the options say, and decides the exit status. */
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "cmd.h"
#include "cmd_stat_options.h"
#include "count_config.h"
#include "count_run.h"
#include "machine_driver.h"
#include "os.h"
#include "process_choice.h"
#include "python_command.h"
#include "stat_output.h"
#include "text_match.h"

#define DEFAULT_SHOT_NS UINT64_C(1000000000) /* duration of each count of a timeline without --timeout */

struct stating {
        const struct command_line *line;
        const struct stat_options *options;
        struct process_choice processes;
        uint64_t delay_ns;
        bool has_run;
        char *image_argv[2]; /* the program of --pe_file as the command */
        char **python_argv;  /* the command with its interpreter; NULL: it is not a Python file */
        struct buf session, command_line, vendor, subject, note;
        struct count_run_request request;
};

static void release(struct stating *s)
{
        process_choice_release(&s->processes);
        free(s->python_argv);
        buf_release(&s->note);
        buf_release(&s->session);
        buf_release(&s->command_line);
        buf_release(&s->vendor);
        buf_release(&s->subject);
}

static bool wrong(struct err *err, const char *sentence)
{
        return err_set(err, ERR_USAGE, "%s", sentence);
}

static bool is_given(const struct command_line *line, const char *name)
{
        for (size_t i = 0; i < line->n_given; i++) {
                if (!strcmp(line->given[i].option->name, name))
                        return true;
        }
        return false;
}

/* In record -d takes a time. */
static bool check_detail(const struct stating *s, struct err *err)
{
        const char *word = s->options->counting.detail && s->line->n_args == 1 ? s->line->args[0] : "";

        if (!*word || word[strspn(word, "0123456789.")])
                return true;
        return err_set(
                err, ERR_USAGE,
                "-d counts more events; for %.20s seconds write --duration %.20s, to run a program of that "
                "name write ./%.20s",
                word, word, word);
}

/* Refuses options that contradict each other. */
static bool check(const struct stating *s, struct err *err)
{
        const struct stat_options *o = s->options;
        const struct timeline_options *t = &o->timeline;
        bool timeline = t->timeline || t->every_ms, repeats = o->counting.n_runs > 1;

        if (o->event.events && text_in_list(o->event.events, "wall"))
                return wrong(err, "wall time is sampled, not counted: write wperf record --wall");
        if (repeats && !s->line->n_args)
                return wrong(
                        err,
                        "-r needs a command to run repeatedly: add the command, as in wperf stat -r 5 -- ./program");
        if (repeats && timeline)
                return wrong(err, "-r and a timeline (-t, -I) cannot be used together");
        if (repeats && o->counting.session)
                return wrong(err, "-r and --session cannot be used together: a session holds one run");
        if (o->counting.session && !strcmp(o->counting.session, "-"))
                return wrong(err, "stat prints its table to standard output: name a file for the session");
        if (!timeline && (t->plot || t->json_lines || t->output_csv))
                return wrong(err, "--plot, --json-lines and --output-csv need a timeline: add -t or -I MS");
        if (!t->timeline && (is_given(s->line, "interval") || is_given(s->line, "count")) &&
            !(t->every_ms && !is_given(s->line, "interval")))
                return wrong(err, "-i and -n apply to a timeline: add -t");
        if (o->rows.separator && (o->output.json || t->json_lines))
                return wrong(err, "-x and JSON output cannot be used together");
        if (o->rows.separator && t->timeline && !t->every_ms)
                return wrong(
                        err,
                        "-x and -t cannot be used together: for a timeline in perf's format write -x with -I MS");
        if (o->rows.no_aggr && !o->rows.separator && !t->every_ms)
                return wrong(err, "-A needs -I or -x; without them stat prints a table for each CPU already");
        if (t->json_lines && o->output.json && !o->output.output)
                return wrong(
                        err,
                        "--json-lines and --json would both write to standard output: name a file with -o");
        if (o->general.cpu_model && !o->counting.dry_run)
                return wrong(err, "--cpu-model assumes another machine, and wperf can only plan for it: add "
                                  "--dry-run");
        if (o->machine.sysfs && !o->counting.dry_run)
                return wrong(err, "--sysfs assumes another machine, and wperf can only plan for it: add "
                                  "--dry-run");
        return true;
}

/* Chooses the target: -p, a command, --pe_file as a command, or a running image. */
static bool choose_target(struct stating *s, struct err *err)
{
        const struct target_options *t = &s->options->target;

        int32_t *found;
        size_t n;

        if (!process_choice_make(t, &s->processes, err))
                return false;
        if (s->processes.n_pids || s->line->n_args || t->cgroup)
                return true;
        if (t->image_name) {
                if (!target_find_image(t->image_name, &found, &n, err))
                        return false;
                process_choice_take(t, found, n, &s->processes);
                return true;
        }
        if (t->pe_file)
                s->image_argv[0] = (char *)(uintptr_t)t->pe_file;
        return true;
}

static void make_request(struct stating *s)
{
        const struct stat_options *o = s->options;
        char **argv = s->python_argv     ? s->python_argv
                      : s->line->n_args  ? s->line->args
                      : s->image_argv[0] ? s->image_argv
                                         : NULL;
        bool timeline = o->timeline.timeline || o->timeline.every_ms;
        uint64_t timeout_ns = o->target.timeout_ns;
        AUTO_RELEASE(buf) ignored = {0}; /* warn_of_config prints them */

        if (o->timeline.every_ms)
                timeout_ns = o->timeline.every_ms * 1000000;
        else if (timeline && !timeout_ns)
                timeout_ns = DEFAULT_SHOT_NS;
        s->request = (struct count_run_request){
                .choice =
                        {
                                .events = o->event.events,
                                .metrics = o->metric.metrics,
                                .extra_events = o->extra.extra_events,
                                .metrics_file = o->extra.metrics_file,
                                .detail = (unsigned)(o->counting.detail < 3 ? o->counting.detail : 3),
                                .kernel = o->event.kernel,
                                .dmc = o->counting.dmc > UINT32_MAX ? UINT32_MAX : (uint32_t)o->counting.dmc,
                                .force_lock = o->general.force_lock,
                                .cpu_model = o->general.cpu_model,
                                .sysfs = o->machine.sysfs,
                        },
                .target = cmd_target(&o->target, argv, &s->processes),
                .period_ms = o->metric.config ? (uint32_t)count_config_period(o->metric.config, &ignored) : 0,
                .timeout_ns = timeout_ns,
                .total_ns = o->timeline.every_ms ? o->target.timeout_ns : 0,
                .timeline = timeline,
                .interval_ns = o->timeline.every_ms ? 0 : o->timeline.interval_ns,
                .n_counts = o->timeline.n_counts,
                .n_runs = (unsigned)o->counting.n_runs,
                .session_path = o->counting.session ? buf_text(&s->session) : NULL,
                .command_line = buf_text(&s->command_line),
                .phase = stat_output_phase,
                .result = stat_output_add,
        };
        s->request.target.delay_ns = s->delay_ns;
        s->request.target.output_to_stderr =
                (o->output.json && !o->output.output) || o->timeline.json_lines || o->target.output_to_stderr;
}

static struct stat_output_request make_output(struct stating *s)
{
        const struct count_run_request *r = &s->request;

        machine_add_vendor(s->options->general.force_lock, &s->vendor);
        count_run_subject(r, &s->subject);
        process_choice_add_note(&s->processes, &s->note);
        return (struct stat_output_request){
                .command = buf_text(&s->command_line),
                .general = &s->options->general,
                .output = &s->options->output,
                .forms = &s->options->timeline,
                .rows = &s->options->rows,
                .vendor = s->vendor.len ? s->vendor.data : NULL,
                .subject = buf_text(&s->subject),
                .note = buf_text(&s->note),
                .title = r->target.system_wide && !r->target.cgroup ? "all programs" : buf_text(&s->subject),
                .all_cpus = r->target.system_wide && !r->target.n_cpus && !r->target.cgroup,
                .may_draw =
                        cmd_may_draw(target_command_argv(&r->target), s->processes.pids, s->processes.n_pids),
                .timeline = r->timeline,
                .timeout_ns = r->timeout_ns,
                .interval_ns = r->interval_ns,
                .n_runs = r->n_runs,
        };
}

/* count.period configures WindowsPerf's driver, which multiplexes events itself; Linux has no such
 * setting. */
static void warn_of_config(const char *config)
{
        AUTO_RELEASE(buf) warnings = {0};

        if (!config)
                return;
        count_config_period(config, &warnings);
        if (!warnings.len && !count_run_has_period())
                buf_add_str(
                        &warnings,
                        "count.period has no effect on Linux: the kernel decides how often it multiplexes "
                        "events");
        cmd_warn(&warnings);
}

static int run(struct stating *s)
{
        const struct stat_options *o = s->options;
        bool has_command = target_command_argv(&s->request.target), poor = false, ok;
        enum run_failure failure = RUN_OK;
        struct stat_output_request wanted = make_output(s);
        struct err err = {0};
        AUTO(stat_output) output = stat_output_new(&wanted, &err);
        struct count_run_facts facts;
        int status = EXIT_OK;

        warn_of_config(o->metric.config);
        s->request.ctx = output;
        s->has_run = output && count_run(&s->request, &facts, &failure, &err);
        ok = s->has_run && stat_output_finish(output, &facts, &poor, &err);
        if (!ok) {
                cmd_fail(&err);
                return cmd_run_failure(failure, has_command);
        }
        if (!facts.stopped_by_us && facts.has_status && !o->output.json)
                status = facts.exit_status;
        return !status && poor && o->counting.strict ? EXIT_POOR : status;
}

static int describe(struct stating *s)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (!count_run_describe(&s->request, &out, &err))
                return cmd_fail(&err);
        return cmd_print(&out, EXIT_OK);
}

int cmd_stat(const struct command_line *line)
{
        struct stating s = {.line = line,
                            .options = line->options,
                            .python_argv = python_command_argv(line->args, line->n_args)};
        struct err err = {0};
        int status;

        if (check(&s, &err) && check_detail(&s, &err) && cmd_delay(&s.options->target, &s.delay_ns, &err) &&
            choose_target(&s, &err)) {
                cmd_join_line(line, &s.command_line);
                if (s.options->counting.session)
                        cmd_output_path(s.options->output.output_prefix, s.options->counting.session,
                                        &s.session);
                make_request(&s);
                status = s.options->counting.dry_run ? describe(&s) : run(&s);
        } else {
                cmd_fail(&err);
                status = err.code == ERR_USAGE ? EXIT_WRONG_USAGE : cmd_run_failure(RUN_FAILED, line->n_args);
        }
        if (!s.has_run && !s.options->counting.dry_run)
                cmd_dismiss(line);
        release(&s);
        return status;
}
