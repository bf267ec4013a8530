/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether interpreters are sampled by stopping their threads, and what is said of it. */
#include <inttypes.h>

#include "err.h"
#include "stop_engine.h"
#include "stop_python.h"

static const char *why_not(const struct collect_request *request, const struct opened *opened)
{
        if (!request->target.argv || request->target.system_wide)
                return "only a command that wperf starts can be traced";
        if (request->children == COLLECT_NO_CHILDREN || request->children == COLLECT_PER_THREAD)
                return "all threads of a traced program are sampled, which --no-inherit and --per-thread exclude";
        if (request->call_graph.kind == CALL_GRAPH_NONE)
                return "without -g there are no stacks to take";
        if (!stop_engine_serves(&opened->events[opened->first_asked].attr))
                return "stops give stacks of user code for -g and --call-graph dwarf, and no branches or trace data";
        return NULL;
}

struct stop_engine *stop_engine_choose(const struct collect_request *request, const struct opened *opened,
                                       const struct child *child, struct stop_python *python,
                                       struct buf *note)
{
        struct stop_engine *engine = NULL;
        struct err err = {0};
        const char *why;

        if (request->engine != COLLECT_STOP)
                return NULL;
        why = why_not(request, opened);
        if (!why) {
                engine =
                        stop_engine_open(&(struct stop_request){.event = &opened->events[opened->first_asked],
                                                                .child = child,
                                                                .on_stop = python ? stop_python_see : NULL,
                                                                .on_end = python ? stop_python_end : NULL,
                                                                .ctx = python,
                                                                .is_on = !request->target.delay_ns},
                                         &err);
                why = err.text;
        }
        if (!engine)
                buf_printf(note, "threads are not stopped at their samples: %s", why);
        return engine;
}

static void tell_refused(struct stop_engine *engine, uint64_t n_refused, struct buf *note)
{
        const char *why = stop_engine_watch_note(engine);

        if (*why)
                buf_printf(note, "%sPython programs that the command starts are not traced: %s",
                           note->len ? "; " : "", why);
        if (n_refused)
                buf_printf(
                        note,
                        "%sPython processes that another program traces or that may not be traced, sampled by the ring: "
                        "%" PRIu64,
                        note->len ? "; " : "", n_refused);
}

void stop_engine_tell(struct stop_engine *engine, struct buf *note)
{
        struct stop_counts counts;

        if (!engine)
                return;
        counts = stop_engine_counts(engine);
        tell_refused(engine, counts.n_refused, note);
        if (!counts.n_processes)
                return;
        buf_printf(
                note,
                "%sPython stacks by stopping the thread (traced); a debugger can attach only with --engine ring",
                note->len ? "; " : "");
        if (counts.n_blocking)
                buf_printf(note, "; threads that block SIGTRAP, sampled by the ring: %" PRIu64,
                           counts.n_blocking);
        if (counts.n_traps_ignored)
                buf_printf(note, "; SIGTRAP signals that only a traced program survives: %" PRIu64,
                           counts.n_traps_ignored);
        if (counts.n_not_opened)
                buf_printf(
                        note,
                        "; programs and threads without an event that stops, sampled by the ring: %" PRIu64,
                        counts.n_not_opened);
}
