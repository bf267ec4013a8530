/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a loop at one reading: which of them wait, for what, and their chains of awaits. */
#ifndef TASK_CHAINS_H
#define TASK_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "task_section.h"
#include "wait_kind.h"

enum { TASK_CHAIN_MAX = 64 }; /* frames of a chain that are looked at */

struct task_chains {
        const struct task_section *section;
        size_t first, n;     /* the tasks */
        struct map at_once;  /* ids of them to index in the section + 1 */
        struct map awaiters; /* ids of those that await others of them */
        size_t n_awaiters; /* of all readings; those of a damaged section may be the same ones again and again
                            */
};

/* The reading that begins with task `first`, instead of the one before; `chains` is zero, with a section, at
 * first. */
void task_chains_begin(struct task_chains *chains, size_t first);
void task_chains_release(struct task_chains *chains);

/* Whether a task has waiting time of its own, and for what: it does not run, and does not await other tasks.
 */
bool task_chains_waits(const struct task_chains *chains, size_t task, enum wait_kind *ret_kind);

/* The stack of a task, and of those that await it as long as it is one: indices of frames in the section, the
 * innermost first. Returns their number, at most TASK_CHAIN_MAX. */
size_t task_chains_stack(const struct task_chains *chains, size_t task, uint32_t *ret_frames);

#endif
