/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run would use, without running anything: its events and engine are opened and closed. */
#include <string.h>

#include "kernel.h"
#include "python_section.h"
#include "run_internal.h"
#include "text.h"

void run_rehearsal_release(struct run_rehearsal *rehearsal)
{
        buf_release(&rehearsal->lacks);
        buf_release(&rehearsal->stacks);
        buf_release(&rehearsal->no_python);
}

/* The first event that was asked for: with a frequency. */
static void describe_event(const struct collector *collector, struct run_rehearsal *ret)
{
        for (size_t i = 0; i < collector_n_events(collector); i++) {
                struct collect_event e = collector_get_event(collector, i);

                if (!(e.attr.flags & PERF_ATTR_FREQ))
                        continue;
                text_copy(ret->event, sizeof(ret->event), e.name);
                ret->freq_hz = e.attr.sample_period_or_freq;
                return;
        }
}

static bool reads_python(const char *engine)
{
        return strcmp(engine, "ring") && strcmp(engine, "driver");
}

/* Without events, a process that can't be traced can't be sampled. */
static bool describe_run(const struct collector *collector, struct run_rehearsal *ret, struct err *err)
{
        const char *unread = collector_reading_note(collector);

        describe_event(collector, ret);
        ret->engine = collector_engine(collector);
        if (*unread && !strcmp(ret->engine, "pace"))
                return err_set(err, ERR_DENIED, "%s", unread);
        run_add_part(&ret->lacks, collector_source_note(collector));
        run_add_part(&ret->lacks, collector_children_note(collector));
        buf_add_str(&ret->stacks, collector_stack_note(collector));
        if (reads_python(ret->engine) && !*unread) {
                run_add_part(&ret->lacks, collector_python_note(collector));
        } else {
                buf_add_str(&ret->no_python, collector_python_note(collector));
                run_add_part(&ret->no_python, unread);
        }
        return true;
}

bool run_rehearse(const struct run_request *request, struct run_rehearsal *ret, struct err *err)
{
        struct event_list events = {0};
        struct collect_request collect;
        struct collector *collector;
        AUTO_RELEASE(buf) note = {0};
        bool ok;

        *ret = (struct run_rehearsal){0};
        if (!run_parse_events(request, &events, &note, err))
                return false;
        collect = run_make_request(request, &events);
        collect.python_symbols = PYTHON_NO_SYMBOLS;
        collector = collector_open(&collect, err);
        ok = collector && describe_run(collector, ret, err);
        collector_free(collector);
        event_list_release(&events);
        return ok;
}
