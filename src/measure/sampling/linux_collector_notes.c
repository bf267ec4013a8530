/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session says of its recording: what was not sampled as asked. */
#include "linux_collector_internal.h"

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
