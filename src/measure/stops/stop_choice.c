/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether to sample interpreters by stopping their threads, and reports it. */
#include <inttypes.h>

#include "err.h"
#include "os.h"
#include "stop_engine_internal.h"
#include "stop_python.h"

/* The fields of a sample that can be filled in at a stop. */
#define SERVED_SAMPLE_TYPE                                                                                   \
        (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |    \
         PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

bool stop_engine_serves(const struct perf_attr *attr)
{
        return !(attr->sample_type & ~(uint64_t)SERVED_SAMPLE_TYPE) &&
               attr->sample_type & PERF_SAMPLE_STACK_USER && attr->flags & PERF_ATTR_USE_CLOCKID &&
               attr->clockid == PERF_CLOCK_MONOTONIC && !(attr->flags & PERF_ATTR_EXCLUDE_USER);
}

const char *stop_engine_lacks_stacks(const struct collect_request *request)
{
        if (request->call_graph.kind == CALL_GRAPH_NONE)
                return "there are no call stacks: leave --no-stacks out";
        if (request->call_graph.kind == CALL_GRAPH_DWARF)
                return "--call-graph dwarf records no Python frames: write -g";
        return NULL;
}

static const char *why_not(const struct collect_request *request)
{
        if (request->children == COLLECT_NO_CHILDREN || request->children == COLLECT_PER_THREAD)
                return "Python frames are read only with all threads and children: record without --no-inherit and --per-thread";
        return stop_engine_lacks_stacks(request);
}

static void say_not(const char *why, struct buf *note)
{
        buf_printf(note, "%sthe engine stop is not used: %s", note->len ? "; " : "", why);
}

struct stop_engine *stop_engine_prepare(const struct collect_request *request, struct buf *note)
{
        bool is_stop = request->engine == COLLECT_STOP || request->engine == COLLECT_BEST_ENGINE;
        const char *why = is_stop ? why_not(request) : NULL;
        struct stop_engine *engine = NULL;
        struct err err = {0};

        if ((is_stop && !why) || request->engine == COLLECT_PACE) {
                engine = stop_engine_new(&err);
                if (!engine)
                        say_not(err.text, note);
        } else if (why && request->engine == COLLECT_STOP) {
                say_not(why, note);
        } else if (why) {
                buf_printf(note, "%s%s", note->len ? "; " : "", why);
        }
        return engine;
}

static const char *why_not_served(const struct collect_request *request, const struct perf_attr *attr)
{
        if (request->call_graph.kind == CALL_GRAPH_FP || request->call_graph.kind == CALL_GRAPH_LBR)
                return "it needs -g, not another mode of --call-graph";
        if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
                return "samples of this event have no call stacks";
        return "it can't be used with branch stacks, --mem, tracepoints, or events in the kernel only";
}

bool stop_engine_choose(struct stop_engine *engine, const struct collect_request *request,
                        const struct opened *opened, struct stop_python *python, struct buf *note)
{
        const struct opened_event *event = &opened->events[opened->first_asked];
        struct err err = {0};

        if (!stop_engine_serves(&event->attr)) {
                say_not(why_not_served(request, &event->attr), note);
                return false;
        }
        if (stop_engine_begin(engine, event, !request->target.delay_ns, python, &err))
                return true;
        say_not(err.text, note);
        return false;
}

bool stop_engine_choose_pace(struct stop_engine *engine, const struct collect_request *request,
                             const struct opened *opened, struct stop_python *python, struct err *err)
{
        engine->is_paced = true;
        engine->paced_ns = os_monotonic_ns();
        return stop_engine_begin(engine, &opened->events[0], !request->target.delay_ns, python, err);
}

/* Numbers of the whole run: looks a second, and the guardian's share of a CPU. */
static void tell_pace(const struct stop_engine *engine, const struct stop_counts *counts, struct buf *note)
{
        double s = (double)(os_monotonic_ns() - engine->paced_ns) / 1e9;

        buf_printf(
                note,
                "%sengine pace: threads that run are stopped at random moments, %.0f a second, at %.1f %% of the time of a CPU; "
                "time in the kernel counts for the code that called it; no debugger can be attached meanwhile",
                note->len ? "; " : "", (double)counts->n_looks / s, (double)counts->cpu_ns / s / 1e7);
}

void stop_engine_tell_refused(struct stop_engine *engine, struct buf *note)
{
        const char *why = stop_engine_watch_note(engine);
        uint64_t n_refused = stop_engine_counts(engine).n_refused;

        if (*why)
                buf_printf(
                        note,
                        "%sPython programs that the command starts are not traced and have native stacks only: %s",
                        note->len ? "; " : "", why);
        if (n_refused)
                buf_printf(
                        note, "%s%s: %" PRIu64 " (%s)%s", note->len ? "; " : "",
                        engine->is_paced
                                ? "processes that wperf could not trace, not sampled"
                                : "Python processes that wperf could not trace, sampled with native stacks only",
                        n_refused, stop_engine_why_refused(engine),
                        stop_channel_facts(engine->channel)->has_other_tracer && !engine->is_paced
                                ? "; --engine peek reads those that only another program traces"
                                : "");
}

void stop_engine_tell(struct stop_engine *engine, struct buf *note)
{
        struct stop_counts counts;

        counts = stop_engine_counts(engine);
        stop_engine_tell_refused(engine, note);
        if (engine->is_paced)
                tell_pace(engine, &counts, note);
        if (!counts.n_processes || engine->is_paced)
                return;
        buf_printf(
                note,
                "%sengine stop: Python programs are traced for their stacks; to attach a debugger, record with --engine peek",
                note->len ? "; " : "");
        if (counts.n_paced)
                buf_printf(note, "; threads that block SIGTRAP, stopped at random moments instead: %" PRIu64,
                           counts.n_paced);
        if (counts.n_blocking)
                buf_printf(note, "; threads that block SIGTRAP, sampled with native stacks only: %" PRIu64,
                           counts.n_blocking);
        if (counts.n_not_opened)
                buf_printf(
                        note,
                        "; programs and threads that wperf could not stop, sampled with native stacks only: %" PRIu64,
                        counts.n_not_opened);
}
