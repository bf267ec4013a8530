/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says about its source: why its events were chosen, what they leave out, and what would give
 * more. */
#include <inttypes.h>
#include <string.h>

#include "core_kind.h"
#include "kernel.h"
#include "mem.h"
#include "run_internal.h"
#include "text.h"

/* The kernel opens Arm events that do not exist; they give no samples. */
static void add_all_doubts(struct run *run)
{
        struct pmu_source source = kernel_pmu_source(NULL);
        struct core_kinds kinds;

        core_kinds_load(&source, &kinds);
        for (size_t i = 0; i < run->events.n_items; i++) {
                const struct event *event = &run->events.items[i];

                for (size_t k = 0; k < kinds.n_items; k++) {
                        const struct core_kind *kind = &kinds.items[k];
                        bool raw = event->attr.type == PERF_TYPE_RAW || event->attr.type == kind->type;

                        if (kind->vendor != CORE_ARM || !raw ||
                            (event->pmu[0] && strcmp(event->pmu, kind->pmu)))
                                continue;
                        if (run->doubts.len)
                                buf_add_str(&run->doubts, "; ");
                        if (!core_kind_add_doubt(kind, (uint32_t)event->attr.config & 0xffff, event->name,
                                                 &run->doubts) &&
                            run->doubts.len)
                                buf_truncate(&run->doubts, run->doubts.len - strlen("; "));
                }
        }
        core_kinds_release(&kinds);
}

static bool has_raw_event(const struct run *run)
{
        for (size_t i = 0; i < run->events.n_items; i++) {
                const struct event *event = &run->events.items[i];

                if (event->attr.type == PERF_TYPE_RAW || (event->pmu[0] && !event->uncore))
                        return true;
        }
        return false;
}

void run_add_doubts(struct run *run)
{
        if (has_raw_event(run))
                add_all_doubts(run);
}

/* Why this event was chosen, what would give better results, and which events may give no samples; "" if
 * there is nothing to say. */
static const char *source_note(const struct run *run, const struct run_request *request)
{
        struct pmu_source source = kernel_pmu_source(NULL);
        char pmu[64];

        if (run->doubts.len)
                return run->doubts.data;
        if (collector_source_note(run->collector)[0] || request->events || request->memory ||
            event_has_core_pmu(&source, pmu))
                return collector_source_note(run->collector);
        if (!event_knows_pmus(&source))
                return "hardware counters are not looked for, because /sys is not mounted here, so CPU time is "
                       "sampled; mount -t sysfs sysfs /sys";
        return "no hardware counters here, as in most virtual machines, so CPU time is sampled";
}

/* Adds that fewer samples are taken of programs that wperf did not start. */
static void add_rate_note(const struct run *run, const struct run_request *request, struct buf *note)
{
        bool is_used = false;

        for (size_t i = 0; i < collector_n_events(run->collector); i++) {
                const struct perf_attr attr = collector_get_event(run->collector, i).attr;

                is_used |= attr.flags & PERF_ATTR_FREQ && attr.sample_period_or_freq == request->default_hz;
        }
        if (is_used && request->default_hz && !request->freq_hz)
                buf_printf(note,
                           "%s%" PRIu64
                           " samples a second, to disturb running programs little; -F 999 takes more",
                           note->len ? "; " : "", request->default_hz);
}

void run_add_part(struct buf *out, const char *part)
{
        if (*part)
                buf_printf(out, "%s%s", out->len ? "; " : "", part);
}

static bool has_python(const struct run *run)
{
        return run->has_python || session_facts_has_python(run->facts);
}

/* Only where Python runs. */
static void add_python_note(const struct run *run, struct buf *note)
{
        const char *why = collector_python_note(run->collector);

        if (why[0] && !run->out.collected->python && has_python(run))
                buf_printf(note, "%sno Python functions: %s", note->len ? "; " : "", why);
}

void run_fill_heading_note(struct run *run, const struct run_request *request)
{
        const char *const parts[] = {request->target_note ? request->target_note : "", buf_text(&run->doubts),
                                     collector_source_note(run->collector),
                                     collector_children_note(run->collector), buf_text(&run->asked_note)};

        for (size_t i = 0; i < N_ELEMENTS(parts); i++)
                run_add_part(&run->heading_note, parts[i]);
        if (!request->live) /* which has a note of its own */
                add_python_note(run, &run->heading_note);
        add_rate_note(run, request, &run->heading_note);
        run->out.heading_note = buf_text(&run->heading_note);
}

/* The engine peek does not see why it can't read a process. */
static void add_unread_note(const struct run *run, struct buf *note)
{
        const char *why = collector_reading_note(run->collector);

        if (why[0] && !strcmp(collector_engine(run->collector), "peek") && has_python(run))
                buf_printf(note, "%sno Python functions: %s", note->len ? "; " : "", why);
}

void run_fill_lack_note(struct run *run)
{
        buf_clear(&run->lack_note);
        add_python_note(run, &run->lack_note);
        add_unread_note(run, &run->lack_note);
        collector_add_refused(run->collector, &run->lack_note);
        run->out.lack_note = buf_text(&run->lack_note);
}

/* Adds the notes on stacks, children and Python. */
const char *run_whole_note(struct run *run, const struct run_request *request)
{
        const char *const more[] = {buf_text(&run->memory_note), collector_stack_note(run->collector),
                                    collector_children_note(run->collector), buf_text(&run->python_note),
                                    request->target_note ? request->target_note : ""};

        buf_add_str(&run->note, source_note(run, request));
        if (request->memory)
                buf_printf(&run->note, "%swperf report --mem shows data sources, latency and cache lines",
                           run->note.len ? "; " : "");
        add_rate_note(run, request, &run->note);
        for (size_t i = 0; i < N_ELEMENTS(more); i++)
                run_add_part(&run->note, more[i]);
        add_python_note(run, &run->note);
        add_unread_note(run, &run->note);
        return buf_text(&run->note);
}
