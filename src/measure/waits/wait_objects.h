/* SPDX-License-Identifier: BSD-3-Clause */
/* What the descriptors are that a process waits for, and who is at the other end. */
#ifndef WAIT_OBJECTS_H
#define WAIT_OBJECTS_H

#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "wait_section.h"

struct wait_objects;

struct wait_peers; /* wait_peers.h */

/* `pid` is the process that is read. Tables are read at the first descriptor that needs them; those of
 * `peers`, which must outlive the objects, if they are older than `most_age_ns`. */
struct wait_objects *wait_objects_new(int32_t pid, struct wait_peers *peers, uint64_t most_age_ns);
void wait_objects_free(struct wait_objects *objects);
AUTO_DEFINE(wait_objects)

struct wait_thread; /* wait_thread.h */

/* Sets call, object and peer, and appends the object in words. */
void wait_objects_see(struct wait_objects *objects, const struct wait_thread *thread,
                      struct wait_reading *reading, struct buf *text);

#endif
