/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time in a report: all samples and readings of a session that recorded waiting become samples of one
 * event, weighted by the time that they stand for. They are known after a first pass over the session. */
#ifndef REPORT_WALL_H
#define REPORT_WALL_H

#include "report_workers.h"

/* The first pass; sets pass->wall_event. If the session did not record waiting, samples are as they are. */
bool report_wall_begin(struct report_pass *pass, const struct session_input *input, struct err *err);

/* Whether samples count for wall time. */
static inline bool report_wall_is_on(const struct report_pass *pass)
{
        return pass->report->pieces;
}

/* Whether they count for the CPU time that the switches of threads divide or choose. */
static inline bool report_wall_is_of_cpus(const struct profile_filter *filter)
{
        return filter->is_latency || filter->by_parallelism;
}

/* Takes the worker's sample, of an event of the session, and all time without sample until then. */
void report_wall_take(struct report_worker *w, uint32_t event, uint64_t number);

/* After the last record: the rest. */
void report_wall_end(struct report_worker *w);

/* The attributes of an event of the session, or of wall time. */
const struct perf_attr *report_wall_attr(const struct report_pass *pass, uint32_t event);

/* Appends the event of wall time to `n` events of the session, whose samples it has. */
void report_wall_fill_events(const struct report_pass *pass, size_t n);

#endif
