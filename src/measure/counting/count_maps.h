/* SPDX-License-Identifier: BSD-3-Clause */
/* The records before the first round of counts: THREAD_MAP, CPU_MAP and STAT_CONFIG. */
#ifndef COUNT_MAPS_H
#define COUNT_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "perf_abi.h"

struct mapped_thread {
        int32_t tid;
        char name[PERF_THREAD_MAP_COMM];
};

struct count_maps {
        struct mapped_thread *threads; /* none: all threads */
        size_t n_threads;
        uint32_t *cpus; /* in any order, also repeatedly; UINT32_MAX for any CPU. count_maps_add sorts them */
        size_t n_cpus;
        uint32_t interval_ms;
};

void count_maps_add(struct count_maps *maps, struct buf *out);

#endif
