/* SPDX-License-Identifier: BSD-3-Clause */
/* What a task of asyncio waits for, by the functions of asyncio that it awaits. */
#ifndef TASK_KIND_H
#define TASK_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "task_section.h"
#include "wait_kind.h"

/* Whether a function is one of asyncio's own. */
bool task_kind_is_of_asyncio(const struct task_function *function);

/* The kind of waiting of a task that has frames. WAIT_KIND_OTHER: a future, which can be anything. */
enum wait_kind task_kind_of(const struct task_section *section, const struct task_reading *task);

/* How many tasks of one loop were read at once, from `first` on. */
size_t task_kind_n_at_once(const struct task_section *section, size_t first);

/* What a loop waits for whose thread seems to be without work: what most of its tasks wait for that are not
 * idle; WAIT_KIND_IDLE if all are. */
enum wait_kind task_kind_of_loop(const struct task_section *section, size_t first);

#endif
