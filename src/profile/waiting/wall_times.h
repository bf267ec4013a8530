/* SPDX-License-Identifier: BSD-3-Clause */
/* All of wall time: for each thread, how long it ran, was ready to run, and waited, and for what; and the
 * same by function. Times on and off a CPU are exact, from the kernel's switches. What threads waited for is
 * known of the waits that were read: long ones whole, short ones as a sample. */
#ifndef WALL_TIMES_H
#define WALL_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cpu_spans.h"
#include "named_stacks.h"
#include "sample_list.h"
#include "wait_kind.h"

/* Columns of the sums: the kinds of waiting, and: */
enum {
        WALL_RUNNABLE = WAIT_N_KINDS, /* ready to run, but another thread had the CPU */
        WALL_OWN,                     /* stopped by wperf for a sample */
        WALL_N_STATES,
};

/* The word of a column, as "network". */
const char *wall_state_word(unsigned state);

struct wall_function {
        const char *name; /* never NULL */
        const char *file; /* of Python: its source; else the module's path */
        uint32_t line;    /* of Python: the function's first line that was met; 0: not known */
        bool is_python;
        uint64_t ns[WALL_N_STATES];
        uint64_t total_ns; /* without idle */
};

struct wall_times {
        uint64_t ns[WALL_N_STATES];
        uint64_t elapsed_ns;   /* of the session */
        uint64_t total_ns;     /* of all threads */
        uint64_t stackless_ns; /* part of the waiting whose stack is not known */
        size_t n_threads, n_idle_threads;
        struct wall_function *functions; /* sorted by total_ns */
        size_t n_functions;
        const char *idle_calls; /* what idle threads do, as "queue.get, epoll_wait"; "" for none */
        /* the function that had the GIL in the largest part of the time in which others waited for it */
        const struct wall_function *gil_holder; /* NULL: not known */
        double gil_share;                       /* that part */
};

struct wall_request {
        const struct wait_section *waits;
        const struct named_stacks *named;
        const struct sample_list *samples;
        const struct cpu_spans *spans;
        uint32_t waiting_event; /* the event of the readings; all others are on a CPU */
        uint32_t cpu_event;     /* the event whose samples divide the time on CPUs */
        uint64_t elapsed_ns;    /* of the recording; 0: not known */
};

/* NULL if the session has neither switches nor readings. */
struct wall_times *wall_times_new(const struct wall_request *request);
void wall_times_free(struct wall_times *times);
AUTO_DEFINE(wall_times)

#endif
