/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls, and waits for locks of the kernel, of a session's tracepoints. Without them a report has
 * those waits of wall time that were in calls or for locks. */
#ifndef REPORT_TRACED_H
#define REPORT_TRACED_H

#include "report_workers.h"

/* Before the first record. Where states of threads are asked for, tracepoints are not used. */
void report_traced_begin(struct report_pass *pass);

/* Whether rows are made of tracepoints, so that wall time is not asked for. */
bool report_traced_is_on(const struct report_pass *pass);

/* The worker's sample, of any event. */
void report_traced_take(struct report_worker *worker, uint32_t event);

/* After the last record. */
void report_traced_end(struct report_pass *pass);

/* The processor of the machine that recorded the session; 0: not known. */
enum arch_id report_traced_arch(const struct perfdata_reader *reader);

/* The thread's last name in a struct world; never NULL. */
const char *report_traced_thread_name(void *world, int32_t pid, int32_t tid);

#endif
