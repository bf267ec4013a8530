/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of running processes' threads, read once from outside: a sample for each thread, and what it
 * waits for. Threads that wait are not stopped. */
#ifndef THREAD_STACKS_H
#define THREAD_STACKS_H

#include "attributes.h"
#include "collector.h"
#include "err.h"
#include "record.h"
#include "task_section.h"
#include "wait_section.h"

struct thread_stacks;

/* With `may_stop`, threads that run are stopped once, for their registers; else they have no stack.
 * ERR_UNSUPPORTED where /proc does not show what threads do. */
struct thread_stacks *thread_stacks_new(bool may_stop, struct err *err);
void thread_stacks_free(struct thread_stacks *stacks);
AUTO_DEFINE(thread_stacks)

/* The events of the samples, for the session's header. */
size_t thread_stacks_n_events(const struct thread_stacks *stacks);
struct collect_event thread_stacks_get_event(const struct thread_stacks *stacks, size_t index);

/* Puts a process: its maps and names; true if it is there. ERR_MISSING, and ERR_DENIED if its threads may not
 * be read. */
bool thread_stacks_begin(struct thread_stacks *stacks, int32_t pid, const struct record_sink *sink,
                         struct err *err);

/* Reads each thread of the process, and puts their samples. */
bool thread_stacks_take(struct thread_stacks *stacks, const struct record_sink *sink, struct err *err);

/* All readings so far, in the order of the samples; valid until the next call. Their texts are valid until
 * thread_stacks_free. */
const struct wait_reading *thread_stacks_readings(const struct thread_stacks *stacks, size_t *ret_n);

/* The tasks of asyncio that were found with them; valid until the next call. */
const struct task_section *thread_stacks_tasks(const struct thread_stacks *stacks);

/* What the session needs besides records, as from a recording. Call it after the last reading. */
const struct collect_result *thread_stacks_result(struct thread_stacks *stacks);

#endif
