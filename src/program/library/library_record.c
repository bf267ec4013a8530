/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling into a session. */
#include "library_internal.h"
#include "run.h"

int wperf_record(const struct wperf_record_request *request, struct wperf_ending *ending,
                 struct wperf_error *error)
{
        struct run_request wanted = {
                .children = COLLECT_BEST,
                .events = request->events,
                .freq_hz = request->frequency_hz,
                .kernel = request->target.kernel,
                .timeout_ns = request->target.timeout_ns,
                .session_path = request->session_path,
                .keeps_signals = true,
                .quiet = true,
        };
        enum run_failure failure;
        struct run_facts facts;
        struct err err = {0};
        AUTO(run) run = NULL;

        if (!request->session_path) {
                err_set(&err, ERR_USAGE, "no session: the request has no path");
                return library_fail(&err, error);
        }
        if (request->call_stacks)
                wanted.call_graph = (struct call_graph){CALL_GRAPH_UNWIND, CALL_GRAPH_UNWIND_BYTES};
        library_begin_measurement();
        library_target(&request->target, &wanted.target);
        run = run_record(&wanted, &failure, &err);
        if (!run)
                return library_fail(&err, error);
        facts = run_get_facts(run);
        if (facts.write_error)
                return library_fail(facts.write_error, error);
        if (ending)
                *ending = (struct wperf_ending){
                        .elapsed_ns = facts.elapsed_ns,
                        .stopped = facts.stopped_by_us,
                        .has_status = facts.has_status,
                        .exit_status = facts.exit_status,
                };
        return 1;
}
