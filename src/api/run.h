/* SPDX-License-Identifier: BSD-3-Clause */
/* What `record` and `sample` do between their options and their output: run, write the session, say how it
 * ended.  The table is then made by report.h from the session that was written. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "call_graph.h"
#include "collector.h"
#include "control.h"
#include "err.h"

struct run_request {
        struct target target;
        enum collect_children children;
        const char *events; /* text of -e; NULL: the default */
        uint64_t freq_hz;   /* 0: the default */
        bool kernel;
        uint64_t timeout_ns; /* 0: none */
        struct call_graph call_graph;
        enum collect_engine engine;
        bool branches; /* the CPU's record of branches with each sample */
        bool compress;
        const char *session_path; /* "-": standard output */
        const char *command_line; /* of wperf itself, for the session; NULL */
        const char *cpu_model;    /* another machine: a model of the catalogue, for run_describe; NULL */
        const char *sysfs_root;   /* another machine's tree, for run_describe; NULL */
        bool quiet;               /* no ticks: fewer wake-ups */
        /* Once a second while it runs; `n_new` samples since the last call.  NULL: none. */
        void (*tick)(void *ctx, uint64_t n_new);
        void *tick_ctx;
};

/* A run that has ended.  Its collector still holds the files that only it can reach. */
struct run;

enum run_failure {
        RUN_OK,
        RUN_FAILED,       /* wperf's own failure: status 125 with a command, else 1 */
        RUN_NOT_RUNNABLE, /* 126 */
        RUN_NOT_FOUND,    /* 127 */
        RUN_USAGE,        /* 2 */
};

/* A command that could not be started: which of the shell's two numbers. */
enum run_failure run_start_failure(const struct err *err);

/* NULL and *ret_failure on failure; a full disk is RUN_OK with run_write_error. */
struct run *run_record(const struct run_request *request, enum run_failure *ret_failure, struct err *err);
void run_free(struct run *run);
AUTO_DEFINE(run)

/* The attributes that would be opened, as text. */
bool run_describe(const struct run_request *request, struct buf *out, struct err *err);

struct run_facts {
        uint64_t elapsed_ns;
        int stop_signal;    /* wperf was asked to end by this signal; 0: not */
        bool stopped_by_us; /* time ran out, stop_signal, or another program said so */
        bool has_status;    /* the command has ended */
        int exit_status;    /* as a shell gives it: 128 + N for a signal; valid with has_status */
        uint64_t n_samples;
        const struct err *write_error; /* the session could not be written whole; NULL: it could */
        const struct collect_result *collected;
};

struct run_facts run_get_facts(const struct run *run);

#endif
