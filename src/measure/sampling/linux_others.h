/* SPDX-License-Identifier: BSD-3-Clause */
/* Which records of the rings certainly do not belong to the command, when the events are open on every CPU
 * and see all processes. Used by the thread that empties the rings; linux_children.c decides about the
 * other records. */
#ifndef LINUX_OTHERS_H
#define LINUX_OTHERS_H

#include "linux_internal.h"

struct others;

/* For the command `pid`, which must not run yet, after the events were enabled. `opened` belongs to the
 * caller. */
struct others *others_new(const struct opened *opened, const int32_t *pids, size_t n);
void others_free(struct others *others);
AUTO_DEFINE(others)

/* Call for each record of a pass over all rings, which were read up to the same moment; then
 * others_end_look; then others_wanted_bytes for the same records. The rings come one after the other, but
 * who has a pid depends on the order of time. A pid that the command's processes had at any time in this
 * pass or the one before is wanted. */
void others_see(struct others *others, const struct perf_header *header, const uint64_t words[RING_WORDS]);
void others_end_look(struct others *others);

/* How many bytes from the record's beginning are wanted; 0 if it is a record of another process. */
size_t others_wanted_bytes(struct others *others, const struct perf_header *header,
                           const uint64_t words[RING_WORDS]);

/* Samples so far, of all processes. Not while another thread calls the functions above. */
uint64_t others_n_seen(const struct others *others);

/* --- for linux_children.c as well --- */

enum {
        OTHERS_MAX_PID = 4 << 20,
        /* the part that is kept of a sample in an excluded mode: up to its period */
        OTHERS_LEFT_OUT_BYTES = 56,
};

/* Whether the user excluded this mode. The kernel samples it anyway, so that all of the command's time is
 * known. `event` may be NULL. */
bool others_is_left_out(const struct opened_event *event, uint16_t misc);

/* Calls `add` for the pid of each process in /proc. */
void others_list(void (*add)(void *ctx, int32_t pid), void *ctx);

#endif
