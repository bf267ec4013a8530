/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time in pieces while it is recorded: what arrives is divided together with what came before, so that
 * the pieces are those of a session of all of it. */
#ifndef WALL_LIVE_H
#define WALL_LIVE_H

#include "wall_pieces.h"

struct wall_live;

struct wall_live *wall_live_new(void);
void wall_live_free(struct wall_live *live);
AUTO_DEFINE(wall_live)

/* Takes the samples and readings of an interval; the request's `spans` are those since the beginning, to
 * which more will be added, and its `elapsed_ns` is the time since then. Returns the pieces of all time since
 * then, valid until the next call, and never NULL. */
struct wall_pieces *wall_live_divide(struct wall_live *live, const struct wall_request *request);

/* How much a division takes: samples and readings, without spans. */
size_t wall_live_n(const struct wall_live *live);

/* What comes next is divided without what was until the end of the last division; returns that time. Waits
 * that go on stay known, except those of threads in `ended` (by number), which have no switches that say so.
 */
uint64_t wall_live_begin_anew(struct wall_live *live, const struct map *ended);

#endif
