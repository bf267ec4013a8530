/* SPDX-License-Identifier: BSD-3-Clause */
/* The running processes that a command line names: by PIDs, by name, and their children. */
#ifndef PROCESS_CHOICE_H
#define PROCESS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "option_groups.h"

struct process_choice {
        int32_t *pids;
        size_t n_pids;     /* 0: the line names none */
        struct buf cgroup; /* the control group, as in /proc/PID/cgroup; empty for none */
        int cgroup_fd;     /* its folder */
        size_t n_children; /* descendants that run and are not measured; --subprocesses adds them */
};

/* Chooses by -p, bare PIDs, --comm and --cgroup. ERR_USAGE if these can't be used together or with other
 * options; ERR_MISSING if there is no such process. */
bool process_choice_make(const struct target_options *options, struct process_choice *ret, struct err *err);

/* The same for processes that were found otherwise; takes ownership of `pids`. */
void process_choice_take(const struct target_options *options, int32_t *pids, size_t n,
                         struct process_choice *ret);
void process_choice_release(struct process_choice *choice);

/* One sentence for the heading, with the running children that are not measured; appends nothing without. */
void process_choice_add_note(const struct process_choice *choice, struct buf *out);

#endif
