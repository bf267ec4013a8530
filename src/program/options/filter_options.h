/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that select samples of a session, shared by all commands that show samples. */
#ifndef FILTER_OPTIONS_H
#define FILTER_OPTIONS_H

#include "err.h"
#include "option_groups.h"
#include "profile.h"

struct filter_options {
        struct number_list pids;
        struct cpu_list cpus;
        const char *comms;   /* comma-separated, or NULL */
        const char *threads; /* the same; names or numbers */
        const char *modules; /* comma-separated, or NULL */
        /* the options of these as they were typed, such as "--tid"; NULL if they were not given */
        const char *comms_option, *threads_option, *modules_option;
        const char *python_file; /* a pattern, or NULL */
        const char *time;        /* "A,B" in seconds, or NULL */
        const char *states;      /* comma-separated, or NULL */
        const char *mode;        /* "cpu", "gil", "wall", or NULL */
        bool idle, latency, gil;
        const char *parallelism; /* a list of numbers, or NULL */
        bool no_demangle;
};
extern const struct option_group filter_group;

/* `pids` are those of the options (cmd_pids), kept by the caller.  ERR_USAGE. */
bool filter_fill(const struct filter_options *options, const int32_t *pids, struct profile_filter *ret,
                 struct err *err);

#endif
