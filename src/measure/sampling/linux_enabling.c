/* SPDX-License-Identifier: BSD-3-Clause */
/* Enables and disables the events of a session: at the start, after a delay, or when another program says so.
 * Events that track maps and names always stay enabled, so that later samples find their modules. */

#include "linux_enabling.h"

#include <assert.h>

#include "os.h"

void enabling_begin(struct enabling *e, struct opened *opened, const struct collect_request *request,
                    uint64_t begin_ns)
{
        assert(!e->opened && e->on_switch);
        e->opened = opened;
        e->control = request->control;
        e->listens = request->control;
        opened->is_on = !request->target.delay_ns;
        for (size_t i = opened->first_asked; i < opened->n_events; i++)
                opened->events[i].is_on = opened->is_on;
        e->off_since_ns = opened->is_on ? 0 : begin_ns;
        if (request->target.delay_ns && request->target.delay_ns != CONTROL_NEVER)
                e->due_ns = os_monotonic_ns() + request->target.delay_ns;
}

static void note_time(struct enabling *e)
{
        uint64_t now_ns = os_monotonic_ns();

        if (e->opened->is_on && e->off_since_ns) {
                e->off_ns += now_ns - e->off_since_ns;
                e->off_since_ns = 0;
        } else if (!e->opened->is_on && !e->off_since_ns) {
                e->off_since_ns = now_ns;
        }
}

/* A command that enables or disables events ends the delay. False if no event has this name. */
static bool switch_events(struct enabling *e, const char *name, bool on)
{
        bool found, was_on = e->opened->is_on;

        e->due_ns = 0;
        found = opened_switch(e->opened, name, on);
        note_time(e);
        if (e->opened->is_on != was_on)
                e->on_switch(e->ctx, e->opened->is_on);
        return found;
}

static void tell_events(struct enabling *e)
{
        for (size_t i = e->opened->first_asked; i < e->opened->n_events; i++)
                control_tell(e->control, e->opened->events[i].event.name);
}

static void obey(struct enabling *e, const struct control_command *command)
{
        switch (command->word) {
        case CONTROL_ENABLE:
        case CONTROL_DISABLE:
                if (!switch_events(e, command->event, command->word == CONTROL_ENABLE))
                        control_warn(e->control,
                                     "'%.80s': no sampled event has this name; evlist lists the events",
                                     command->line);
                break;
        case CONTROL_EVLIST: tell_events(e); break;
        case CONTROL_STOP: e->stop_asked = true; break;
        case CONTROL_SNAPSHOT:
        case CONTROL_PING:
        case CONTROL_UNKNOWN: break;
        }
}

void enabling_run(struct enabling *e)
{
        struct control_command command;

        assert(e->opened);
        if (e->due_ns && os_monotonic_ns() >= e->due_ns)
                switch_events(e, NULL, true);
        if (!e->listens)
                return;
        control_read(e->control);
        while (control_next(e->control, &command)) {
                obey(e, &command);
                control_answer(e->control);
        }
        e->listens = !control_see_end(e->control, !e->opened->is_on && !e->due_ns);
}

int enabling_fd(const struct enabling *e)
{
        return e->listens ? control_fd(e->control) : -1;
}

int enabling_wait_ms(const struct enabling *e, int timeout_ms)
{
        uint64_t now_ns = os_monotonic_ns(), left_ms;

        if (!e->due_ns)
                return timeout_ms;
        left_ms = now_ns < e->due_ns ? (e->due_ns - now_ns + 999999) / 1000000 : 0;
        return left_ms < (uint64_t)timeout_ms ? (int)left_ms : timeout_ms;
}

void enabling_end(struct enabling *e)
{
        if (e->off_since_ns)
                e->off_ns += os_monotonic_ns() - e->off_since_ns;
        e->off_since_ns = 0;
        e->due_ns = 0;
        e->listens = false;
}
