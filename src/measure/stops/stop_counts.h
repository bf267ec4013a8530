/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run with --engine stop reports. */
#ifndef STOP_COUNTS_H
#define STOP_COUNTS_H

#include <stdint.h>

/* Counts of samples taken by stopping threads. */
struct stop_counts {
        uint64_t n_processes; /* traced programs; a process that executes another interpreter counts twice */
        uint64_t n_stops;     /* samples */
        uint64_t n_repeats;   /* stops without a sample, because the kernel had repeated the event's period */
        uint64_t n_dropped;   /* samples of the ring that were replaced by samples of stops */
        uint64_t n_not_opened; /* programs and threads for which the stopping event could not be opened */
        uint64_t n_blocking;   /* threads that block SIGTRAP; they keep the ring's samples */
        uint64_t n_paced;      /* threads that block SIGTRAP and are stopped without it */
        /* processes that could not be traced, because of a debugger or missing privilege, or that hid their
         * memory while they were traced */
        uint64_t n_refused;
        uint64_t cpu_ns;  /* CPU time of the guardian */
        uint64_t n_looks; /* without events: how often it was looked which threads run */
        uint64_t n_lost;  /* samples for which the recorder left no room */
};

#endif
