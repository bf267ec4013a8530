/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling into a session. */
#include "library_internal.h"
#include "run.h"

static bool fill(const struct wperf_record_request *given, struct run_request *ret, struct err *err)
{
        struct wperf_record_request request;
        struct wperf_target target;

        if (!library_take_request(&request, sizeof(request), given, err))
                return false;
        if (!request.session_path)
                return err_set(err, ERR_USAGE, "no session: the request has no path");
        if (!library_take_target(request.target, &target, &ret->target, err))
                return false;
        ret->children = COLLECT_BEST;
        ret->events = request.events;
        ret->freq_hz = request.frequency_hz;
        ret->kernel = target.kernel;
        ret->timeout_ns = target.timeout_ns;
        ret->session_path = request.session_path;
        ret->keeps_signals = true;
        ret->quiet = true;
        if (request.call_stacks)
                ret->call_graph = (struct call_graph){CALL_GRAPH_UNWIND, CALL_GRAPH_UNWIND_BYTES};
        return true;
}

int wperf_record(const struct wperf_record_request *request, struct wperf_ending *ending,
                 struct wperf_error *error)
{
        struct run_request wanted = {0};
        enum run_failure failure;
        struct run_facts facts;
        struct err err = {0};
        AUTO(run) run = NULL;

        if (!fill(request, &wanted, &err))
                return library_fail(&err, error);
        library_begin_measurement();
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
