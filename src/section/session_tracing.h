/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session says of its tracepoints: their formats, as tracefs has them. */
#ifndef SESSION_TRACING_H
#define SESSION_TRACING_H

#include "event.h"
#include "perfdata_writer.h"

/* Adds feature TRACING_DATA when an event is a tracepoint.  In a pipe it stands before the records: to be called before
 * the writer begins. */
void session_tracing_add(struct perfdata_writer *writer, const struct event_list *events,
                         const struct pmu_source *source);

#endif
