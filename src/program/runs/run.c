/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides the order of a run: events are opened first; an existing session is not changed until the command
 * has started; and however the run ends, the session is closed in a readable state. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event_facts.h"
#include "event_memory.h"
#include "image_section.h"
#include "kept_names.h"
#include "kernel.h"
#include "mem.h"
#include "os.h"
#include "os_paths.h"
#include "python_names.h"
#include "run_info.h"
#include "run_internal.h"
#include "session_clock.h"
#include "session_facts.h"
#include "session_tracing.h"
#include "task_section.h"
#include "text.h"
#include "wait_section.h"

enum {
        ZSTD_LEVEL = 1,
        TICK_MS = 1000,
        /* A signal ends a wait; without its handler, requests to stop are looked for. */
        STOP_LOOK_MS = 100,
};

void run_free(struct run *run)
{
        if (!run)
                return;
        perfdata_writer_free(run->writer);
        collector_free(run->collector);
        control_free(run->control);
        event_list_release(&run->events);
        session_facts_free(run->facts);
        buf_release(&run->memory_note);
        buf_release(&run->doubts);
        buf_release(&run->asked_note);
        buf_release(&run->heading_note);
        buf_release(&run->lack_note);
        buf_release(&run->note);
        buf_release(&run->python_symbols);
        buf_release(&run->python_note);
        free(run);
}

/* Windows' driver is asked only for events that are not known without it, because other programs may use
 * it. */
static bool parse_named(const struct run_request *request, const struct event_defaults *defaults,
                        const struct pmu_source *source, struct event_list *events, struct err *err)
{
        struct err unknown = {0};

        if (event_parse_sampling(request->events, defaults, source, events, err))
                return true;
        if (request->cpu_model || request->sysfs_root)
                return false;
        if (kernel_connect(request->force_lock, &unknown))
                return event_parse_sampling(request->events, defaults, source, events, err);
        if (unknown.code != ERR_MISSING)
                err_set(err, unknown.code, "%s", unknown.text);
        return false;
}

/* Appends to `note` what the events leave out. */
bool run_parse_events(const struct run_request *request, struct event_list *events, struct buf *note,
                      struct err *err)
{
        struct event_defaults defaults = {
                .freq_hz = request->freq_hz, .default_hz = request->default_hz, .kernel = request->kernel};
        const struct catalogue_cpu *model = NULL;
        struct pmu_source source;

        if (!event_facts_source(request->cpu_model, request->sysfs_root, &source, &model, err))
                return false;
        if (request->events)
                return parse_named(request, &defaults, &source, events, err);
        if (request->memory)
                return event_memory_sampling(&defaults, &source, request->memory_latency, events, note, err);
        return event_default_sampling(&defaults, &source, events, err);
}

struct collect_request run_make_request(const struct run_request *request, const struct event_list *events)
{
        return (struct collect_request){
                .target = request->target,
                .events = events,
                .children = request->children,
                .events_are_default = !request->events && !request->memory,
                .call_graph = request->call_graph,
                .engine = request->engine,
                .branches = request->branches,
                .wall = request->wall,
                .is_live = request->live != NULL,
        };
}

bool run_describe(const struct run_request *request, struct buf *out, struct err *err)
{
        struct event_list events = {0};
        struct collect_request collect;
        AUTO_RELEASE(buf) note = {0};

        if (!run_parse_events(request, &events, &note, err))
                return false;
        collect = run_make_request(request, &events);
        kernel_describe(&collect, out);
        if (note.len)
                buf_printf(out, "note: %s\n", buf_text(&note));
        event_list_release(&events);
        return true;
}

/* The sink of the collector. Begins the session with the first record. */
bool run_put_records(void *ctx, const void *records, size_t size, struct err *err)
{
        struct run *run = ctx;

        if (run->request->live && !run->writer) {
                run->has_python = run->has_python || session_facts_find_python(records, size);
                return run->request->live->put(run->request->live->ctx, records, size, err);
        }
        if (!run->begun) {
                if (!perfdata_writer_begin(run->writer, err))
                        return false;
                run->begun = true;
        }
        session_facts_see(run->facts, records, size);
        return perfdata_writer_put(run->writer, records, size, err);
}

void run_add_events(struct run *run)
{
        for (size_t i = 0; i < collector_n_events(run->collector); i++) {
                struct collect_event e = collector_get_event(run->collector, i);

                perfdata_writer_add_event(run->writer, &e.attr, e.name, e.ids, e.n_ids);
                run->is_monotonic =
                        e.attr.flags & PERF_ATTR_USE_CLOCKID && e.attr.clockid == PERF_CLOCK_MONOTONIC;
        }
}

void run_describe_tracepoints(const struct run_request *request, struct run *run)
{
        const struct pmu_source source = kernel_pmu_source(request->sysfs_root);

        session_tracing_add(run->writer, &run->events, &source);
}

static bool time_is_up(const struct run_request *request, uint64_t start_ns)
{
        return request->timeout_ns && os_monotonic_ns() - start_ns >= request->timeout_ns;
}

static int wait_ms(const struct run_request *request, uint64_t start_ns)
{
        uint64_t used_ns = os_monotonic_ns() - start_ns;
        uint64_t left_ms = TICK_MS, most_ms = request->quiet ? 10 * TICK_MS : TICK_MS;

        if (request->timeout_ns)
                left_ms = used_ns < request->timeout_ns ? (request->timeout_ns - used_ns + 999999) / 1000000
                                                        : 0;
        if (request->keeps_signals)
                most_ms = STOP_LOOK_MS;
        return left_ms < most_ms ? (int)left_ms : (int)most_ms;
}

static void tick(const struct run_request *request, struct run *run, uint64_t *n_told)
{
        uint64_t n = collector_get_result(run->collector)->n_samples;

        if (request->tick)
                request->tick(request->tick_ctx, n - *n_told);
        *n_told = n;
        run->n_ticks++;
}

/* Writes readings of waits now and then: until the end of the recording they would take more and more memory.
 */
static bool put_waits(struct run *run, const struct run_request *request, uint64_t *put_ns)
{
        uint64_t now_ns = os_monotonic_ns();
        AUTO_RELEASE(buf) bytes = {0};

        if (!request->wall || request->live || !run->begun || now_ns - *put_ns < TICK_MS * 1000000ull)
                return true;
        *put_ns = now_ns;
        collector_take_waits(run->collector, &bytes);
        return !bytes.len || perfdata_writer_put_section(run->writer, FEATURE_WPERF_WAITS, bytes.data,
                                                         bytes.len, &run->write_error);
}

/* True if writing failed, as on a full disk; run->write_error says why. */
static bool run_loop(struct run *run, const struct run_request *request, uint64_t start_ns)
{
        uint64_t next_tick = start_ns + TICK_MS * 1000000ull, n_told = 0, waits_ns = start_ns;
        int state = 1;

        while (state > 0) {
                run->out.stop_signal = os_stop_requested();
                if (run->out.stop_signal || time_is_up(request, start_ns)) {
                        run->out.stopped_by_us = true;
                        break;
                }
                state = collector_poll(run->collector, wait_ms(request, start_ns), &run->write_error);
                if (request->live)
                        request->live->turn(request->live->ctx, run);
                if (state >= 0 && !put_waits(run, request, &waits_ns))
                        state = -1;
                if (state > 0 && collector_get_result(run->collector)->stop_asked) {
                        run->out.stopped_by_us = true;
                        break;
                }
                if (!request->quiet && os_monotonic_ns() >= next_tick) {
                        tick(request, run, &n_told);
                        next_tick += TICK_MS * 1000000ull;
                }
        }
        /* Ctrl-C also signals the command, which may have ended first. */
        if (!state && os_stop_requested()) {
                run->out.stop_signal = os_stop_requested();
                run->out.stopped_by_us = true;
        }
        if (!request->quiet && (!run->n_ticks || collector_get_result(run->collector)->n_samples > n_told))
                tick(request, run, &n_told);
        return state < 0;
}

static void stop_command(void *ctx, bool force)
{
        const struct run *run = ctx;

        collector_stop_command(run->collector, force);
}

static bool command_runs(void *ctx)
{
        const struct run *run = ctx;

        return collector_command_runs(run->collector);
}

/* Still takes the command's last samples, unless writing failed before. */
static void poll_for_command(void *ctx, int ms)
{
        struct run *run = ctx;

        run->failed =
                collector_poll(run->collector, ms, run->failed ? NULL : &run->write_error) < 0 || run->failed;
}

static const struct target_command sampled_command = {stop_command, command_runs, poll_for_command};

void run_fill_facts(struct run *run)
{
        const struct collect_result *collected = collector_get_result(run->collector);

        if (!run->has_ended)
                run->out.elapsed_ns = os_monotonic_ns() - run->start_ns;
        run->out.collected = collected;
        run->out.n_samples = collected->n_samples;
        run->out.has_status = collected->command_ended;
        if (collected->command_ended)
                run->out.exit_status = collected->exit_status;
}

/* Writes the sections about files that are lost when the collector's descriptors are closed. Returns the
 * number of files whose symbols were left out. */
static size_t write_names(struct run *run, const struct run_request *request)
{
        const struct collect_result *collected = run->out.collected;
        AUTO_RELEASE(buf) images = {0};
        AUTO_RELEASE(buf) symbols = {0};
        AUTO_RELEASE(buf) code = {0};
        size_t n_left_out;

        image_section_make(collected->images, collected->n_images, &images);
        if (images.len)
                perfdata_writer_add_feature(run->writer, FEATURE_WPERF_IMAGES, images.data, images.len);
        /* A pipe cannot be read again. */
        if (!strcmp(request->session_path, "-"))
                return 0;
        n_left_out = kept_names_make(&(struct kept_session){request->session_path, collected, &images},
                                     &symbols, &code);
        if (symbols.len)
                perfdata_writer_add_feature(run->writer, FEATURE_WPERF_SYMBOLS, symbols.data, symbols.len);
        if (code.len)
                perfdata_writer_add_feature(run->writer, FEATURE_WPERF_CODE, code.data, code.len);
        return n_left_out;
}

/* Writes the places of Python frames and FILE.pysyms, which perf reads; an error in the latter only leads to
 * a note. Returns the path of FILE.pysyms, or "" if there is none. */
static const char *write_python(struct run *run)
{
        const struct collect_result *collected = run->out.collected;
        AUTO(python_section) section = NULL;
        AUTO_RELEASE(buf) bytes = {0};
        struct err err = {0};
        size_t n_left_out = 0;

        if (!collected->python_places || !collected->python->n_stacks)
                return "";
        python_places_write(collected->python_places, collected->python, &bytes);
        perfdata_writer_add_feature(run->writer, FEATURE_WPERF_PYTHON, bytes.data, bytes.len);
        section = python_section_new(cursor_make(bytes.data, bytes.len));
        if (!run->python_symbols.len)
                return "";
        if (!section || !python_names_write(section, buf_text(&run->python_symbols), PYTHON_NAMES_MAX_BYTES,
                                            &n_left_out, &err)) {
                buf_printf(&run->python_note, "perf will not show names of Python functions: %s", err.text);
                return "";
        }
        if (n_left_out)
                buf_printf(
                        &run->python_note,
                        "perf will not show names of %zu of %zu lines of Python functions: they take more than %d MiB",
                        n_left_out, section->n_places, (int)(PYTHON_NAMES_MAX_BYTES >> 20));
        return buf_text(&run->python_symbols);
}

/* The last readings; a session without any has an empty section. */
static bool write_waits(struct run *run, struct err *err)
{
        AUTO_RELEASE(buf) bytes = {0};

        if (run->records)
                run->records->add_waits(run->records->ctx, &bytes);
        else
                collector_take_waits(run->collector, &bytes);
        if (!bytes.len)
                wait_section_write(NULL, 0, NULL, 0, &bytes);
        return perfdata_writer_put_section(run->writer, FEATURE_WPERF_WAITS, bytes.data, bytes.len, err);
}

static void write_tasks(struct run *run)
{
        const struct task_section *tasks = run->out.collected->tasks;
        AUTO_RELEASE(buf) bytes = {0};

        if (!tasks || !tasks->n_tasks)
                return;
        task_section_write(tasks, &bytes);
        perfdata_writer_add_feature(run->writer, FEATURE_WPERF_TASKS, bytes.data, bytes.len);
}

/* They count the samples from the first one on. */
static void write_marks(struct run *run)
{
        AUTO_RELEASE(buf) cut = {0};
        struct stack_marks so_far;

        if (!run->records && run->out.collected->stacks)
                stack_marks_write(run->out.collected->stacks, run->writer);
        else if (run->records && run->records->is_whole && collector_get_marks(run->collector, &cut, &so_far))
                stack_marks_write(&so_far, run->writer);
}

bool run_finish_session(struct run *run, const struct run_request *request, struct err *err)
{
        AUTO_RELEASE(buf) command = {0};
        AUTO_RELEASE(buf) governor = {0};
        struct run_info info;
        const char *python_symbols;
        size_t n_not_named;
        bool ok;

        if (!run->begun && !perfdata_writer_begin(run->writer, err))
                return false;
        run->begun = true;
        /* If the disk is full, symbols are looked up for the records that were written. */
        ok = perfdata_writer_flush(run->writer, err);
        n_not_named = write_names(run, request);
        run_add_doubts(run);
        if (request->wall) {
                ok = write_waits(run, ok ? err : NULL) && ok;
                write_tasks(run);
        }
        python_symbols = write_python(run);
        run_fill_heading_note(run, request);
        session_facts_add_command(target_command_argv(&request->target), &command);
        session_facts_add_governor(os_sysfs_cpu_prefix(), &governor);
        info = (struct run_info){
                .source_note = run_whole_note(run, request),
                .command = buf_text(&command),
                .governor = buf_text(&governor),
                .elapsed_ns = run->out.elapsed_ns,
                .user_ns = run->out.collected->user_ns,
                .kernel_ns = run->out.collected->kernel_ns,
                .split_is_unknown = run->out.collected->split_is_unknown,
                .kernel_is_denied = run->out.collected->kernel_is_denied,
                .lost_is_estimate = run->out.collected->lost_is_estimate,
                .recorder_ns = run->out.collected->recorder_ns,
                .counted_share = run->out.collected->counted_share,
                .sampled_share = run->out.collected->sampled_share,
                .sampled_event = run->out.collected->sampled_event,
                .not_sampled = run->out.collected->not_sampled,
                .unprivileged = run->out.collected->unprivileged,
                .not_traced = run->out.collected->not_traced,
                .off_ns = run->out.collected->off_ns,
                .stack_bytes = run->out.collected->stacks ? request->call_graph.stack_bytes : 0,
                .n_samples = run->records ? run->records->n_samples : run->out.collected->n_samples,
                .n_stops = run->out.collected->stops.n_stops,
                .n_repeats = run->out.collected->stops.n_repeats,
                .n_ring_dropped = run->out.collected->stops.n_dropped,
                .n_blocked = run->out.collected->n_blocked,
                .n_preempted = run->out.collected->n_preempted,
                .python_symbols = python_symbols,
                .n_not_kept = run->out.collected->n_not_kept + n_not_named,
                .not_kept = run->out.collected->not_kept,
                .has_exit = run->out.has_status && !run->out.stopped_by_us,
                .exit_status = run->out.exit_status,
        };

        if (kernel_get_driver())
                session_facts_set_midr(run->facts, kernel_get_driver()->midr);
        session_facts_write(run->facts, run->writer, request->command_line);
        if (run->is_monotonic)
                session_clock_write(run->writer);
        run_info_write(&info, run->writer);
        write_marks(run);
        return perfdata_writer_close(TAKE(run->writer), ok ? err : NULL) && ok;
}

/* Where the session can't be written. */
static void say_where_else(const struct run_request *request, struct err *err)
{
        const struct err why = *err;
        bool is_place = why.os == EROFS || why.os == EACCES || why.os == ENOSPC;

        if (is_place && strcmp(request->session_path, "-"))
                err_set(err, why.code,
                        "%s: name a file elsewhere with -o, or write it to standard output with --session -",
                        why.text);
}

bool run_open_session(struct run *run, const struct run_request *request, struct err *err)
{
        run->writer = perfdata_writer_open(request->session_path, err);
        if (!run->writer)
                say_where_else(request, err);
        return run->writer &&
               (!request->compress || perfdata_writer_set_compression(run->writer, ZSTD_LEVEL, err));
}

static bool prepare(struct run *run, const struct run_request *request, struct err *err)
{
        struct collect_request collect;
        struct os_stat session; /* FILE.pysyms is only written beside a regular file */

        /* Opened first, so that a program that opens the other end of the FIFO does not wait if the recorder
         * fails. */
        if (request->target.control) {
                run->control = control_open(request->target.control, &request->target.listener, err);
                if (!run->control)
                        return false;
        }
        if (!run_parse_events(request, &run->events, &run->memory_note, err) ||
            (!request->live && !run_open_session(run, request, err)))
                return false;
        collect = run_make_request(request, &run->events);
        collect.control = run->control;
        collect.python_symbols = PYTHON_NO_SYMBOLS;
        if (!request->live && strcmp(request->session_path, "-") &&
            os_stat(request->session_path, &session) && session.is_file) {
                python_names_path(request->session_path, &run->python_symbols);
                collect.python_symbols = buf_text(&run->python_symbols);
        }
        run->collector = collector_open(&collect, err);
        if (run->collector)
                buf_add_str(&run->asked_note, collector_stack_note(run->collector));
        return run->collector;
}

enum run_failure run_start_failure(const struct err *err)
{
        return err->code == ERR_MISSING  ? RUN_NOT_FOUND
               : err->code == ERR_DENIED ? RUN_NOT_RUNNABLE
                                         : RUN_FAILED;
}

struct run *run_record(const struct run_request *request, enum run_failure *ret_failure, struct err *err)
{
        AUTO(run) run = mem_new(1, sizeof(*run));
        struct record_sink sink = {run_put_records, run};
        struct err own = {0};

        err = err ? err : &own;
        run->request = request;
        if (!prepare(run, request, err)) {
                *ret_failure = err->code == ERR_USAGE ? RUN_USAGE : RUN_FAILED;
                return NULL;
        }
        run->facts = session_facts_new();
        if (run->writer) {
                run_add_events(run);
                run_describe_tracepoints(request, run);
        }
        if (!request->keeps_signals)
                os_catch_stop();
        run->start_ns = os_monotonic_ns();
        if (request->live)
                request->live->begin(request->live->ctx, run);
        if (!collector_begin(run->collector, &sink, err)) {
                *ret_failure = run->begun ? RUN_FAILED : run_start_failure(err);
                return NULL;
        }
        run->failed = run_loop(run, request, run->start_ns);
        if (run->out.stopped_by_us || run->failed)
                target_end_command(&sampled_command, run);
        run->failed = !collector_end(run->collector, run->failed ? NULL : &run->write_error) || run->failed;
        run_fill_facts(run);
        run->has_ended = true;
        if (request->live)
                run_fill_heading_note(run, request);
        else if (!run_finish_session(run, request, run->failed ? NULL : &run->write_error))
                run->failed = true;
        if (run->failed)
                say_where_else(request, &run->write_error);
        run->out.write_error = run->failed ? &run->write_error : NULL;
        run->out.has_session = run->begun;
        *ret_failure = RUN_OK;
        return TAKE(run);
}

struct run_facts run_get_facts(const struct run *run)
{
        return run->out;
}

bool run_samples_cpus(void)
{
        return kernel_has_samples();
}

uint64_t run_attached_hz(void)
{
        return kernel_attached_hz();
}

uint64_t run_longest_interval(void)
{
        return kernel_longest_interval();
}

uint64_t run_asked_hz(uint64_t freq_hz, uint64_t rate_hz, bool has_stacks)
{
        uint64_t hz = freq_hz ? freq_hz : rate_hz, highest_hz = kernel_highest_hz();

        if (hz != UINT64_MAX)
                return hz;
        return has_stacks && highest_hz > COLLECT_MOST_STACKS_HZ ? COLLECT_MOST_STACKS_HZ : highest_hz;
}
