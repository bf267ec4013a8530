/* SPDX-License-Identifier: BSD-3-Clause */
/* When the events of a session are on. */
#ifndef LINUX_ENABLING_H
#define LINUX_ENABLING_H

#include "control.h"
#include "linux_internal.h"

/* Zero-initialised before the beginning. */
struct enabling {
        struct opened *opened;
        struct control *control; /* NULL: none */
        bool listens;            /* for commands */
        uint64_t due_ns;         /* the events wait for this time; 0: they don't */
        uint64_t off_since_ns;   /* 0: they are on */
        uint64_t off_ns;         /* how long they were off before */
        bool stop_asked;
};

/* Takes note of how a run began at `begin_ns`; the events themselves are as the request says already, and a delay
 * counts from now. */
void enabling_begin(struct enabling *enabling, struct opened *opened, const struct collect_request *request,
                    uint64_t begin_ns);

/* Does what is due and what was asked. */
void enabling_run(struct enabling *enabling);

/* What wakes the recorder for it; -1: nothing. */
int enabling_fd(const struct enabling *enabling);

/* How long the recorder may sleep, at most `timeout_ms`. */
int enabling_wait_ms(const struct enabling *enabling, int timeout_ms);

/* The events are off for good. */
void enabling_end(struct enabling *enabling);

#endif
