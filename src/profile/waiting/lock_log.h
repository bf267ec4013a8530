/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracepoints lock:contention_begin and contention_end, in the order of time: waits for locks of the
 * kernel, which perf lock contention shows. They do not say who has the lock. */
#ifndef LOCK_LOG_H
#define LOCK_LOG_H

#include "budget.h"
#include "lock_rows.h"
#include "named_stacks.h"
#include "perfdata_reader.h"
#include "sample_list.h"

struct lock_log;

/* NULL if the session does not have both tracepoints, with each time that they happened. Points into the
 * reader. Memory is taken from `budget`, which may be NULL; if there is no more, further waits are left
 * out. */
struct lock_log *lock_log_new(const struct perfdata_reader *reader, struct budget *budget);
void lock_log_free(struct lock_log *log);
AUTO_DEFINE(lock_log)

/* For each sample, of any event. A wait counts if `counts` is set at its beginning. */
void lock_log_take(struct lock_log *log, uint32_t event, const struct sample *sample, bool counts);

/* After the last sample. `samples` have the stacks of the beginnings. */
struct lock_rows *lock_log_rows(const struct lock_log *log, const struct named_stacks *named,
                                const struct sample_list *samples, const struct waiters *waiters);

#endif
