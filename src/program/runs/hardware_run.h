/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement of `test --hardware`: samples the loops of hardware_loops.h with Arm SPE, and counts the
 * samples of each loop. */
#ifndef HARDWARE_RUN_H
#define HARDWARE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "hardware_judge.h"

struct hardware_run_request {
        char *const *argv;        /* a command that calls hardware_loops_run() */
        const char *session_path; /* the session stays there */
        const char *command_line; /* of wperf itself */
};

struct hardware_run {
        struct hardware_seen *seen; /* one for each loop */
        uint64_t n_buffers, n_truncated, n_collided;
        uint64_t n_damaged; /* records */
};

void hardware_run_release(struct hardware_run *run);

/* Records the session and reads it. `ret` must be zero-initialized. */
bool hardware_run_record(const struct hardware_run_request *request, struct hardware_run *ret,
                         struct err *err);

/* Reads a session of such a recording; ERR_FORMAT if it has no samples of SPE. */
bool hardware_run_read(const char *session_path, struct hardware_run *ret, struct err *err);

#endif
