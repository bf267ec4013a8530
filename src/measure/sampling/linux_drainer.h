/* SPDX-License-Identifier: BSD-3-Clause */
/* Empties the kernel's rings, on a thread of its own that does nothing else: it copies each record once,
 * without what is not wanted, into memory that waits for the reader. So a reader that is late, because it
 * opens files or unwinds stacks, loses no samples until the memory's limit is reached; then the rings fill,
 * and the kernel counts what it loses. */
#ifndef LINUX_DRAINER_H
#define LINUX_DRAINER_H

#include "linux_events.h"
#include "linux_record_pool.h"

struct others;      /* linux_others.h */
struct pollfd;      /* poll.h */
struct bpf_engine;  /* bpf_engine.h */
struct peek_engine; /* peek_engine.h */
struct stop_engine; /* stop_engine.h */
struct wait_pace;   /* wait_pace.h */

/* Everything belongs to the caller and must outlive the drainer. */
struct drainer_request {
        struct ring *rings;
        size_t n_rings;
        const struct opened *opened;
        struct others *others;     /* NULL if the rings have only records of the targets */
        struct stop_engine *stops; /* its samples are added to each round; NULL for none */
        struct bpf_engine *bpf;    /* NULL for none */
        struct peek_engine *peek;  /* looks at records before they are drained; NULL for none */
        struct wait_pace *waits;   /* its samples are added, too; NULL for none */
        size_t max_bytes;          /* the limit of the memory that waits */
        int longest_wait_ms;       /* between two passes over the rings */
};

struct drainer;

struct drainer *drainer_new(const struct drainer_request *request);
void drainer_free(struct drainer *drainer); /* also ends its thread */
AUTO_DEFINE(drainer)

/* Starts the thread. Without it, or if it can't be started, the reader's calls of drainer_work empty the
 * rings. */
void drainer_start(struct drainer *drainer);
bool drainer_has_thread(const struct drainer *drainer);

/* Ends the thread, and empties the rings for the last time: the last round is marked. */
void drainer_stop(struct drainer *drainer);

/* --- for the reader --- */

/* Where the rounds come from. */
struct record_pool *drainer_get_pool(struct drainer *drainer);

/* Appends the descriptors that tell that drainer_work should be called; `fds` has room for one more than
 * there are rings. */
size_t drainer_add_fds(const struct drainer *drainer, struct pollfd *fds);

/* After poll(2): whether one of the descriptors is readable. A ring whose task has ended returns POLLHUP
 * forever; it is left out of the next poll. */
bool drainer_see_fds(struct pollfd *fds, size_t n);

/* How long the reader may wait for these descriptors; at most `timeout_ms`. */
int drainer_wait_ms(struct drainer *drainer, int timeout_ms);

/* Call after waiting, then take rounds. */
void drainer_work(struct drainer *drainer);

/* A process mapped a new file, so that more may follow: makes the next waits short. `is_late`: samples
 * belong to processes whose files were already gone, so the waits are shorter still for a while. */
void drainer_hurry(struct drainer *drainer, bool is_late);

#endif
