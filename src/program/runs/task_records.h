/* SPDX-License-Identifier: BSD-3-Clause */
/* The records that describe processes, without those that no later sample needs: of processes whose last
 * thread has ended, unless a process that they started still uses their maps; and of programs and names that
 * were replaced by others. */
#ifndef TASK_RECORDS_H
#define TASK_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "err.h"
#include "record.h"

struct task_records;

struct task_records *task_records_new(void);
void task_records_free(struct task_records *tasks);
AUTO_DEFINE(task_records)

/* Takes records in the order of a session; ignores samples and all others that describe no process. */
void task_records_add(struct task_records *tasks, const void *records, size_t size_bytes);

/* The number of records that are kept. */
size_t task_records_n(const struct task_records *tasks);

/* Puts the records that are kept, in their order. */
bool task_records_put(const struct task_records *tasks, const struct record_sink *sink, struct err *err);

#endif
