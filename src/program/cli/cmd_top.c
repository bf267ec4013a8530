/* SPDX-License-Identifier: BSD-3-Clause */
/* top: a view of running programs that is renewed each second, as tables or as a screen. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browse_choice.h"
#include "cmd.h"
#include "cmd_top_options.h"
#include "engine_choice.h"
#include "live_browser.h"
#include "live_run.h"
#include "live_view.h"
#include "os.h"
#include "process_choice.h"
#include "python_command.h"
#include "record_mode.h"
#include "text.h"
#include "text_stream.h"

enum {
        DEFAULT_INTERVAL_NS = 1000000000,
        LEAST_INTERVAL_NS = 50000000,
        LOOK_NS = 50000000, /* between two looks whether the run has ended */
        DEFAULT_ROWS = 20,
        SHOWN_OUTPUT_BYTES = 64 << 10, /* of the command, at the end */
};

struct watching {
        const struct top_options *options;
        char **argv; /* the command; NULL: none */
        char **python_argv;
        struct process_choice processes;
        struct target_options target;
        struct buf note, command_line, name, lack;
        struct buf output; /* the file for the output of the command; empty: none */
        enum live_kind kind;
        struct lookup lookup;
        struct live_run_request request;
        struct live_run *run;
        struct live_facts before[2]; /* at the last table, and at the one before it */
        struct buf events;           /* without `wall`; empty: the default */
        bool wall;
};

/* --- the request --- */

static bool choose_kind(struct watching *w, struct err *err)
{
        const char *by = w->options->live.by;

        for (unsigned i = 0; by && i < LIVE_N_KINDS; i++) {
                enum live_kind kind = (enum live_kind)i;

                if (!strcmp(by, live_view_row_word(kind))) {
                        w->kind = kind;
                        return true;
                }
        }
        return !by ||
               err_set(err, ERR_USAGE, "--by takes function, thread, process or container, not '%.40s'", by);
}

static bool choose_mode(struct watching *w, struct err *err)
{
        const struct live_options *o = &w->options->live;

        if (o->mode && strcmp(o->mode, "cpu") != 0 && strcmp(o->mode, "wall") != 0)
                return err_set(err, ERR_USAGE, "top --mode takes cpu or wall, not '%.40s'", o->mode);
        if (!record_mode_take_wall(w->options->event.events, &w->events, &w->wall, err))
                return false;
        if (o->mode && !strcmp(o->mode, "cpu") && (w->wall || o->wall || o->idle))
                return err_set(err, ERR_USAGE, "--mode cpu and --%s cannot be used together",
                               o->idle ? "idle" : "wall");
        w->wall |= o->wall || o->idle || o->mode;
        if (o->mode && !strcmp(o->mode, "cpu"))
                w->wall = false;
        return !w->wall || !o->no_stacks ||
               err_set(err, ERR_USAGE, "--wall needs call stacks: leave --no-stacks out");
}

static bool check(const struct watching *w, struct err *err)
{
        const struct top_options *o = w->options;

        if (o->live.freq_hz && o->live.rate_hz)
                return err_set(err, ERR_USAGE, "-F and -r are the same option: leave one out");
        if (o->live.interval_ns && o->live.interval_ns < LEAST_INTERVAL_NS)
                return err_set(err, ERR_USAGE, "-d takes 50ms or more");
        if (o->output.output)
                return err_set(err, ERR_USAGE,
                               "top writes to standard output: leave -o out; the key W keeps a session");
        return !o->live.session || strcmp(o->live.session, "-") != 0 ||
               err_set(err, ERR_USAGE,
                       "top writes tables to standard output: --session takes the name of a file");
}

/* Without processes and without a command: everything. */
static bool choose_target(struct watching *w, struct err *err)
{
        w->target = w->options->target;
        if (!process_choice_make(&w->target, &w->processes, err))
                return false;
        process_choice_add_note(&w->processes, &w->note);
        if (!w->processes.n_pids && !w->processes.cgroup.len && !w->argv)
                w->target.all_cpus = true;
        return true;
}

/* The script that an interpreter runs, or the program. */
static const char *command_name(char *const *argv)
{
        const char *program = text_base_name(argv[0]);

        for (size_t i = 1; text_starts(program, "python") && argv[i]; i++) {
                if (text_ends(argv[i], ".py"))
                        return text_base_name(argv[i]);
        }
        return program;
}

static bool begin_output(struct watching *w, struct err *err)
{
        AUTO(os_file) file = NULL;
        struct err cause = {0};
        const char *why;

        if (!w->argv)
                return true;
        file = os_file_create_temp("wperf.out", &w->output, &cause);
        if (file)
                return true;
        buf_clear(&w->output);
        why = strstr(cause.text, ": ");
        return err_set(
                err, cause.code,
                "can't create a file for the output of %.60s here (wperf.out.NAME)%s; change to a folder "
                "that you may write to",
                command_name(w->argv), why ? why : "");
}

/* If the command did not run. */
static void remove_output(const struct watching *w)
{
        if (w->output.len)
                os_remove(buf_text(&w->output), NULL);
}

static void make_request(struct watching *w)
{
        const struct top_options *o = w->options;
        struct target target = cmd_target(&w->target, w->argv, &w->processes);
        const struct call_graph unwind = {CALL_GRAPH_UNWIND, CALL_GRAPH_UNWIND_BYTES, .if_can = !w->wall};

        target.output = w->output.len ? buf_text(&w->output) : NULL;
        w->request.run = (struct run_request){
                .target = target,
                .children = COLLECT_BEST,
                .wall = w->wall,
                .events = w->events.len ? buf_text(&w->events) : NULL,
                .freq_hz = run_asked_hz(o->live.freq_hz, o->live.rate_hz, !o->live.no_stacks),
                .default_hz = run_attached_hz(),
                .target_note = buf_text(&w->note),
                .kernel = o->event.kernel,
                .timeout_ns = w->target.timeout_ns,
                .call_graph = o->live.no_stacks ? (struct call_graph){0} : unwind,
                .engine = w->request.run.engine,
                .command_line = buf_text(&w->command_line),
                .force_lock = o->general.force_lock,
        };
        w->request.states = WALL_SHOWN | (o->live.idle ? WALL_IDLE : 0);
        w->request.no_demangle = o->live.no_demangle;
        w->request.sources = &w->lookup.sources;
}

/* Users who may not measure the machine measure what is theirs. */
static bool take_readable(struct watching *w, struct err *err)
{
        int32_t *pids;
        size_t n;

        if (!target_find_readable(&pids, &n, err))
                return false;
        process_choice_release(&w->processes);
        process_choice_take(&w->target, pids, n, &w->processes);
        w->target.all_cpus = false;
        make_request(w);
        return true;
}

static bool is_everything(const struct watching *w)
{
        return w->target.all_cpus && !w->options->target.all_cpus && !w->options->target.cpus.n;
}

static bool start(struct watching *w, enum run_failure *ret_failure, struct err *err)
{
        struct err denied = {0};

        w->run = live_run_start(&w->request, ret_failure, &denied);
        if (!w->run && denied.code == ERR_DENIED && is_everything(w) && take_readable(w, err))
                w->run = live_run_start(&w->request, ret_failure, &denied);
        if (!w->run)
                *err = denied;
        w->before[0].looked_ns = w->before[1].looked_ns = os_monotonic_ns();
        return w->run;
}

/* --- what a table says --- */

static const char *process_name(const struct live_table *table, int32_t pid)
{
        const struct live_rows *rows = &table->kinds[LIVE_PROCESSES];

        for (size_t i = 0; i < rows->n; i++) {
                if (rows->items[i].pid == pid && !rows->items[i].is_rest)
                        return rows->items[i].name;
        }
        return "process";
}

static void add_target(const struct watching *w, const struct live_table *table, struct buf *out)
{
        const struct process_choice *p = &w->processes;

        if (p->cgroup.len) {
                buf_add_str(out, buf_text(&p->cgroup));
        } else if (p->n_pids == 1) {
                if (!target_add_script(p->pids[0], out))
                        buf_add_str(out, process_name(table, p->pids[0]));
                buf_printf(out, " (%" PRId32 ")", p->pids[0]);
        } else if (p->n_pids) {
                buf_printf(out, "%zu processes", p->n_pids);
        } else if (w->argv) {
                buf_add_str(out, command_name(w->argv));
        } else {
                buf_add_str(out, "all processes");
        }
}

static uint64_t interval_of(const struct watching *w)
{
        return w->options->live.interval_ns ? w->options->live.interval_ns : DEFAULT_INTERVAL_NS;
}

/* What they say lives as long as the view. */
static struct live_facts see_facts(struct watching *w)
{
        const struct live_facts facts = live_run_get_facts(w->run);

        buf_clear(&w->lack);
        buf_add_str(&w->lack, facts.lack);
        return facts;
}

static struct live_view view_of(void *ctx, const struct live_table *table)
{
        struct watching *w = ctx;
        const struct live_facts facts = see_facts(w);
        struct live_view view = {
                .table = table,
                .kind = w->kind,
                .elapsed_ns = facts.elapsed_ns,
                .own_percent = live_run_own_percent(w->before, &facts, interval_of(w)),
                .n_dropped = facts.n_dropped,
                .n_threads = w->processes.n_pids == 1 ? target_n_threads(w->processes.pids[0]) : 0,
                .state = "",
                .note = buf_text(&w->lack),
                .max_rows = w->options->live.rows ? (size_t)w->options->live.rows : DEFAULT_ROWS,
        };

        if (facts.looked_ns > w->before[0].looked_ns) {
                w->before[1] = w->before[0];
                w->before[0] = facts;
        }
        if (!w->name.len || w->processes.n_pids == 1) {
                buf_clear(&w->name);
                add_target(w, table, &w->name);
        }
        view.target = buf_text(&w->name);
        return view;
}

/* --- tables --- */

static bool print_table(struct watching *w, struct live_table *table, bool is_first, struct err *err)
{
        const struct top_options *o = w->options;
        struct live_view view = view_of(w, table);
        AUTO_RELEASE(buf) out = {0};

        live_table_sort(table, w->kind, table->has_python || w->wall ? LIVE_BY_TOTAL : LIVE_BY_SELF);
        if (os_is_terminal(OS_STDOUT))
                view.max_columns = os_terminal_columns(OS_STDOUT);
        if (o->output.json) {
                live_view_json(&view, &out);
        } else {
                if (!is_first)
                        buf_add_char(&out, '\n');
                live_view_text(&view, &out);
        }
        return text_stream_offer(OS_STDOUT, out.data, out.len, err);
}

static bool print_note(const struct watching *w, struct err *err)
{
        const struct live_facts facts = live_run_get_facts(w->run);
        AUTO_RELEASE(buf) out = {0};

        if (!facts.note[0] || w->options->output.json || w->options->general.quiet)
                return true;
        buf_printf(&out, "%s\n\n", facts.note);
        return text_stream_offer(OS_STDOUT, out.data, out.len, err);
}

/* False if the run has ended or was stopped. */
static bool wait_until(const struct watching *w, uint64_t end_ns)
{
        uint64_t now_ns;

        while ((now_ns = os_monotonic_ns()) < end_ns) {
                live_run_catch_up(w->run);
                if (live_run_has_ended(w->run) ||
                    !os_sleep(end_ns - now_ns < LOOK_NS ? end_ns - now_ns : LOOK_NS))
                        return false;
        }
        return !live_run_has_ended(w->run);
}

static bool print_tables(struct watching *w, struct err *err)
{
        uint64_t interval_ns = interval_of(w), next_ns;
        bool is_first = true, goes_on = true, ok = print_note(w, err);

        next_ns = os_monotonic_ns() + interval_ns;
        while (ok && goes_on) {
                AUTO(live_table) table = NULL;

                goes_on = wait_until(w, next_ns);
                if (!goes_on)
                        live_run_stop(w->run);
                table = live_run_step(w->run);
                ok = print_table(w, table, is_first, err);
                is_first = false;
                while (next_ns <= os_monotonic_ns())
                        next_ns += interval_ns;
        }
        live_run_stop(w->run);
        return ok;
}

/* --- the screen --- */

static const char *session_path(const struct watching *w)
{
        return w->options->live.session ? w->options->live.session : "wperf.data";
}

static bool wants_screen(const struct watching *w)
{
        const struct top_options *o = w->options;
        const struct browse_choice choice = {.general = &o->general,
                                             .output = &o->output,
                                             .path = session_path(w),
                                             .wants_text = o->live.text || o->general.verbose};

        return browse_choice_is_wanted(&choice);
}

/* Names for the pages of what was kept are looked up apart from those of the table, which another thread
 * looks up. */
static bool show_screen(struct watching *w, bool *ret_has_left, struct err *err)
{
        const struct top_options *o = w->options;
        struct report_request report = {.merges_strays = true,
                                        .python = w->request.python,
                                        .filter = {.states = w->wall ? w->request.states : 0}};
        struct browser_request session = {.report = &report};
        struct live_browser_request request = {.run = w->run,
                                               .interval_ns = interval_of(w),
                                               .kind = w->kind,
                                               .has_command = w->argv,
                                               .view_of = view_of,
                                               .ctx = w,
                                               .session = &session,
                                               .keep_path = session_path(w)};
        AUTO_RELEASE(buf) scratch = {0};
        struct lookup lookup;
        bool ok;

        if (!browse_choice_colors(&o->color, &session.colors, err) || !lookup_init(&o->lookup, &lookup, err))
                return false;
        lookup.is_browsing = true;
        report.sources = &lookup.sources;
        session.debuginfod = lookup.debuginfod;
        buf_printf(&scratch, "%s/wperf.top", cmd_temp_folder());
        request.scratch = buf_text(&scratch);
        ok = live_browser_run(&request, cmd_write_file, ret_has_left, err);
        live_run_stop(w->run);
        if (!*ret_has_left)
                lookup_release(&lookup);
        return ok;
}

/* --- the end --- */

/* Names the file of the command's output, and prints the end of it. */
static void show_output(const struct watching *w)
{
        AUTO(os_map) file = w->output.len ? os_map_open(buf_text(&w->output), NULL) : NULL;
        AUTO_RELEASE(buf) out = {0};
        size_t from;

        if (!file)
                return;
        from = file->size_bytes > SHOWN_OUTPUT_BYTES ? file->size_bytes - SHOWN_OUTPUT_BYTES : 0;
        buf_printf(&out, "%soutput of %s in %s, %zu bytes%s\n", w->options->output.json ? "" : "\n",
                   buf_text(&w->name), buf_text(&w->output), file->size_bytes,
                   from               ? "; the end of it:"
                   : file->size_bytes ? ":"
                                      : "");
        if (!w->options->output.json && file->size_bytes)
                buf_add(&out, file->bytes + from, file->size_bytes - from);
        text_stream_offer(w->options->output.json ? OS_STDERR : OS_STDOUT, out.data, out.len, NULL);
}

static int exit_status(const struct watching *w)
{
        const struct live_facts facts = live_run_get_facts(w->run);

        if (facts.error.code) {
                cmd_fail(&facts.error);
                return cmd_run_failure(RUN_FAILED, w->argv);
        }
        if (facts.has_status && !facts.stopped_by_us && !w->options->output.json)
                return facts.exit_status;
        return EXIT_OK;
}

/* Keeps the session that --session asks for. */
static bool keep(struct watching *w, struct err *err)
{
        live_run_stop(w->run);
        return !w->options->live.session || live_run_keep(w->run, w->options->live.session, err);
}

static int watch(struct watching *w)
{
        struct err err = {0};
        enum run_failure failure = RUN_FAILED;
        bool has_left = false, ok;
        int status;

        if (!start(w, &failure, &err)) {
                cmd_fail(&err);
                remove_output(w);
                return cmd_run_failure(failure, w->argv);
        }
        ok = wants_screen(w) ? show_screen(w, &has_left, &err) : print_tables(w, &err);
        ok = keep(w, ok ? &err : NULL) && ok;
        status = ok ? exit_status(w) : cmd_fail(&err);
        show_output(w);
        if (has_left)
                _Exit(status);
        return status;
}

static int fail(const struct watching *w, const struct err *err)
{
        cmd_fail(err);
        return err->code == ERR_USAGE ? EXIT_WRONG_USAGE : cmd_run_failure(RUN_FAILED, w->argv);
}

static void release(struct watching *w)
{
        live_run_free(w->run);
        process_choice_release(&w->processes);
        free(w->python_argv);
        buf_release(&w->note);
        buf_release(&w->command_line);
        buf_release(&w->name);
        buf_release(&w->lack);
        buf_release(&w->output);
        buf_release(&w->events);
}

int cmd_top(const struct command_line *line)
{
        struct watching w = {.options = line->options,
                             .python_argv = python_command_argv(line->args, line->n_args)};
        const struct top_options *o = w.options;
        struct err err = {0};
        int status;

        w.argv = w.python_argv ? w.python_argv : line->n_args ? line->args : NULL;
        if (!choose_kind(&w, &err) || !choose_mode(&w, &err) || !check(&w, &err) ||
            !choose_target(&w, &err) ||
            !engine_choice_make(o->live.engine, o->live.nonblocking, &w.request.run.engine, &err) ||
            !python_options_frames(&o->python, &w.request.python, &err) || !begin_output(&w, &err) ||
            !lookup_init(&o->lookup, &w.lookup, &err)) {
                status = fail(&w, &err);
                remove_output(&w);
                release(&w);
                return status;
        }
        cmd_join_line(line, &w.command_line);
        python_command_add_note(w.python_argv, &w.note);
        make_request(&w);
        os_catch_stop();
        status = watch(&w);
        release(&w);
        lookup_release(&w.lookup);
        os_release_stop();
        return status;
}
