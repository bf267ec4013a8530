/* SPDX-License-Identifier: BSD-3-Clause */
/* What the events of a session say about the scheduler: perf's tracepoints of switches and of threads that
 * are woken, and its samples of time off CPUs (perf record --off-cpu, and event traces of Windows). */
#ifndef SCHED_EVENTS_H
#define SCHED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "perfdata_reader.h"

enum sched_role {
        SCHED_NONE,
        SCHED_SWITCH,  /* a CPU turns from one thread to another; the sample is of the one that leaves */
        SCHED_WAKING,  /* the sample's thread ends the wait of another one */
        SCHED_OFF_CPU, /* the sample's thread has waited for its period */
};

struct sched_event {
        enum sched_role role;
        bool has_stacks;
        const char *reason; /* SCHED_OFF_CPU of Windows: why the thread waited, as "WrQueue"; else NULL */
        bool is_packed;     /* SCHED_OFF_CPU: the content of its samples is in their raw data */
        const struct tracing_field *flags, *tid, *next_tid, *state;
};

struct sched_events {
        struct sched_event *items; /* by the session's number of the event */
        size_t n;
        bool has_switch_records; /* PERF_RECORD_SWITCH */
        bool has[SCHED_OFF_CPU + 1];
};

/* Points into the reader. Never NULL. */
struct sched_events *sched_events_new(const struct perfdata_reader *reader);
void sched_events_free(struct sched_events *events);
AUTO_DEFINE(sched_events)

/* Whether each time that an event happens is a sample. */
bool sched_events_is_each(const struct perf_attr *attr);

enum sched_role sched_events_role(const struct sched_events *events, uint32_t event);

/* Whether samples of the event are waits, or times without a CPU. */
static inline bool sched_events_is_wait(const struct sched_events *events, uint32_t event)
{
        enum sched_role role = sched_events_role(events, event);

        return role == SCHED_SWITCH || role == SCHED_OFF_CPU;
}

struct sched_switch {
        int32_t tid, next_tid; /* 0: the CPU is idle */
        /* The state of the thread that leaves: R (it would have run on), S, D, T, t, X (it ends), I (a thread
         * of the kernel without work). */
        char state;
};

/* False if the sample does not have the fields. */
bool sched_events_read_switch(const struct sched_event *event, const struct sample *sample,
                              struct sched_switch *ret);

struct sched_wakeup {
        int32_t tid;       /* the thread that is woken */
        bool is_interrupt; /* by an interrupt, whatever thread it interrupted */
};

bool sched_events_read_wakeup(const struct sched_event *event, const struct sample *sample,
                              struct sched_wakeup *ret);

/* Sets a packed sample's thread, period and chain. */
bool sched_events_unpack(struct sample *sample);

#endif
