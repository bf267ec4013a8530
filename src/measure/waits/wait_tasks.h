/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of asyncio, read together with the thread of their loop: as long as it waits they do not change. */
#ifndef WAIT_TASKS_H
#define WAIT_TASKS_H

#include "attributes.h"
#include "stop_binary.h"
#include "task_section.h"
#include "wait_python.h"

struct wait_tasks;

/* `finds_running`: also the task that runs where others can't be found (python_running.h). */
struct wait_tasks *wait_tasks_new(struct stop_binaries *binaries, bool finds_running);
void wait_tasks_free(struct wait_tasks *tasks);
AUTO_DEFINE(wait_tasks)

/* Prepares a process, as it is now, and chooses it. `python` must outlive what is read of it; NULL: it has no
 * interpreter. */
void wait_tasks_begin(struct wait_tasks *tasks, int32_t pid, struct wait_python *python);

/* What is read next are threads of this process, as it was prepared. */
void wait_tasks_choose(struct wait_tasks *tasks, int32_t pid);
void wait_tasks_forget(struct wait_tasks *tasks, int32_t pid);

/* Whether the tasks of the threads that follow are left out. */
void wait_tasks_leave_out(struct wait_tasks *tasks, bool is_left_out);

/* The next thread; it may be read several times. */
void wait_tasks_begin_thread(struct wait_tasks *tasks);

/* Forgets what was read of the thread so far. */
void wait_tasks_undo(struct wait_tasks *tasks);

/* Reads the tasks of a thread's loop. */
void wait_tasks_read(struct wait_tasks *tasks, const struct wait_python_thread *thread,
                     const struct wait_reading *reading);

/* Whether the thread that was read last has tasks; how long it took to read them. */
bool wait_tasks_of_thread(const struct wait_tasks *tasks, uint64_t *ret_took_ns);

/* Reads the Python frames of a thread that runs, twice, and adds them if both readings agree: the same
 * frames, and the same lines of all callers. False if they do not. */
bool wait_tasks_read_running(struct wait_tasks *tasks, const struct wait_python_thread *thread,
                             const struct wait_reading *reading);

/* Gives all frames so far places among those of the session. */
void wait_tasks_add_places(struct wait_tasks *tasks, struct python_places *places);

/* All tasks so far, valid until the next call. */
const struct task_section *wait_tasks_get(const struct wait_tasks *tasks);

#endif
