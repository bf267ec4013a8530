/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides the order of a count: events are opened first, then the command starts; the counters are disabled
 * before they are read for the last time. Counts reach the tables as records, through a sink in memory. */
#include "count_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "count_session.h"
#include "count_stats.h"
#include "counting.h"
#include "os.h"
#include "os_paths.h"
#include "session_facts.h"

struct count_runner {
        const struct count_run_request *request;
        struct control *control; /* NULL for none */
        struct count_list list;
        struct counts *counts;
        struct metric_values *metrics;
        struct sheet_runs *runs; /* NULL for one run */
        struct count_stats elapsed, user, kernel, off;
        struct counting *counting;
        struct count_session *session;
        struct record_sink to_counts;
        struct count_run_facts *facts;
        uint64_t begin_ns;
        bool target_ended, stop;
        bool put_failed; /* the session could not be written */
};

static bool put(void *ctx, const void *records, size_t size, struct err *err)
{
        struct count_runner *r = ctx;

        r->put_failed = (r->session && !count_session_put(r->session, records, size, err)) ||
                        !r->to_counts.put(r->to_counts.ctx, records, size, err);
        return !r->put_failed;
}

static struct count_request make_request(const struct count_run_request *request,
                                         const struct count_list *list)
{
        return (struct count_request){
                .target = request->target,
                .list = list,
                .period_ms = request->period_ms,
                .interval_ms = request->timeline ? (uint32_t)(request->timeout_ns / 1000000) : 0,
        };
}

bool count_run_has_period(void)
{
        return counting_has_period();
}

bool count_run_describe(const struct count_run_request *request, struct buf *out, struct err *err)
{
        struct count_list list = {0};
        struct count_request counting;

        if (!count_choice_parse(&request->choice, &list, err))
                return false;
        counting = make_request(request, &list);
        counting_describe(&counting, out);
        count_list_release(&list);
        return true;
}

/* --- waiting --- */

/* A signal ends a wait; without its handler, requests to stop are looked for. */
enum { STOP_LOOK_NS = 100000000 };

static uint64_t longest_wait_ns(const struct count_runner *r, uint64_t deadline_ns, uint64_t now_ns)
{
        uint64_t left_ns = deadline_ns ? deadline_ns - now_ns : UINT64_MAX;

        return r->request->keeps_signals && left_ns > STOP_LOOK_NS ? STOP_LOOK_NS : left_ns;
}

/* Waits until `deadline_ns` (0 for none), the end of the target, or a signal. */
static void wait_until(struct count_runner *r, uint64_t deadline_ns)
{
        while (!r->target_ended && !r->stop) {
                uint64_t now_ns = os_monotonic_ns();

                r->facts->stop_signal = os_stop_requested();
                r->stop = r->facts->stop_signal;
                if (r->stop || (deadline_ns && now_ns >= deadline_ns))
                        return;
                r->target_ended = !counting_wait(r->counting, longest_wait_ns(r, deadline_ns, now_ns));
                r->stop = counting_get_result(r->counting).stop_asked;
        }
}

static void tell(const struct count_runner *r, bool counting, bool begins)
{
        if (r->request->phase)
                r->request->phase(r->request->ctx, counting, begins);
}

static void stop_command(void *ctx, bool force)
{
        const struct count_runner *r = ctx;

        counting_stop_command(r->counting, force);
}

static bool command_runs(void *ctx)
{
        const struct count_runner *r = ctx;

        return counting_command_runs(r->counting);
}

static void wait_for_command(void *ctx, int ms)
{
        const struct count_runner *r = ctx;

        counting_wait(r->counting, (uint64_t)ms * 1000000);
}

/* The command is not counted from here on. */
static const struct target_command counted_command = {stop_command, command_runs, wait_for_command};

/* --- one count --- */

static bool show(struct count_runner *r, uint64_t start_ns, uint64_t elapsed_ns, struct err *err)
{
        struct counting_result counted = counting_get_result(r->counting);
        AUTO(sheet) sheet = sheet_make(&r->list, r->metrics, r->counts, r->runs);
        struct count_result result = {
                .list = &r->list,
                .sheet = sheet,
                .source_note = count_source_note(&r->request->choice, &r->list),
                .elapsed_ns = elapsed_ns,
                .elapsed_deviation_percent = -1,
                .user_ns = counted.user_ns,
                .kernel_ns = counted.kernel_ns,
                .off_ns = r->request->timeline ? 0 : counted.off_ns,
                .start_ns = start_ns - r->begin_ns,
                .has_exit = counted.command_ended && !r->facts->stopped_by_us,
                .exit_status = counted.exit_status,
        };

        if (r->runs) {
                result.elapsed_ns = (uint64_t)(r->elapsed.mean + 0.5);
                result.elapsed_deviation_percent = count_stats_percent(&r->elapsed);
                result.user_ns = (uint64_t)(r->user.mean + 0.5);
                result.kernel_ns = (uint64_t)(r->kernel.mean + 0.5);
                result.off_ns = (uint64_t)(r->off.mean + 0.5);
        }
        return r->request->result(r->request->ctx, &result, err);
}

/* Counts until `deadline_ns`. Disables the counters before a pause and at the end. */
static uint64_t count_once(struct count_runner *r, uint64_t deadline_ns, bool *ret_last)
{
        uint64_t end_ns;

        tell(r, true, true);
        wait_until(r, deadline_ns);
        *ret_last |= r->target_ended || r->stop;
        if (*ret_last || r->request->interval_ns)
                counting_pause(r->counting);
        end_ns = os_monotonic_ns();
        tell(r, true, false);
        return end_ns;
}

/* Ends the command and reads the counters for the last time. */
static bool finish(struct count_runner *r, struct err *err)
{
        r->facts->stopped_by_us = !r->target_ended;
        if (r->facts->stopped_by_us)
                target_end_command(&counted_command, r);
        counting_end(r->counting);
        return counting_read(r->counting, true, err);
}

/* Waits with disabled counters. False if the measurement has ended. */
static bool pause_between(struct count_runner *r, uint64_t until_ns)
{
        tell(r, false, true);
        wait_until(r, until_ns);
        tell(r, false, false);
        if (r->target_ended || r->stop)
                return false;
        counting_resume(r->counting);
        return true;
}

static bool run_timeline(struct count_runner *r, struct err *err)
{
        const struct count_run_request *request = r->request;
        uint64_t start_ns = r->begin_ns, deadline_ns = start_ns + request->timeout_ns;
        uint64_t stop_ns = request->total_ns ? r->begin_ns + request->total_ns : UINT64_MAX;

        for (uint64_t n = 1;; n++) {
                bool last = (request->n_counts && n == request->n_counts) || deadline_ns >= stop_ns;
                uint64_t end_ns = count_once(r, deadline_ns < stop_ns ? deadline_ns : stop_ns, &last);

                if (!(last ? finish(r, err) : counting_read(r->counting, false, err)) ||
                    !show(r, start_ns, end_ns - start_ns, err))
                        return false;
                if (last) {
                        count_stats_add(&r->elapsed, (double)(end_ns - r->begin_ns));
                        return true;
                }
                /* Without a pause, each count begins where the last one ended, so nothing is missed.
                 * Deadlines have a fixed distance, so the times do not drift, unless a whole count was
                 * missed. */
                start_ns = end_ns;
                deadline_ns += request->timeout_ns;
                if (request->interval_ns) {
                        if (!pause_between(r, end_ns + request->interval_ns)) {
                                count_stats_add(&r->elapsed, (double)(end_ns - r->begin_ns));
                                return finish(r, err);
                        }
                        start_ns = os_monotonic_ns();
                }
                if (request->interval_ns || deadline_ns <= end_ns)
                        deadline_ns = start_ns + request->timeout_ns;
        }
}

static bool run_single(struct count_runner *r, bool is_last, struct err *err)
{
        bool last = true;
        uint64_t deadline_ns = r->request->timeout_ns ? r->begin_ns + r->request->timeout_ns : 0;
        uint64_t end_ns = count_once(r, deadline_ns, &last);
        struct counting_result result;

        if (!finish(r, err))
                return false;
        result = counting_get_result(r->counting);
        count_stats_add(&r->elapsed, (double)(end_ns - r->begin_ns));
        count_stats_add(&r->user, (double)result.user_ns);
        count_stats_add(&r->kernel, (double)result.kernel_ns);
        count_stats_add(&r->off, (double)result.off_ns);
        if (r->runs)
                sheet_runs_add(r->runs, r->counts);
        return (!is_last && !r->stop) || show(r, r->begin_ns, end_ns - r->begin_ns, err);
}

/* --- opening --- */

static const char *keep(struct count_list *list, const char *text)
{
        return text ? arena_copy(&list->texts, text, strlen(text)) : NULL;
}

/* Copies what was found out when opening the events into the list, from which the tables are made. */
static void take_facts(struct count_runner *r)
{
        for (size_t i = 0; i < r->list.n_items; i++) {
                struct counting_event e = counting_get_event(r->counting, i);

                r->list.items[i].refusal = keep(&r->list, e.refusal);
                r->list.items[i].estimate = keep(&r->list, e.estimate);
                counts_set_event(r->counts, i, e.ids, e.n_ids);
        }
}

static bool open_run(struct count_runner *r, enum run_failure *ret_failure, struct err *err)
{
        struct count_request request = make_request(r->request, &r->list);

        *ret_failure = RUN_FAILED;
        request.control = r->control;
        r->target_ended = false;
        counts_forget(r->counts);
        r->counting = counting_open(&request, err);
        if (!r->counting) {
                *ret_failure = err->code == ERR_USAGE ? RUN_USAGE : RUN_FAILED;
                return false;
        }
        take_facts(r);
        if (!r->request->session_path)
                return true;
        r->session = count_session_create(r->request->session_path, &r->list, r->counting, err);
        return r->session;
}

static bool begin_run(struct count_runner *r, enum run_failure *ret_failure, struct err *err)
{
        struct record_sink sink = {put, r};

        r->begin_ns = os_monotonic_ns();
        *ret_failure = RUN_FAILED;
        if (counting_begin(r->counting, &sink, err))
                return true;
        if (!r->put_failed)
                *ret_failure = run_start_failure(err);
        return false;
}

static void note_status(struct count_runner *r)
{
        struct counting_result result = counting_get_result(r->counting);

        r->facts->has_status = result.command_ended;
        r->facts->exit_status = result.exit_status;
}

static bool close_session(struct count_runner *r, struct err *err)
{
        struct counting_result result = counting_get_result(r->counting);
        AUTO_RELEASE(buf) subject = {0};
        AUTO_RELEASE(buf) command = {0};
        AUTO_RELEASE(buf) governor = {0};
        struct run_info info = {
                .source_note = count_source_note(&r->request->choice, &r->list),
                .start_ns = r->begin_ns,
                .elapsed_ns = (uint64_t)(r->elapsed.mean + 0.5),
                .user_ns = result.user_ns,
                .kernel_ns = result.kernel_ns,
                .sampled_share = -1,
                .sampled_event = "",
                .not_sampled = "",
                .unprivileged = "",
                .not_traced = "",
                .python_symbols = "",
                .counted_share = 1,
                .off_ns = r->request->timeline ? 0 : result.off_ns,
                .not_kept = "",
                .has_exit = r->facts->has_status && !r->facts->stopped_by_us,
                .exit_status = r->facts->exit_status,
        };

        session_facts_add_command(target_command_argv(&r->request->target), &command);
        session_facts_add_governor(os_sysfs_cpu_prefix(), &governor);
        info.command = buf_text(&command);
        info.governor = buf_text(&governor);
        count_run_subject(r->request, &subject);
        return count_session_close(TAKE(r->session), &info, buf_text(&subject), r->request->command_line,
                                   err);
}

static bool run_all(struct count_runner *r, enum run_failure *ret_failure, struct err *err)
{
        unsigned n_runs = r->request->n_runs > 1 ? r->request->n_runs : 1;

        for (unsigned i = 1; i <= n_runs && !r->stop; i++) {
                if (!open_run(r, ret_failure, err))
                        return false;
                if (!r->request->keeps_signals)
                        os_catch_stop();
                if (!begin_run(r, ret_failure, err))
                        return false;
                *ret_failure = RUN_FAILED;
                if (!(r->request->timeline ? run_timeline(r, err) : run_single(r, i == n_runs, err)))
                        return false;
                note_status(r);
                if (r->session && !close_session(r, err))
                        return false;
                counting_free(TAKE(r->counting));
        }
        return true;
}

static void runner_release(struct count_runner *r)
{
        count_session_free(r->session);
        counting_free(r->counting);
        control_free(r->control);
        sheet_runs_free(r->runs);
        metric_values_free(r->metrics);
        counts_free(r->counts);
        count_list_release(&r->list);
}

/* Uncore PMUs do not distinguish processes. */
static void warn_of_units(struct count_runner *r)
{
        if (r->request->target.system_wide)
                return;
        for (size_t i = 0; i < r->list.n_items; i++) {
                if (!r->list.items[i].event.uncore)
                        continue;
                buf_printf(&r->list.warnings,
                           "%s is an uncore event: it counts what all programs do, not only %s\n",
                           r->list.items[i].event.name,
                           r->request->target.argv ? "the command" : "the process");
                return;
        }
}

/* Opened first, so that a program that opens the other end of the FIFO does not wait if the run fails. */
static bool open_control(struct count_runner *r, struct err *err)
{
        if (!r->request->target.control)
                return true;
        r->control = control_open(r->request->target.control, &r->request->target.listener, err);
        return r->control;
}

bool count_run(const struct count_run_request *request, struct count_run_facts *ret_facts,
               enum run_failure *ret_failure, struct err *err)
{
        struct count_runner r = {.request = request, .facts = ret_facts};
        struct err own = {0};
        bool ok;

        err = err ? err : &own;
        *ret_facts = (struct count_run_facts){0};
        if (!open_control(&r, err) || !count_choice_parse(&request->choice, &r.list, err)) {
                *ret_failure = err->code == ERR_USAGE ? RUN_USAGE : RUN_FAILED;
                control_free(r.control);
                return false;
        }
        warn_of_units(&r);
        r.counts = counts_new(&r.list);
        r.to_counts = counts_sink(r.counts);
        r.metrics = metric_values_new(&r.list);
        r.runs = request->n_runs > 1 ? sheet_runs_new(&r.list, r.metrics) : NULL;
        ok = run_all(&r, ret_failure, err);
        if (ok)
                *ret_failure = RUN_OK;
        runner_release(&r);
        return ok;
}

void count_run_subject(const struct count_run_request *request, struct buf *out)
{
        if (request->target.argv) {
                buf_add_char(out, '\'');
                for (char *const *arg = request->target.argv; *arg; arg++)
                        buf_printf(out, "%s%s", arg == request->target.argv ? "" : " ", *arg);
                buf_add_char(out, '\'');
                return;
        }
        if (request->target.cgroup) {
                buf_printf(out, "control group %s", request->target.cgroup);
                return;
        }
        buf_add_str(out, request->target.n_pids == 1 ? "process " : "processes ");
        for (size_t i = 0; i < request->target.n_pids; i++)
                buf_printf(out, "%s%d", i ? "," : "", request->target.pids[i]);
}
