/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tracepoints of the scheduler say, in the order of time: when threads ran, and who woke them. */
#ifndef SCHED_LOG_H
#define SCHED_LOG_H

#include "attributes.h"
#include "budget.h"
#include "cpu_spans.h"
#include "sched_events.h"

/* The end of a wait: the thread is ready to run. */
struct sched_waking {
        uint64_t time_ns;
        int32_t tid;            /* the thread that waited */
        int32_t by_pid, by_tid; /* the one that woke it; 0: an interrupt */
};

struct sched_log;

/* Fills `spans`. Both it and `events` must outlive the log. Memory is taken from `budget`, which may be NULL;
 * if there is no more, later wakings are ignored. */
struct sched_log *sched_log_new(const struct sched_events *events, struct cpu_spans *spans,
                                struct budget *budget);
void sched_log_free(struct sched_log *log);
AUTO_DEFINE(sched_log)

/* Call all in the order of time: for each record that is no sample, with its type; only switches, beginnings
 * and ends of threads are looked at, and the first program that is executed. */
void sched_log_see(struct sched_log *log, const struct perf_attr *attr, uint32_t type, struct cursor record);

/* The same, if it is known what the record says: a switch, the end or the beginning of a thread. */
void sched_log_add_record(struct sched_log *log, const struct cpu_change *change);
void sched_log_add_exit(struct sched_log *log, const struct cpu_change *last);
void sched_log_add_fork(struct sched_log *log, const struct cpu_change *first);

/* For each sample of any event. */
void sched_log_take(struct sched_log *log, uint32_t event, const struct sample *sample);

/* After the last sample: the wakings, sorted by the woken thread, then time. */
const struct sched_waking *sched_log_sort(struct sched_log *log, size_t *ret_n);

#endif
