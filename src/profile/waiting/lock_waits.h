/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits of programs for their locks, as they were read. */
#ifndef LOCK_WAITS_H
#define LOCK_WAITS_H

#include "lock_rows.h"

struct wall_making; /* wall_making.h */

/* Of the waits that `making` has: its readings, after they were weighed. */
struct lock_rows *lock_waits_new(struct wall_making *making);

#endif
