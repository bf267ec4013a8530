/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurement of `stack`: reads the threads of processes, writes a session in memory, and reads it back.
 */
#ifndef STACK_RUN_H
#define STACK_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "err.h"
#include "report.h"
#include "task_section.h"
#include "wait_section.h"

struct stack_run_request {
        const int32_t *pids; /* processes; those that end meanwhile are left out */
        size_t n_pids;
        unsigned n_repeats;   /* number of readings, at least 1 */
        uint64_t interval_ns; /* between two readings */
        bool nonblocking;     /* threads that run are not stopped, and have only Python frames */
        enum stacks_python python;
        bool no_demangle;
        const struct resolver_sources *sources;
};

struct stack_run;

/* ERR_MISSING: no process is left; ERR_UNSUPPORTED. */
struct stack_run *stack_run_make(const struct stack_run_request *request, struct err *err);
void stack_run_free(struct stack_run *run);
AUTO_DEFINE(stack_run)

struct stack_run_facts {
        const struct report *report;      /* samples and named stacks */
        const struct wait_section *waits; /* what each thread did; by thread and time */
        const struct task_section *tasks; /* of asyncio, with the times of their threads */
        uint64_t took_ns;                 /* of the last reading of all processes */
        unsigned n_read;                  /* readings that were made; fewer after Ctrl-C */
        size_t n_refused;                 /* processes that may not be read */
};

/* Valid as long as the run. */
struct stack_run_facts stack_run_get(const struct stack_run *run);

#endif
