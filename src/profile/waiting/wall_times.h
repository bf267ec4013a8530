/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of wall time by state and by function. */
#ifndef WALL_TIMES_H
#define WALL_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "wall_pieces.h"

struct wall_function {
        const struct wall_name *name;
        uint64_t ns[WALL_N_STATES];
        uint64_t total_ns; /* in the states that are shown */
        uint32_t line;     /* of Python: the one with most of it; 0: not known */
        uint64_t line_ns;
        double error_ns; /* standard error of total_ns, because short waits are sampled */
};

struct wall_times {
        uint64_t ns[WALL_N_STATES]; /* in all states */
        uint64_t elapsed_ns;        /* of the session */
        uint64_t total_ns;          /* of all threads */
        uint64_t stackless_ns;      /* part of the waiting whose stack is not known */
        size_t n_threads, n_idle_threads;
        unsigned shown;                  /* a set of states, as WALL_BIT() */
        struct wall_function *functions; /* sorted by total_ns, which may be 0 */
        size_t n_functions;
        const char *idle_calls[WALL_MAX_IDLE_CALLS]; /* what idle threads do, as "epoll_wait" */
        size_t n_idle_calls;
        /* the function that had the GIL in the largest part of the time in which others waited for it */
        const struct wall_name *gil_holder; /* NULL: not known */
        double gil_share;                   /* that part */
        size_t n_sampled;                   /* readings of short waits */
        double most_error_ns;               /* of all functions */
};

/* Of the pieces that were taken. `shown`: the states that count for functions. The pieces must outlive the
 * result. */
struct wall_times *wall_times_new(const struct wall_pieces *pieces, unsigned shown);
void wall_times_free(struct wall_times *times);
AUTO_DEFINE(wall_times)

#endif
