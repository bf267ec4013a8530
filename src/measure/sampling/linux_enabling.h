/* SPDX-License-Identifier: BSD-3-Clause */
/* Enables and disables the events of a session. */
#ifndef LINUX_ENABLING_H
#define LINUX_ENABLING_H

#include "control.h"
#include "linux_internal.h"

/* Zero-initialize before enabling_begin, but for on_switch and ctx. */
struct enabling {
        struct opened *opened;
        struct control *control; /* NULL for none */
        bool listens;            /* reads commands of a controlling program */
        uint64_t due_ns;         /* when to enable the events; 0 for no delay */
        uint64_t off_since_ns;   /* 0 if they are enabled */
        uint64_t off_ns;         /* how long they were disabled before off_since_ns */
        bool stop_asked;
        /* Called when the events were enabled or disabled, before the controlling program gets its answer. */
        void (*on_switch)(void *ctx, bool on);
        void *ctx;
};

/* Records that the run began at `begin_ns`. Does not change the events, which are already as the request
 * says; a delay starts now. */
void enabling_begin(struct enabling *enabling, struct opened *opened, const struct collect_request *request,
                    uint64_t begin_ns);

/* Enables the events if their time has come, and executes commands of the controlling program. */
void enabling_run(struct enabling *enabling);

/* A descriptor that wakes the recorder for a command; -1 for none. */
int enabling_fd(const struct enabling *enabling);

/* How long the recorder may sleep, in milliseconds; at most `timeout_ms`. */
int enabling_wait_ms(const struct enabling *enabling, int timeout_ms);

/* Call after the events were disabled for the last time. */
void enabling_end(struct enabling *enabling);

#endif
