/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run with --engine stop says of itself. */
#ifndef STOP_COUNTS_H
#define STOP_COUNTS_H

#include <stdint.h>

/* What was taken by stopping threads. */
struct stop_counts {
        uint64_t n_processes;  /* programs that were traced; one that executes another is two */
        uint64_t n_stops;      /* samples */
        uint64_t n_dropped;    /* samples of the ring in whose place these stand */
        uint64_t n_not_opened; /* programs and threads without an event that stops */
        uint64_t n_blocking;   /* threads that block SIGTRAP, whose samples are the ring's */
        uint64_t n_refused; /* processes that could not be traced: a debugger does, or there is no right to */
        uint64_t n_traps_ignored; /* signals of which a program that is not traced would have died */
};

#endif
