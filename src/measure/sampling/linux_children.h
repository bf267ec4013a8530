/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects the records of the command, or of attached processes, and of their children when the events are
 * open on every CPU and see all processes. */
#ifndef LINUX_CHILDREN_H
#define LINUX_CHILDREN_H

#include "linux_internal.h"

struct children;

/* For the command `pid`, which must not run yet, after the events were enabled. `opened` belongs to the
 * caller. */
struct children *children_new(const struct opened *opened, int32_t pid);

/* For processes that run already, without the children that they have. */
struct children *children_new_of(const struct opened *opened, const int32_t *pids, size_t n);
void children_free(struct children *children);
AUTO_DEFINE(children)

/* Whether a record belongs to the command or its children. Call for all records that others_wanted_bytes
 * wants, in order of time. */
bool children_keep(struct children *children, const struct perf_header *header, const uint8_t *record);

/* Sum of the periods of samples of the first requested event in a mode (user, kernel) that the user
 * excluded. */
uint64_t children_left_out(const struct children *children);

/* The command's part of `lost` samples of all processes, estimated from its part of the `n_seen` samples
 * that arrived. `n_stops` of its samples come from stops, not from the rings. */
uint64_t children_own_losses(const struct children *children, uint64_t n_seen, uint64_t n_stops,
                             uint64_t lost);

#endif
