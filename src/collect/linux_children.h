/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the records of the command and its children when the events are open on every CPU and see all
 * processes. */
#ifndef LINUX_CHILDREN_H
#define LINUX_CHILDREN_H

#include "linux_unwinder.h"

struct children;

/* For the command `pid`, which must not run yet, after the events were enabled. `opened` belongs to the
 * caller. */
struct children *children_new(const struct opened *opened, int32_t pid);
void children_free(struct children *children);
AUTO_DEFINE(children)

/* Sets a further filter for samples, owned by the caller. */
void children_filter(struct children *children, const struct ring_filter *filter);

/* Moves the content of the rings to `pass`, without samples of processes that are known not to belong to the
 * command. */
void children_drain(struct children *children, struct ring *rings, size_t n_rings, struct buf *pass);

/* Takes the content of `pass`, which is then empty, and appends the command's records to `out` in order of
 * time. Only records that are not newer than the previous drain are appended; all of them if `is_last`. A
 * FORK record may come a pass later than the first sample of its process. */
void children_put(struct children *children, struct buf *pass, bool is_last, struct buf *out);

/* True if map records wait for the next call of children_put. */
bool children_maps_wait(const struct children *children);

/* Sum of the periods of samples of the first requested event in a mode (user, kernel) that the user
 * excluded. */
uint64_t children_left_out(const struct children *children);

/* The command's part of `lost` samples of all processes, estimated from its part of the samples that
 * arrived. */
uint64_t children_own_losses(const struct children *children, uint64_t lost);

#endif
