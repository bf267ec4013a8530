/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes are the command's, where its events are open on every CPU and see all processes. */
#ifndef LINUX_CHILDREN_H
#define LINUX_CHILDREN_H

#include "linux_unwinder.h"

struct children;

/* For the command `pid`, which has not begun to run; after the events were turned on.  `opened` is kept by the caller. */
struct children *children_new(const struct opened *opened, int32_t pid);
void children_free(struct children *children);
AUTO_DEFINE(children)

/* From now on leaves out samples that `filter`, which is kept by the caller, does not want. */
void children_filter(struct children *children, const struct ring_filter *filter);

/* Moves what the rings hold to `pass`, without the samples of processes that are known to be others. */
void children_drain(struct children *children, struct ring *rings, size_t n_rings, struct buf *pass);

/* Takes what children_drain brought, which is then empty, and appends to `out`, by time, what belongs to the command: what
 * is not newer than the drain before, all of it when this is the last.  A FORK record may come in a later pass than the
 * first sample of its process. */
void children_put(struct children *children, struct buf *pass, bool is_last, struct buf *out);

/* Maps wait for the next call of children_put. */
bool children_maps_wait(const struct children *children);

/* Sum of the periods of the samples of the first event that was asked for, in a mode (user, kernel) that was left out. */
uint64_t children_left_out(const struct children *children);

/* Of `lost` samples of all processes the command's, by its part in those that arrived. */
uint64_t children_own_losses(const struct children *children, uint64_t lost);

#endif
