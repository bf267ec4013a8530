/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether to sample interpreters by stopping their threads, and reports it. */
#include <inttypes.h>

#include "err.h"
#include "stop_engine.h"
#include "stop_frames.h"

static const char *why_not(const struct collect_request *request, const struct opened *opened)
{
        if (!request->target.argv || request->target.system_wide)
                return "wperf can trace only a command that it starts";
        if (request->children == COLLECT_NO_CHILDREN || request->children == COLLECT_PER_THREAD)
                return "tracing samples all threads of a program, which --no-inherit and --per-thread exclude";
        if (request->call_graph.kind == CALL_GRAPH_NONE)
                return "this needs call stacks: add -g";
        if (!stop_engine_serves(&opened->events[opened->first_asked].attr))
                return "it works with -g and --call-graph dwarf, and not with branches or trace data";
        return NULL;
}

struct stop_engine *stop_engine_choose(const struct collect_request *request, const struct opened *opened,
                                       const struct child *child, struct stop_frames *frames,
                                       struct buf *note)
{
        struct stop_engine *engine = NULL;
        struct err err = {0};
        const char *why;

        if (request->engine == COLLECT_RING)
                return NULL;
        why = why_not(request, opened);
        if (why && request->engine == COLLECT_STOP_IF_CAN)
                return NULL;
        if (!why) {
                engine =
                        stop_engine_open(&(struct stop_request){.event = &opened->events[opened->first_asked],
                                                                .child = child,
                                                                .on_stop = stop_frames_see,
                                                                .on_end = stop_frames_end,
                                                                .ctx = frames,
                                                                .is_on = !request->target.delay_ns},
                                         &err);
                why = err.text;
        }
        if (!engine)
                buf_printf(note, "the engine stop is not used: %s", why);
        return engine;
}

static void tell_refused(struct stop_engine *engine, uint64_t n_refused, struct buf *note)
{
        const char *why = stop_engine_watch_note(engine);

        if (*why)
                buf_printf(
                        note,
                        "%sPython programs that the command starts are not traced and have native stacks only: %s",
                        note->len ? "; " : "", why);
        if (n_refused)
                buf_printf(
                        note,
                        "%sPython processes that wperf could not trace, sampled with native stacks only: %" PRIu64,
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
                "%sPython programs are traced for their stacks; to attach a debugger, record with --engine ring",
                note->len ? "; " : "");
        if (counts.n_blocking)
                buf_printf(note, "; threads that block SIGTRAP, sampled with native stacks only: %" PRIu64,
                           counts.n_blocking);
        if (counts.n_traps_ignored)
                buf_printf(
                        note,
                        "; SIGTRAP signals that would have killed the program if it were not traced: %" PRIu64,
                        counts.n_traps_ignored);
        if (counts.n_not_opened)
                buf_printf(
                        note,
                        "; programs and threads that wperf could not stop, sampled with native stacks only: %" PRIu64,
                        counts.n_not_opened);
}
