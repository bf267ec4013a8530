/* SPDX-License-Identifier: BSD-3-Clause */
/* The feature section TRACING_DATA: the formats of a session's tracepoints, as tracefs gives them. */
#ifndef SESSION_TRACING_H
#define SESSION_TRACING_H

#include "event.h"
#include "perfdata_writer.h"

/* Adds the section if an event is a tracepoint. Call it before the writer begins, because in a pipe the
 * section precedes the records. */
void session_tracing_add(struct perfdata_writer *writer, const struct event_list *events,
                         const struct pmu_source *source);

#endif
