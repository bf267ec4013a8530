/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched_events.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "perf_abi.h"

/* --- Events --- */

static bool is_waking(const char *name)
{
        return !strcmp(name, "sched_waking") || !strcmp(name, "sched_wakeup");
}

static void set_tracepoint(struct sched_event *e, const struct tracing_event *tracepoint)
{
        if (strcmp(tracepoint->system, "sched") != 0)
                return;
        if (!strcmp(tracepoint->name, "sched_switch")) {
                e->tid = tracing_event_number(tracepoint, "prev_pid");
                e->state = tracing_event_number(tracepoint, "prev_state");
                e->next_tid = tracing_event_number(tracepoint, "next_pid");
                e->role = e->tid && e->state && e->next_tid ? SCHED_SWITCH : SCHED_NONE;
        } else if (is_waking(tracepoint->name)) {
                e->tid = tracing_event_number(tracepoint, "pid");
                e->flags = tracing_event_number(tracepoint, "common_flags");
                e->role = e->tid ? SCHED_WAKING : SCHED_NONE;
        }
}

static bool is_off_cpu(const struct perfdata_event *event)
{
        const struct perf_attr *attr = &event->attr;

        return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
               !strncmp(event->name, "offcpu-time", strlen("offcpu-time"));
}

/* etl_import names the event by the reason. */
static void set_off_cpu(struct sched_event *e, const char *name)
{
        const char *colon = strchr(name, ':');

        e->role = SCHED_OFF_CPU;
        e->reason = colon ? colon + 1 : NULL;
}

/* The one of etl_import. */
static bool is_ready(const struct perfdata_event *event)
{
        return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
               event->attr.sample_type & PERF_SAMPLE_ADDR && !strcmp(event->name, "ready-thread");
}

bool sched_events_is_each(const struct perf_attr *attr)
{
        return !(attr->flags & PERF_ATTR_FREQ) && attr->sample_period_or_freq == 1;
}

struct sched_events *sched_events_new(const struct perfdata_reader *reader)
{
        struct sched_events *events = mem_new(1, sizeof(*events));

        events->n = perfdata_n_events(reader);
        events->items = mem_new(events->n + 1, sizeof(*events->items));
        for (size_t i = 0; i < events->n; i++) {
                const struct perfdata_event *event = perfdata_get_event(reader, i);
                const struct tracing_event *tracepoint = perfdata_tracepoint(reader, &event->attr);
                struct sched_event *e = &events->items[i];

                e->is_packed = is_off_cpu(event) && event->attr.sample_type & PERF_SAMPLE_RAW;
                e->has_stacks = e->is_packed ||
                                event->attr.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
                if (tracepoint && event->attr.sample_type & PERF_SAMPLE_RAW &&
                    sched_events_is_each(&event->attr))
                        set_tracepoint(e, tracepoint);
                else if (is_off_cpu(event))
                        set_off_cpu(e, event->name);
                else if (is_ready(event))
                        e->role = SCHED_WAKING;
                events->has[e->role] = true;
                events->has_switch_records |= (event->attr.flags & PERF_ATTR_CONTEXT_SWITCH) != 0;
        }
        return events;
}

void sched_events_free(struct sched_events *events)
{
        if (!events)
                return;
        free(events->items);
        free(events);
}

enum sched_role sched_events_role(const struct sched_events *events, uint32_t event)
{
        return event < events->n ? events->items[event].role : SCHED_NONE;
}

/* --- Samples --- */

/* The bits that sched_switch reports (TASK_REPORT of the kernel's include/linux/sched.h). */
static char letter_of(uint64_t state)
{
        static const char letters[] = "SDTtXXSI"; /* X: dead, and zombie; the second S: parked */

        for (size_t i = 0; i < strlen(letters); i++) {
                if (state & UINT64_C(1) << i)
                        return letters[i];
        }
        return 'R';
}

bool sched_events_read_switch(const struct sched_event *event, const struct sample *sample,
                              struct sched_switch *ret)
{
        bool is_bad = false;

        ret->tid = (int32_t)tracing_field_read(event->tid, sample->raw, &is_bad);
        ret->next_tid = (int32_t)tracing_field_read(event->next_tid, sample->raw, &is_bad);
        ret->state = letter_of(tracing_field_read(event->state, sample->raw, &is_bad));
        return !is_bad;
}

bool sched_events_read_wakeup(const struct sched_event *event, const struct sample *sample,
                              struct sched_wakeup *ret)
{
        enum { IN_INTERRUPT = 0x08 | 0x10 }; /* TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
        bool is_bad = false;

        if (!event->tid) {
                *ret = (struct sched_wakeup){.tid = (int32_t)sample->addr};
                return true;
        }
        ret->tid = (int32_t)tracing_field_read(event->tid, sample->raw, &is_bad);
        ret->is_interrupt =
                event->flags && tracing_field_read(event->flags, sample->raw, &is_bad) & IN_INTERRUPT;
        return !is_bad;
}

/* perf 6.15 and later: process u32, thread u32, time u64, addresses {n u64, u64...}, control group u64. */
bool sched_events_unpack(struct sample *sample)
{
        struct cursor c = sample->raw;
        int32_t pid = (int32_t)cursor_u32(&c), tid = (int32_t)cursor_u32(&c);
        uint64_t period = cursor_u64(&c), n = cursor_u64(&c);
        struct cursor chain = cursor_sub(&c, cursor_pos(&c), cursor_left(&c));

        if (c.failed || n > cursor_left(&c) / sizeof(uint64_t))
                return false;
        sample->pid = pid;
        sample->tid = tid;
        sample->period = period;
        sample->n_chain = n;
        sample->chain = chain;
        if (n > 1) { /* the first one says that they are the program's */
                cursor_skip(&chain, sizeof(uint64_t));
                sample->ip = cursor_u64(&chain);
        }
        return true;
}
