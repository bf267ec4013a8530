/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is measured, where and when: the same for sampling and for counting. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control.h"
#include "err.h"

/* All that it points to outlives the measurement. */
struct target {
        char *const *argv;   /* command to start, NULL-terminated; NULL: none */
        const int32_t *pids; /* processes to attach to */
        size_t n_pids;
        bool system_wide;
        const uint32_t *cpus; /* only these CPUs; with a command it is pinned to them.  NULL: all */
        size_t n_cpus;
        bool output_to_stderr; /* the command's standard output is joined to standard error */
        uint64_t
                delay_ns; /* events begin this long after the start; CONTROL_NEVER: until another program says so */
        const char *control; /* where that comes from: control.h.  NULL: nowhere */
        struct control_listener listener;
};

/* A command that is measured, as sampling and counting have it. */
struct target_command {
        void (*stop)(void *ctx, bool force); /* SIGTERM, or SIGKILL when `force` */
        bool (*runs)(void *ctx);
        void (*wait_ms)(void *ctx, int ms); /* at most; returns early when the command ends */
};

/* Ends the command: SIGTERM, and SIGKILL if it still runs two seconds later.  Returns when it has ended. */
void target_end_command(const struct target_command *command, void *ctx);

/* The PIDs of processes whose program's base name (or file, when `image` is a path) is `image`: the executable, or an image
 * that wine or an emulator runs.
 * Appended to a malloc'd array; ERR_MISSING says what was looked at. */
bool target_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err);

#endif
