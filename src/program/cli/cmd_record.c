/* SPDX-License-Identifier: BSD-3-Clause */
/* record and sample: records a session, then shows it.  Decides the exit status. */
#include <stdlib.h>
#include <string.h>

#include "browse_choice.h"
#include "buf.h"
#include "cmd.h"
#include "cmd_record_options.h"
#include "cmd_repeat.h"
#include "engine_choice.h"
#include "err.h"
#include "event.h"
#include "hot_output.h"
#include "os.h"
#include "process_choice.h"
#include "progress_view.h"
#include "python_command.h"
#include "python_section.h"
#include "reading_progress.h"
#include "record_mode.h"
#include "run.h"
#include "text.h"
#include "text_match.h"
#include "text_stream.h"

/* A run, and data that must live as long as the run. */
struct recording {
        const struct command_line *line;
        const struct record_options *options;
        bool has_command;
        struct process_choice processes;
        struct buf target_note;
        char *image_argv[2]; /* the program of --pe_file as the command */
        char **python_argv;  /* the command with its interpreter; NULL: it is not a Python file */
        struct buf session;  /* path of the session */
        const struct export_format *format; /* of the picture; NULL: none */
        struct buf picture;                 /* its path */
        struct buf command_line;
        struct buf events;   /* without `wall`; empty: the default */
        struct buf progress; /* a character for each second */
        struct lookup lookup;
        struct call_graph call_graph;
        bool wall;
        bool gil; /* only time in which a thread has the GIL is shown */
        enum collect_engine engine;
        uint64_t delay_ns;
        bool has_run;
        bool is_colored;
        bool live;    /* progress is drawn */
        bool to_pipe; /* the session is written to standard output, and nothing else */
        struct record_end end;
};

static void recording_release(struct recording *r)
{
        process_choice_release(&r->processes);
        free(r->python_argv);
        buf_release(&r->target_note);
        buf_release(&r->session);
        buf_release(&r->picture);
        buf_release(&r->command_line);
        buf_release(&r->events);
        buf_release(&r->progress);
}

static void tick(void *ctx, uint64_t n_new)
{
        struct recording *r = ctx;

        buf_add_char(&r->progress, progress_view_second(n_new));
        if (r->live)
                text_stream_write(OS_STDOUT, r->progress.data + r->progress.len - 1, 1, NULL);
}

static bool document_is_output(const struct recording *r)
{
        const struct output_options *o = &r->options->output;

        return !r->format && o->output && (o->json || text_ends(o->output, ".json"));
}

/* A page, or another program's format, beside the session. */
static bool choose_picture(struct recording *r, struct err *err)
{
        const struct record_options *o = r->options;
        AUTO_RELEASE(buf) name = {0};

        if (!export_output_choose(o->sampling.format, o->output.output, o->output.json, &o->page, &r->format,
                                  err))
                return false;
        if (!r->format)
                return true;
        if (o->output.output)
                buf_add_str(&name, o->output.output);
        else
                export_output_add_default_name(r->format, &name);
        cmd_output_path(o->output.output_prefix, buf_text(&name), &r->picture);
        return strcmp(buf_text(&name), "-") != 0 ||
               err_set(err, ERR_USAGE,
                       "the tables are written to standard output: with --format, name a file with -o");
}

static bool choose_session(struct recording *r, struct err *err)
{
        const struct record_options *o = r->options;
        const char *name = "wperf.data";

        if (o->sampling.session)
                name = o->sampling.session;
        else if (o->output.output && !document_is_output(r) && !r->format)
                name = o->output.output;
        cmd_output_path(o->output.output_prefix, name, &r->session);
        r->to_pipe = !strcmp(name, "-");
        if (r->to_pipe && (o->output.json || document_is_output(r)))
                return err_set(
                        err, ERR_USAGE,
                        "the session and the JSON document cannot both be written to standard output: name a "
                        "file for the session with --session");
        return true;
}

/* Options that choose the children to sample need a command or a process. */
static bool check_children(const struct recording *r, struct err *err)
{
        const struct sampling_options *o = &r->options->sampling;
        bool one_by_one = o->per_thread || o->no_inherit;

        if (o->all_children && (o->no_all_children || one_by_one))
                return err_set(err, ERR_USAGE, "--all-children and %s cannot be used together",
                               o->no_all_children ? "--no-all-children"
                               : o->per_thread    ? "--per-thread"
                                                  : "--no-inherit");
        if (o->all_children && !r->has_command)
                return err_set(err, ERR_USAGE,
                               "--all-children needs a command whose children it samples, as in wperf record "
                               "--all-children -- make");
        if (one_by_one && r->options->target.all_cpus)
                return err_set(err, ERR_USAGE,
                               "%s and -a cannot be used together: %s applies to a command or a process",
                               o->per_thread ? "--per-thread" : "--no-inherit",
                               o->per_thread ? "--per-thread" : "--no-inherit");
        return true;
}

static bool choose_engine(struct recording *r, struct err *err)
{
        const struct sampling_options *o = &r->options->sampling;

        if (r->gil && o->engine && strcmp(o->engine, "bpf") != 0)
                return err_set(err, ERR_USAGE,
                               "--gil and --engine %s cannot be used together: only the engine bpf knows "
                               "which thread has the GIL at each sample",
                               o->engine);
        if (!engine_choice_make(o->engine, o->nonblocking, &r->engine, err))
                return false;
        r->engine = r->gil ? COLLECT_BPF : r->engine;
        return true;
}

/* With -c the CPU is sampled even if the image does not run, as in WindowsPerf, where whole CPUs can be
 * sampled. */
static bool find_image(struct recording *r, const char *image, struct err *err)
{
        AUTO_RELEASE(buf) warning = {0};
        int32_t *pids;
        size_t n;

        if (target_find_image(image, &pids, &n, err)) {
                process_choice_take(&r->options->target, pids, n, &r->processes);
                return true;
        }
        if (err->code != ERR_MISSING || !r->options->target.cpus.n || !run_samples_cpus())
                return false;
        buf_printf(&warning, "%s; sampling all programs that run on the CPUs of -c", err->text);
        cmd_warn(&warning);
        return true;
}

/* Chooses what to sample. With processes, a command only sets how long. */
static bool choose_target(struct recording *r, struct err *err)
{
        const struct target_options *t = &r->options->target;
        const char *image = t->image_name ? t->image_name : t->pe_file;

        if (!process_choice_make(t, &r->processes, err))
                return false;
        if (r->processes.n_pids || r->has_command || t->all_cpus || t->cgroup)
                return true;
        if (r->line->command == &cmd_record_command && t->pe_file && !t->image_name) {
                r->image_argv[0] = (char *)(uintptr_t)t->pe_file;
                r->has_command = true;
                return true;
        }
        if (image)
                return find_image(r, image, err);
        if (t->cpus.n)
                return true;
        if (r->line->command == &cmd_record_command)
                return err_set(err, ERR_USAGE,
                               "nothing to record: add the command, as in wperf record -- ./program");
        return err_set(
                err, ERR_USAGE,
                "nothing to sample: name a process with -p PID or --pe_file NAME, or sample all processes with -a");
}

static enum collect_children children_of(const struct sampling_options *o)
{
        if (o->per_thread)
                return COLLECT_PER_THREAD;
        if (o->no_inherit)
                return COLLECT_NO_CHILDREN;
        if (o->no_all_children)
                return COLLECT_INHERIT;
        return o->all_children ? COLLECT_ALL_CHILDREN : COLLECT_BEST;
}

/* Whether it samples programs that it does not start. */
static bool samples_running(const struct recording *r)
{
        const struct target_options *t = &r->options->target;

        if (t->pids.n || t->bare_pids.n || t->comm || t->cgroup || t->all_cpus)
                return true;
        return !r->has_command &&
               (t->cpus.n || r->processes.n_pids || r->line->command == &cmd_sample_command);
}

static struct run_request make_request(struct recording *r)
{
        const struct record_options *o = r->options;
        bool text = !o->general.quiet && !o->output.json && !r->to_pipe;
        char **argv = r->python_argv    ? r->python_argv
                      : r->line->n_args ? r->line->args
                      : r->has_command  ? r->image_argv
                                        : NULL;
        struct target target = cmd_target(&o->target, argv, &r->processes);

        target.delay_ns = r->delay_ns;
        target.output_to_stderr =
                r->to_pipe || (o->output.json && !o->output.output) || o->target.output_to_stderr;
        return (struct run_request){
                .target = target,
                .children = children_of(&o->sampling),
                .events = r->events.len ? buf_text(&r->events) : NULL,
                .memory = o->sampling.mem,
                .memory_latency = o->sampling.ldlat,
                .freq_hz = run_asked_hz(o->sampling.freq_hz, o->sampling.rate_hz, r->call_graph.kind),
                .default_hz = samples_running(r) ? run_attached_hz() : 0,
                .target_note = buf_text(&r->target_note),
                .kernel = o->event.kernel,
                .timeout_ns = o->target.timeout_ns,
                .call_graph = r->call_graph,
                .engine = r->engine,
                .branches = o->sampling.branches,
                .wall = r->wall,
                .compress = o->sampling.compress,
                .session_path = buf_text(&r->session),
                .command_line = buf_text(&r->command_line),
                .force_lock = o->general.force_lock,
                .cpu_model = o->general.cpu_model,
                .sysfs_root = o->sampling.sysfs,
                .quiet = !text,
                .tick = tick,
                .tick_ctx = r,
        };
}

static void draw_start(const struct recording *r)
{
        AUTO_RELEASE(buf) text = {0};

        progress_view_begin_sampling(&text);
        if (r->live)
                text_stream_write(OS_STDOUT, text.data, text.len, NULL);
}

/* Removes the progress from the screen; then the whole output is printed in the same order as in a pipe. */
static void draw_end(const struct recording *r)
{
        AUTO_RELEASE(buf) erase = {0};

        progress_view_erase(&erase);
        if (r->live)
                text_stream_write(OS_STDOUT, erase.data, erase.len, NULL);
}

static int exit_status(const struct recording *r, const struct run_facts *facts, bool poor)
{
        const struct record_options *o = r->options;
        int status = EXIT_OK;

        if (facts->write_error)
                return cmd_run_failure(RUN_FAILED, r->has_command);
        if (!facts->stopped_by_us && facts->has_status && !o->output.json)
                status = facts->exit_status;
        return !status && poor && o->display.strict ? EXIT_POOR : status;
}

static bool wants_browser(const struct recording *r)
{
        const struct record_options *o = r->options;
        const struct browse_choice choice = {
                .general = &o->general,
                .output = &o->output,
                .path = buf_text(&r->session),
                .wants_text = !o->sampling.tui || o->display.annotate || o->display.disassemble ||
                              o->display.strict || o->general.verbose,
        };

        return browse_choice_is_wanted(&choice);
}

/* Programs that read WindowsPerf's tables use a pipe, or one of these options. */
static bool wants_screen(const struct record_options *o)
{
        return os_is_terminal(OS_STDOUT) && !o->output.json && !o->target.cpus.n && !o->target.pe_file &&
               !o->display.rows && !o->display.annotate && !o->display.disassemble && !o->general.verbose;
}

static int browse(struct recording *r, const struct report_request *report, bool has_python, int status)
{
        struct report_request request = *report;
        struct browser_request browse = {
                .report = &request,
                .start = has_python ? BROWSER_FUNCTIONS : BROWSER_TABLE,
                .symbol = r->options->display.symbol,
                .debuginfod = r->lookup.debuginfod,
        };
        struct err err = {0};

        request.results = 0; /* the browser makes the results that it shows */
        request.by_source = false;
        request.merges_strays = true;
        request.python = STACKS_PYTHON_MERGED;
        r->lookup.is_browsing = true;
        if (!browse_choice_colors(&r->options->color, &browse.colors, &err))
                return cmd_fail(&err);
        return browse_choice_run(&browse, status);
}

/* The states of threads that count. */
static unsigned states_of(const struct recording *r)
{
        return r->wall ? WALL_SHOWN | (r->options->sampling.idle ? WALL_IDLE : 0) : 0;
}

/* Without the engine bpf all of wall time is shown, and the heading says why that engine is not used. */
static bool shows_gil(const struct recording *r, const struct collect_result *collected)
{
        return r->gil && collected->n_holders;
}

static void tell_about_gil(const struct recording *r, const struct collect_result *collected)
{
        AUTO_RELEASE(buf) warning = {0};

        if (!r->gil || shows_gil(r, collected))
                return;
        buf_add_str(&warning,
                    "no sample is known to have Python's GIL, so all of wall time is shown; that is known "
                    "of Python 3.8 and later with the engine bpf, which needs root");
        cmd_warn(&warning);
}

/* Reads the session again: a picture needs other results than the tables. */
static bool write_picture(const struct recording *r, const struct run *run, struct err *err)
{
        const struct record_options *o = r->options;
        struct report_request request = {
                .path = buf_text(&r->session),
                .long_names = o->display.long_names,
                .collected = run_get_facts(run).collected,
                .sources = &r->lookup.sources,
                .filter = {.states = states_of(r), .only_gil = shows_gil(r, run_get_facts(run).collected)},
        };
        struct export_output output = {
                .format = r->format,
                .page = {.session = request.path,
                         .python = STACKS_PYTHON_MERGED,
                         .options = &o->page,
                         .debuginfod = r->lookup.debuginfod},
                .is_quiet = o->general.quiet,
        };
        const struct buf no_notes = {0};
        AUTO(report) report = NULL;

        export_output_request(r->format, &output.choice, &request);
        report = report_make(&request, err);
        if (!report)
                return false;
        output.page.report = report;
        if (!export_output_write(&output, buf_text(&r->picture), &no_notes, err))
                return false;
        page_output_show(&o->page, buf_text(&r->picture), o->general.quiet);
        return true;
}

static int show(struct recording *r, const struct run *run)
{
        const struct record_options *o = r->options;
        struct run_facts facts = run_get_facts(run);
        struct report_request request = {
                .path = buf_text(&r->session),
                .results = REPORT_PYTHON | REPORT_WALL | (o->general.verbose ? REPORT_SECTIONS : 0),
                .long_names = o->display.long_names,
                .arguments = text_pattern_has_arguments(o->display.symbol),
                .by_source = true,
                .collected = facts.collected,
                .sources = &r->lookup.sources,
                .filter = {.states = states_of(r), .only_gil = shows_gil(r, facts.collected)},
        };
        AUTO_RELEASE(buf) sampling_line = {0};
        struct reading_progress *progress;
        AUTO(report) report = NULL;
        struct err err = {0};
        struct hot_output output;
        bool poor = false;

        if (facts.write_error)
                cmd_fail(facts.write_error);
        if (!facts.has_session)
                return exit_status(r, &facts, false);
        tell_about_gil(r, facts.collected);
        progress_view_sampling(buf_text(&r->progress), facts.stop_signal == 2, &sampling_line);
        /* The table would not be shown, so it is not made. */
        if (r->to_pipe ||
            (o->general.quiet && !o->display.strict && !o->output.json && !document_is_output(r)))
                return exit_status(r, &facts, false);
        if (wants_browser(r))
                return browse(r, &request, facts.collected->python && facts.collected->python->n_stacks,
                              exit_status(r, &facts, false));
        progress = reading_progress_start(request.path, &request, &r->lookup, o->general.quiet);
        report = report_make(&request, &err);
        reading_progress_end(progress);
        if (!report) {
                if (!facts.write_error) /* already printed, and the cause of this error */
                        cmd_fail(&err);
                return cmd_run_failure(RUN_FAILED, r->has_command);
        }
        output = (struct hot_output){
                .is_colored = r->is_colored,
                .report = report,
                .general = &o->general,
                .output = &o->output,
                .display = &o->display,
                .pe_file = o->target.pe_file,
                .pdb_file = o->target.pdb_file,
                .debuginfod = r->lookup.debuginfod,
                .is_screen = wants_screen(o),
                .note = facts.heading_note,
                .was_interrupted = facts.stop_signal == 2,
                .sampling_line = sampling_line.data,
                .document_is_output = document_is_output(r),
                .session = buf_text(&r->session),
                .has_elapsed = true,
                .elapsed_ns = facts.elapsed_ns,
                .has_exit = facts.has_status && !facts.stopped_by_us,
                .exit_status = facts.exit_status,
        };
        if (!hot_output_show(&output, &poor))
                return cmd_run_failure(RUN_FAILED, r->has_command);
        return exit_status(r, &facts, poor);
}

static int fail(const struct recording *r, const struct err *err)
{
        cmd_fail(err);
        return err->code == ERR_USAGE ? EXIT_WRONG_USAGE : cmd_run_failure(RUN_FAILED, r->has_command);
}

static void fill_end(const struct run *run, struct record_end *ret)
{
        struct run_facts facts = run_get_facts(run);

        *ret = (struct record_end){
                .has_run = true,
                .was_interrupted = facts.stop_signal,
                .elapsed_ns = facts.elapsed_ns,
                .n_samples = facts.n_samples,
        };
}

/* Besides the session, -o may name a picture or a JSON document. */
static bool check_output(const struct recording *r, struct err *err)
{
        const struct output_options *o = &r->options->output;
        AUTO_RELEASE(buf) path = {0};

        if (!r->format && !document_is_output(r))
                return true;
        if (r->format)
                buf_add_str(&path, buf_text(&r->picture));
        else
                cmd_output_path(o->output_prefix, o->output, &path);
        if (!r->to_pipe && cmd_is_same_file(buf_text(&path), buf_text(&r->session)))
                return err_set(err, ERR_USAGE,
                               "%s: -o would overwrite the session; name another file with -o or --session",
                               buf_text(&path));
        return cmd_can_write(NULL, buf_text(&path), err);
}

static int record(struct recording *r)
{
        enum run_failure failure = RUN_OK;
        struct run_request request;
        AUTO(run) run = NULL;
        struct err err = {0};
        bool has_picture;
        int status;

        if ((r->events.len && !event_check_intervals(buf_text(&r->events), run_longest_interval(), &err)) ||
            !choose_target(r, &err) || !check_children(r, &err) || !choose_session(r, &err) ||
            !choose_engine(r, &err) || !check_output(r, &err))
                return fail(r, &err);
        cmd_join_line(r->line, &r->command_line);
        process_choice_add_note(&r->processes, &r->target_note);
        python_command_add_note(r->python_argv, &r->target_note);
        request = make_request(r);
        r->live = !request.quiet && cmd_may_draw(r->has_command, r->processes.pids, r->processes.n_pids);
        draw_start(r);
        run = run_record(&request, &failure, &err);
        draw_end(r);
        if (!run) {
                cmd_fail(&err);
                return cmd_run_failure(failure, r->has_command);
        }
        r->has_run = true;
        fill_end(run, &r->end);
        cmd_warn_of_left_out();
        /* Before the tables, whose last line is the quality. */
        has_picture = !r->format || !run_get_facts(run).has_session || write_picture(r, run, &err);
        status = show(r, run);
        if (!has_picture) {
                cmd_fail(&err);
                return cmd_run_failure(RUN_FAILED, r->has_command);
        }
        return status;
}

static int dry_run(struct recording *r)
{
        struct run_request request = make_request(r);
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (!run_describe(&request, &out, &err))
                return cmd_fail(&err);
        return cmd_print(&out, EXIT_OK);
}

static bool is_this_machine(const struct record_options *o, struct err *err)
{
        return !o->general.cpu_model || o->sampling.dry_run ||
               err_set(err, ERR_USAGE,
                       "--cpu-model assumes another machine, and wperf can only plan for it: add --dry-run");
}

static bool choose_call_graph(struct recording *r, struct err *err)
{
        const struct sampling_options *o = &r->options->sampling;

        if (o->mode && strcmp(o->mode, "cpu") != 0 && strcmp(o->mode, "gil") != 0 &&
            strcmp(o->mode, "wall") != 0)
                return err_set(err, ERR_USAGE, "--mode takes cpu, gil or wall, not '%.40s'", o->mode);
        r->gil = o->gil || (o->mode && !strcmp(o->mode, "gil"));
        r->wall |= o->wall || o->idle || r->gil || (o->mode && !strcmp(o->mode, "wall"));
        if (o->no_stacks && (o->call_graph || o->call_graph_mode || r->wall))
                return err_set(err, ERR_USAGE, "--no-stacks and %s cannot be used together",
                               r->wall         ? "--wall"
                               : o->call_graph ? "-g"
                                               : "--call-graph");
        if (!o->no_stacks)
                r->call_graph = (struct call_graph){CALL_GRAPH_UNWIND, CALL_GRAPH_UNWIND_BYTES,
                                                    .if_can = !o->call_graph && !r->wall};
        if (o->call_graph_mode && !call_graph_parse(o->call_graph_mode, &r->call_graph, err))
                return false;
        return !o->branches || r->call_graph.kind != CALL_GRAPH_LBR ||
               err_set(err, ERR_USAGE,
                       "-b and --call-graph lbr cannot be used together: the CPU keeps only one record of branches");
}

/* perf's -r is a number of runs, which is small. */
static bool check_rate(const struct record_options *o, struct err *err)
{
        enum { LEAST_HZ = 10 };
        unsigned rate = (unsigned)o->sampling.rate_hz;

        if (rate && o->sampling.freq_hz)
                return err_set(err, ERR_USAGE, "-F and -r are the same option: leave one out");
        return !rate || rate >= LEAST_HZ ||
               err_set(err, ERR_USAGE,
                       "-r %u is %u samples a second; for %u runs write --repeat %u, for so few samples -F %u",
                       rate, rate, rate, rate, rate);
}

static bool check_mem(const struct record_options *o, struct err *err)
{
        if (o->sampling.ldlat && !o->sampling.mem)
                return err_set(err, ERR_USAGE, "--ldlat applies to accesses to memory: add --mem");
        return !o->sampling.mem || !o->event.events ||
               err_set(err, ERR_USAGE,
                       "--mem and -e cannot be used together: --mem chooses the events; add events to -e by "
                       "name instead");
}

static bool begins_with(const char *path, const char *magic, size_t size)
{
        AUTO(os_map) map = path ? os_map_open(path, NULL) : NULL;

        return map && map->size_bytes >= size && !memcmp(map->bytes, magic, size);
}

/* Editors and scripts pass --pdb_file for each program that they start.  It is ignored for an ELF program. */
static const char *choose_pdb(const struct recording *r, const char *image)
{
        const char *pdb = r->options->target.pdb_file;
        AUTO_RELEASE(buf) warning = {0};
        struct os_stat there;

        if (!pdb || begins_with(image, "MZ", 2))
                return pdb;
        if (begins_with(image, "\177ELF", 4))
                buf_printf(&warning, "'%s' is an ELF program: ignoring --pdb_file '%s'", image, pdb);
        else if (!os_stat(pdb, &there))
                buf_printf(&warning, "PDB file '%s' doesn't exist: ignoring --pdb_file", pdb);
        else
                return pdb;
        cmd_warn(&warning);
        return NULL;
}

/* --pe_file may be the name of a running image, which is not a path of a file here. */
static bool init_lookup(struct recording *r, struct err *err)
{
        struct lookup_options options = r->options->lookup;
        const char *image = r->options->target.pe_file;
        struct os_stat there;

        options.pe_file = image && os_stat(image, &there) ? image : NULL;
        options.pdb_file = choose_pdb(r, options.pe_file);
        return lookup_init(&options, &r->lookup, err);
}

bool cmd_record_rehearse(const struct command_line *line, struct run_rehearsal *ret, struct err *err)
{
        struct recording r = {.line = line, .options = line->options, .has_command = line->n_args};
        struct run_request request;
        bool ok = choose_call_graph(&r, err) && choose_target(&r, err) && choose_engine(&r, err);

        if (ok) {
                request = make_request(&r);
                ok = run_rehearse(&request, ret, err);
        }
        recording_release(&r);
        return ok;
}

int cmd_record_once(const struct command_line *line, struct record_end *ret_end)
{
        struct recording r = {.line = line,
                              .options = line->options,
                              .has_command = line->n_args,
                              .python_argv = python_command_argv(line->args, line->n_args)};
        struct err err = {0};
        int status;

        if (!color_choose(&r.options->color, &r.is_colored, &err) ||
            !record_mode_take_wall(r.options->event.events, &r.events, &r.wall, &err) ||
            !choose_call_graph(&r, &err) || !cmd_delay(&r.options->target, &r.delay_ns, &err) ||
            !is_this_machine(r.options, &err) || !check_rate(r.options, &err) ||
            !check_mem(r.options, &err) || !choose_picture(&r, &err) || !init_lookup(&r, &err))
                status = fail(&r, &err);
        else
                status = r.options->sampling.dry_run ? dry_run(&r) : record(&r);
        if (!r.has_run && !r.options->sampling.dry_run)
                cmd_dismiss(line);
        lookup_release(&r.lookup);
        recording_release(&r);
        *ret_end = r.end;
        return status;
}

int cmd_record(const struct command_line *line)
{
        struct record_options *o = line->options;
        struct record_end end;
        struct err err = {0};

        if (!page_output_take(&o->page, &o->output.output, &err)) {
                cmd_dismiss(line);
                cmd_fail(&err);
                return EXIT_WRONG_USAGE;
        }
        return o->sampling.repeat || o->sampling.versus ? cmd_record_repeat(line)
                                                        : cmd_record_once(line, &end);
}
