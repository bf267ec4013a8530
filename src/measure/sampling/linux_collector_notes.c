/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session says of its recording: what was not sampled as asked. */
#include "linux_collector_internal.h"
#include "stop_refusal.h"

const char *collector_source_note(const struct collector *c)
{
        return c->opened.note;
}

const char *collector_children_note(const struct collector *c)
{
        return c->opened.children_note;
}

const char *collector_stack_note(const struct collector *c)
{
        return buf_text(&c->stack_note);
}

const char *collector_python_note(const struct collector *c)
{
        return buf_text(&c->python_note);
}

const char *collector_engine(const struct collector *c)
{
        if (c->bpf)
                return "bpf";
        if (c->peek)
                return "peek";
        if (c->stops)
                return c->request.engine == COLLECT_PACE ? "pace" : "stop";
        return "ring";
}

void collector_add_refused(struct collector *c, struct buf *note)
{
        if (c->stops)
                stop_engine_tell_refused(c->stops, note);
}

const char *collector_reading_note(const struct collector *c)
{
        const char *why = NULL;

        /* A reader needs the rights of a tracer, but not the call. */
        if (c->watched.n && !c->bpf && (c->peek || c->stops))
                why = stop_refusal_of_running(!c->peek);
        return why ? why : "";
}
